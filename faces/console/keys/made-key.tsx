import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Connect } from "./connect.tsx"
import { Snippet } from "./snippet.tsx"

/** A newly created key, shown once. */
export interface Made {
  readonly name: string
  readonly key: string
  /** The secret that a service signs user names with; null if the key's searches aren't made for users. */
  readonly secret: string | null
  readonly isPublic: boolean
}

export function MadeKey({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  return (
    <Dialog title={made.name === "" ? "The new key" : `The key for ${made.name}`} onClose={onClose}>
      <div class="confirm">
        <p>
          {made.isPublic
            ? "This key is not a secret; you can find it in the list at any time."
            : "Store the key now, where your program reads it. It cannot be shown again."}
        </p>
        <Snippet name="Key" text={made.key} />
        {made.secret !== null && <Snippet name="Signing secret" text={made.secret} />}
        {!made.isPublic && <Connect apiKey={made.key} />}
        <p class="row">
          <Button look="primary" icon="check" onClick={onClose}>
            {made.isPublic ? "Done" : "I have stored it"}
          </Button>
        </p>
      </div>
    </Dialog>
  )
}
