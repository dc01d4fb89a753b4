import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Connect } from "./connect.tsx"
import { Snippet } from "./snippet.tsx"

/** A key that was made, shown once. */
export interface Made {
  readonly name: string
  readonly key: string
  /** The secret that a service signs user names with; null: the key asks for itself. */
  readonly secret: string | null
  readonly isPublic: boolean
}

export function MadeKey({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  return (
    <Dialog title={made.name === "" ? "The new key" : `The key for ${made.name}`} onClose={onClose}>
      <div class="confirm">
        <p>
          {made.isPublic
            ? "It is not a secret: the list shows it from now on."
            : "It is shown only now: store it where its program reads it. It cannot be shown again."}
        </p>
        <Snippet name="Key" text={made.key} />
        {made.secret !== null && <Snippet name="Secret for signing" text={made.secret} />}
        {!made.isPublic && <Connect apiKey={made.key} />}
        <p class="row">
          <Button look="primary" icon="check" onClick={onClose}>
            {made.isPublic ? "Done" : "I have kept it"}
          </Button>
        </p>
      </div>
    </Dialog>
  )
}
