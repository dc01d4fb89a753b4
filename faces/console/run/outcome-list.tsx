import type { AnswerOf } from "../../../api/client/client.ts"
import { Link } from "../link.tsx"
import { share, whole } from "../words.ts"
import { Meaning } from "./meaning.tsx"
import { byCount, isMeant, type Kind, kindOf, shownOutcome } from "./outcomes.ts"

const KINDS: readonly Kind[] = ["pages", "postponed", "skipped", "failed"]

/** How the visits of a run ended, as a bar and as links to their addresses. */
export function Outcomes({
  job: { id, outcomes },
  wanted,
}: {
  readonly job: AnswerOf<"GET /admin/jobs/{id}">
  readonly wanted: string | null
}) {
  const all = byCount(outcomes)
  const total = all.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return <p class="small">No addresses have been visited yet.</p>
  const link = (outcome: string | null) => ({ view: "run", job: id, outcome }) as const
  return (
    <>
      <Bar all={all} total={total} />
      <ul class="outcomes">
        <li>
          <Link to={link(null)} class="outcome" current={wanted === null}>
            <strong>{whole(total)}</strong>
            <span>all addresses</span>
          </Link>
        </li>
        {all.map(([outcome, count]) => (
          <li key={outcome}>
            <Link
              to={link(outcome)}
              class={`outcome ${kindOf(outcome)}`}
              current={wanted !== null && isMeant(outcome, wanted)}
            >
              <strong>{whole(count)}</strong>
              <span>
                {shownOutcome(outcome)}
                <small>
                  <Meaning of={outcome} />
                </small>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Shares of indexed pages, of skipped ones, and of failures. */
function Bar({
  all,
  total,
}: {
  readonly all: readonly (readonly [string, number])[]
  readonly total: number
}) {
  const parts = KINDS.map((kind) => ({
    kind,
    count: all.reduce((sum, [outcome, count]) => sum + (kindOf(outcome) === kind ? count : 0), 0),
  })).filter(({ count }) => count > 0)
  let from = 0
  const said = parts.map(({ kind, count }) => `${kind} ${share(count, total)}`).join(", ")
  return (
    <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label={`Visits: ${said}`}>
      {parts.map(({ kind, count }) => {
        const width = (count / total) * 100
        const x = from
        from += width
        return <rect key={kind} class={kind} x={x} y="0" width={width} height="1" />
      })}
    </svg>
  )
}
