import type { ComponentChildren, InputHTMLAttributes, TargetedInputEvent } from "preact"
import { useId } from "preact/hooks"

export interface FieldProps {
  readonly label: ComponentChildren
  /** What to write, in a few words. */
  readonly hint?: ComponentChildren
  /** What is wrong with what was written; left out or null: nothing. */
  readonly wrong?: string | null
  readonly name: string
  readonly type?: "text" | "password" | "url" | "email" | "number"
  readonly value?: string
  readonly placeholder?: string
  /** What a browser may fill in. */
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly required?: boolean
  readonly onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void
}

/** A line to write on, with its name above and what is wrong with it below; both are read out with it. */
export function Field({
  label,
  hint,
  wrong = null,
  type = "text",
  autocomplete = "off",
  ...input
}: FieldProps) {
  const id = useId()
  const described = [hint === undefined ? "" : `${id}-hint`, wrong === null ? "" : `${id}-wrong`]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...({ ...input, type } as InputHTMLAttributes)}
        autocomplete={autocomplete}
        spellcheck={false}
        id={id}
        class="input"
        aria-invalid={wrong === null ? undefined : "true"}
        aria-describedby={described.filter(Boolean).join(" ") || undefined}
      />
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong !== null && (
        <span class="wrong" id={`${id}-wrong`} role="alert">
          {wrong}
        </span>
      )}
    </div>
  )
}
