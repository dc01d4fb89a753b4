import { Chart } from "../../design/chart.tsx"
import { Link } from "../link.tsx"
import { whole } from "../words.ts"
import { type Key, nameOf } from "./key-list.tsx"
import { byDay, DAYS, type Use } from "./use-days.ts"

/** Id under which the key in `FOSSICK_API_KEY` is counted. */
const OPERATOR = "operator"

/** Daily usage of all keys, or of one. */
export function KeyUse({
  keys,
  usage,
  chosen,
}: {
  readonly keys: readonly Key[]
  readonly usage: readonly Use[]
  /** Id of a key; null for all keys. */
  readonly chosen: string | null
}) {
  return (
    <div class="block">
      <div class="between">
        <h2>
          {ofWhom(keys, chosen)}, the last {DAYS} days
        </h2>
        {chosen !== null && <Link to={{ view: "keys", key: null }}>All keys</Link>}
      </div>
      <div class="use-charts">
        {(["calls", "credits"] as const).map((what) => (
          <UseByDay key={what} what={what} usage={usage} chosen={chosen} />
        ))}
      </div>
    </div>
  )
}

function ofWhom(keys: readonly Key[], chosen: string | null): string {
  if (chosen === null) return "All keys"
  const one = keys.find(({ id }) => id === chosen)
  if (one !== undefined) return nameOf(one)
  return chosen === OPERATOR ? "the key in FOSSICK_API_KEY" : chosen
}

function UseByDay({
  what,
  usage,
  chosen,
}: {
  readonly what: "calls" | "credits"
  readonly usage: readonly Use[]
  readonly chosen: string | null
}) {
  const name = what === "calls" ? "Calls" : "Credits"
  return (
    <figure>
      <figcaption>{name} a day</figcaption>
      <Chart
        label={`${name} a day`}
        of={name}
        look="bars"
        points={byDay(usage, (use) => use[what], { key: chosen })}
        inWords={whole}
      />
    </figure>
  )
}
