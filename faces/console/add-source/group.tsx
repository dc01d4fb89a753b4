import type { ComponentChildren } from "preact"

import { Field, TextArea } from "../../design/field.tsx"
import type { Draft } from "./draft.ts"

export type Change = (fields: Partial<Draft>) => void

/** What the form gives its groups. */
export interface GroupProps {
  readonly draft: Draft
  readonly onChange: Change
  /** What is wrong with these fields; null while somebody has not written there yet. */
  readonly wrong: (...fields: readonly string[]) => string | null
  /** What is wrong with the field itself, and with nothing in it. */
  readonly exactly: (field: string) => string | null
  /** Somebody has been at these fields. */
  readonly onLeft: (field: string) => () => void
}

/** A few fields that belong together. */
export const Group = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <fieldset class="group">
    <legend>{title}</legend>
    <div class="fields">{children}</div>
  </fieldset>
)

interface LineProps {
  readonly form: GroupProps
  /** Field of the draft. */
  readonly name: Exclude<keyof Draft, "rest">
  /** Field of the source, as problems name it. */
  readonly field: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  readonly readOnly?: boolean
  /** Shown in place of the problem with `field`, when given. */
  readonly wrong?: string | null
}

/** A single-line field of the draft. */
export const Line = ({ form, field, ...shown }: LineProps) => (
  <Field
    wrong={form.wrong(field)}
    {...shown}
    value={form.draft[shown.name]}
    onWrite={(text) => form.onChange({ [shown.name]: text })}
    onBlur={form.onLeft(field)}
  />
)

const MOST_ROWS = 8

/** A multi-line field of the draft, as tall as its text. */
export const Lines = ({ form, field, ...shown }: Omit<LineProps, "placeholder" | "readOnly">) => {
  const value = form.draft[shown.name]
  return (
    <TextArea
      wrong={form.wrong(field)}
      {...shown}
      rows={Math.min(MOST_ROWS, Math.max(2, value.split("\n").length))}
      value={value}
      onWrite={(text) => form.onChange({ [shown.name]: text })}
      onBlur={form.onLeft(field)}
    />
  )
}
