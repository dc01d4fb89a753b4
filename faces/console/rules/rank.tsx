import type { Column } from "../../design/table.tsx"

const SCORE = new Intl.NumberFormat(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 3 })

/** `0.712`. */
export const score = (value: number): string => SCORE.format(value)

const shown = (rank: number | null): string => (rank === null ? "not found" : String(rank))

/** A rank among the first ten, and the previous rank. */
export function RankChange({
  before,
  after,
}: {
  readonly before: number | null
  readonly after: number | null
}) {
  const tone = toneOf(-(before ?? 11), -(after ?? 11))
  if (before === after) return <span>{shown(after)}</span>
  return (
    <span class={`turn ${tone}`}>
      <span>{shown(before)}</span> <Arrow /> <b>{shown(after)}</b>
    </span>
  )
}

/** A value from 0 to 1, and the previous value. */
export function ScoreChange({ before, after }: { readonly before: number; readonly after: number }) {
  if (score(before) === score(after)) return <span>{score(after)}</span>
  return (
    <span class={`turn ${toneOf(before, after)}`}>
      <span>{score(before)}</span> <Arrow /> <b>{score(after)}</b>
    </span>
  )
}

const Arrow = () => (
  <>
    <span aria-hidden="true">→</span>
    <span class="unseen"> becomes </span>
  </>
)

const toneOf = (before: number, after: number): string => (after > before ? "good" : "bad")

interface Ranked {
  readonly rank: number | null
  readonly ndcg: number
}

/** Columns for a question's rank and score, each with its earlier value. @param of returns a row's ranks and scores; null if its question hasn't been asked yet */
export const rankColumns = <Row,>(
  of: (row: Row) => { readonly before: Ranked; readonly after: Ranked } | null,
): readonly Column<Row>[] => [
  {
    heading: "Rank",
    cell: (row) => {
      const ranked = of(row)
      return ranked === null ? "–" : <RankChange before={ranked.before.rank} after={ranked.after.rank} />
    },
  },
  {
    heading: "nDCG@10",
    isNumber: true,
    cell: (row) => {
      const ranked = of(row)
      return ranked === null ? "–" : <ScoreChange before={ranked.before.ndcg} after={ranked.after.ndcg} />
    },
  },
]
