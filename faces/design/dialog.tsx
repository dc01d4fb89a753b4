import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

import { Button } from "./button.tsx"

/**
 * A dialog to check before you continue. The browser keeps the keyboard in it, closes it by Escape, and gives the focus
 * back to where it was.
 */
export function Dialog({
  title,
  under,
  onClose,
  children,
}: {
  readonly title: ComponentChildren
  /** In small print under the title. */
  readonly under?: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // At once: after the next paint a key may have been pressed.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={onClose}
      // The dialog's box is filled by its parts: a click on the dialog itself is one beside it.
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {under}
        </div>
        <Button look="quiet" icon="close" label="Close" onClick={() => dialog.current?.close()} />
      </header>
      <div class="body" tabIndex={0} role="region" aria-labelledby={id}>
        {children}
      </div>
    </dialog>
  )
}
