import { useState } from "preact/hooks"

import { Icon } from "../../design/icons.tsx"
import { RankParts } from "../../reading/rank-parts.tsx"
import type { Result } from "../use-search.ts"

/** Why a result has its rank: the parts of its score, each as a share of its maximum. */
export function Why({
  explain,
  score,
}: {
  readonly explain: NonNullable<Result["explain"]>
  readonly score: number
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="why" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="why" /> Why this result
      </summary>
      {isOpen && <RankParts parts={explain} score={score} inWords={(value) => value.toFixed(2)} />}
    </details>
  )
}
