import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { counted, whole } from "../words.ts"

const AT_ONCE = 50
/** The most that one call lists. */
const MOST = 1000

/** How many rows of a list are asked for, and a way to twice as many; null: no call lists more. */
export interface FirstRows {
  readonly limit: number
  readonly more: (() => void) | null
}

export function useFirstRows(): FirstRows {
  const [limit, setLimit] = useState(AT_ONCE)
  return { limit, more: limit < MOST ? () => setLimit(Math.min(MOST, limit * 2)) : null }
}

/** Below the first rows of a list: how many of all they are, and a button for more. */
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
  /** Of the button. */
  readonly label: string
  /** One of the rows, and many where an s alone does not make the word. */
  readonly unit: readonly [one: string, many?: string]
  /** What else may be done with the list. */
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
