import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

import { Button } from "./button.tsx"

/**
 * A dialog that asks for confirmation. The browser keeps the keyboard focus in it, closes it with Escape, and then
 * returns the focus.
 */
export function Dialog({
  title,
  under,
  onClose,
  children,
}: {
  readonly title: ComponentChildren
  /** Shown in small print under the title. */
  readonly under?: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Runs before the next paint, because a key may be pressed right after it.
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
      // The dialog's content fills its box, so a click on the dialog element itself is outside the box.
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
