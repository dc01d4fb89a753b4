import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from "preact"
import { useId } from "preact/hooks"

interface Labelled {
  readonly label: ComponentChildren
  /** A short hint on what to write. */
  readonly hint?: ComponentChildren
  /** The problem with the input; null or omitted if there is none. */
  readonly wrong?: string | null
}

export interface FieldProps extends Labelled {
  readonly name: string
  readonly type?: "text" | "password" | "url" | "email" | "number"
  readonly value?: string
  readonly placeholder?: string
  /** The kind of value a browser may fill in. */
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly required?: boolean
  readonly readOnly?: boolean
  /** Called with the whole text after each change. */
  readonly onWrite?: (text: string) => void
  /** Called when the field loses the focus. */
  readonly onBlur?: () => void
}

/** A text field, with its name above and its problem below; screen readers read both with it. */
export function Field({
  label,
  hint,
  wrong = null,
  type = "text",
  autocomplete = "off",
  onWrite,
  ...input
}: FieldProps) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <input
        {...({ ...input, type } as InputHTMLAttributes)}
        {...described(id, hint, wrong)}
        autocomplete={autocomplete}
        spellcheck={false}
        class="input"
        onInput={(event) => onWrite?.(event.currentTarget.value)}
      />
    </Frame>
  )
}

export interface TextAreaProps extends Labelled {
  readonly name: string
  readonly value: string
  readonly rows?: number
  /** Called with the whole text after each change. */
  readonly onWrite: (text: string) => void
  readonly onBlur?: () => void
}

/** A text field with several lines. */
export function TextArea({ label, hint, wrong = null, rows = 2, onWrite, ...input }: TextAreaProps) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <textarea
        {...input}
        {...described(id, hint, wrong)}
        rows={rows}
        spellcheck={false}
        class="input"
        onInput={(event) => onWrite(event.currentTarget.value)}
      />
    </Frame>
  )
}

export interface SelectProps<Value extends string> extends Labelled {
  readonly name: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChoose: (value: Value) => void
}

/** A choice between a few options. */
export function Select<Value extends string>({
  label,
  hint,
  wrong = null,
  name,
  value,
  options,
  onChoose,
}: SelectProps<Value>) {
  const id = useId()
  const choose = (event: TargetedEvent<HTMLSelectElement>) => {
    const chosen = options.find((option) => option.value === event.currentTarget.value)
    if (chosen !== undefined) onChoose(chosen.value)
  }
  return (
    <Frame id={id} label={label} hint={hint} wrong={wrong}>
      <select {...described(id, hint, wrong)} name={name} value={value} class="input" onChange={choose}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

/** The ids that link a control and the texts around it. */
function described(id: string, hint: ComponentChildren, wrong: string | null) {
  const by = [hint === undefined ? "" : `${id}-hint`, wrong === null ? "" : `${id}-wrong`]
  return {
    id,
    "aria-invalid": wrong === null ? undefined : ("true" as const),
    "aria-describedby": by.filter(Boolean).join(" ") || undefined,
  }
}

function Frame({
  id,
  label,
  hint,
  wrong = null,
  children,
}: Labelled & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
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
