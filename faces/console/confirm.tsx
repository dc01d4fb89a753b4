import type { ComponentChildren } from "preact"

import { Button } from "../design/button.tsx"
import { Dialog } from "../design/dialog.tsx"

/** Asks for confirmation before something that can't easily be undone. */
export function Confirm({
  title,
  yes,
  no,
  onYes,
  onClose,
  children,
}: {
  readonly title: string
  /** The label of the button that confirms the action. */
  readonly yes: string
  readonly no: string
  readonly onYes: () => void
  readonly onClose: () => void
  /** The consequences of the action. */
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="confirm">
        {children}
        <p class="row">
          <Button
            look="danger"
            onClick={() => {
              onYes()
              onClose()
            }}
          >
            {yes}
          </Button>
          <Button onClick={onClose}>{no}</Button>
        </p>
      </div>
    </Dialog>
  )
}
