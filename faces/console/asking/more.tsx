import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { counted, whole } from "../words.ts"

const AT_ONCE = 50
/** Maximum number of rows that one call lists. */
const MOST = 1000

/** The number of rows to ask for, and a way to ask for twice as many, which is null once a call can't list more. */
export interface FirstRows {
  readonly limit: number
  readonly more: (() => void) | null
}

export function useFirstRows(): FirstRows {
  const [limit, setLimit] = useState(AT_ONCE)
  return { limit, more: limit < MOST ? () => setLimit(Math.min(MOST, limit * 2)) : null }
}

/** Shown below a list: how many of its rows are shown, and a button for more. */
export const More = ({
  rows: { more },
  shown,
  total,
  label,
  unit,
  children,
}: {
  readonly rows: FirstRows
  readonly shown: number
  readonly total: number
  /** Text of the button. */
  readonly label: string
  /** The word for a row, and its plural if that isn't formed by adding an s. */
  readonly unit: readonly [one: string, many?: string]
  /** Other actions for the list. */
  readonly children?: ComponentChildren
}) => (
  <p class="more">
    {total > shown && more !== null && (
      <Button icon="down" onClick={more}>
        {label}
      </Button>
    )}
    <span class="small">
      {whole(shown)} of {counted(total, ...unit)}
    </span>
    {children}
  </p>
)
