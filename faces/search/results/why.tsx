import { useState } from "preact/hooks"

import { Icon } from "../../design/icons.tsx"
import type { Result } from "../use-search.ts"

const PARTS = {
  lexical: "Words of the question",
  passage: "Words in the best passage",
  vector: "Meaning of the nearest passage",
  late: "Meaning, word by word",
  rerank: "Second reading",
  fused: "All of these together",
  boost: "Preferences and phrases",
} as const

/** Why a result stands where it does: its parts, each as a share of the most it could be. */
export function Why({
  explain,
  score,
}: {
  readonly explain: NonNullable<Result["explain"]>
  readonly score: number
}) {
  const [isOpen, setOpen] = useState(false)
  const parts = Object.entries(PARTS).flatMap(([name, label]) => {
    const value = explain[name as keyof typeof PARTS]
    return typeof value === "number" && value !== 0 ? [{ label, value }] : []
  })
  return (
    <details class="why" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="why" /> Why this result
      </summary>
      {isOpen && (
        <dl>
          {parts.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <meter min={0} max={1} value={value} aria-label={label} /> {value.toFixed(2)}
              </dd>
            </div>
          ))}
          <div>
            <dt>Score</dt>
            <dd>
              <b>{score.toFixed(2)}</b>
            </dd>
          </div>
        </dl>
      )}
    </details>
  )
}
