import type { AnswerOf } from "../../../api/client/client.ts"

type Found = AnswerOf<"POST /admin/rules/preview">["questions"][number]["after"][number]

const PARTS = [
  ["lexical", "Words of the question"],
  ["passage", "Words in the best passage"],
  ["vector", "Meaning of the nearest passage"],
  ["late", "Meaning, word by word"],
  ["rerank", "Second reading"],
  ["fused", "All of these together"],
  ["boost", "Preferences and phrases"],
] as const

const SCORE = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** What a rank is made of: each part as a share of the most it could be. */
export function Parts({ hit: { parts, score } }: { readonly hit: Pick<Found, "parts" | "score"> }) {
  const shown = PARTS.filter(([name]) => parts[name] !== 0)
  return (
    <dl class="rank-parts">
      {shown.map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            <meter min={0} max={1} value={parts[name]} aria-label={label} /> {SCORE.format(parts[name])}
          </dd>
        </div>
      ))}
      <div>
        <dt>Score</dt>
        <dd>
          <b>{SCORE.format(score)}</b>
        </dd>
      </div>
    </dl>
  )
}
