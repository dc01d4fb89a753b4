import type { ComponentChildren } from "preact"

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
