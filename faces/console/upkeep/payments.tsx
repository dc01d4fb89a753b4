import type { AnswerOf } from "../../../api/client/client.ts"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { Block, Loading, Nothing, Problem, Tile } from "../parts.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { usePolled } from "../asking/use-polled.ts"
import { atTime, counted, whole } from "../words.ts"
import { OUTCOME_MEANINGS, type Outcome } from "./payment-outcomes.ts"

type Payment = AnswerOf<"GET /admin/payments">["payments"][number]
type Day = AnswerOf<"GET /admin/payments/days">["revenue"][number]

async function look(signal: AbortSignal) {
  const [list, days, { selling }] = await Promise.all([
    appliance.call("GET /admin/payments", { signal }),
    appliance.call("GET /admin/payments/days", { signal }),
    appliance.call("GET /admin/settings", { signal }),
  ])
  return { list, days, selling }
}

/** Millionths of a dollar, since sums of decimal fractions have small errors. */
const millionths = (usd: string): number => Number(usd.replace(".", ""))
const dollars = (sum: number): string => `$${(sum / 1e6).toFixed(sum % 10_000 === 0 ? 2 : 6)}`

/** Searches that were sold: totals, individual payments, and how requests ended. */
export function Payments() {
  const polled = usePolled("payments", look)
  const { value, problem, refresh } = polled
  if (value === null) return problem === null ? <Loading /> : <Problem text={problem} onAgain={refresh} />
  const { list, days, selling } = value
  const isUsed = list.total > 0 || days.outcomes.length > 0
  return (
    <>
      <PolledStatus of={polled} />
      {!selling.on && <NotSelling missing={selling.missing} />}
      {selling.on && !isUsed && (
        <Nothing icon="key" title="No searches sold yet">
          <p>Requests to the paid search appear here, with their outcomes.</p>
        </Nothing>
      )}
      {isUsed && <Sold list={list} days={days} />}
    </>
  )
}

type Seen = Awaited<ReturnType<typeof look>>

const NotSelling = ({ missing }: { readonly missing: Seen["selling"]["missing"] }) => (
  <Nothing icon="key" title="Searches are not for sale">
    <p>
      {missing.length > 0 ? (
        <>
          Still to set: <code>{missing.join(", ")}</code>
        </>
      ) : (
        <>
          Programs can pay for each search with x402. To sell searches, set <code>X402_PAY_TO</code>,{" "}
          <code>X402_NETWORK</code>, <code>X402_FACILITATOR_URL</code> and <code>X402_PUBLIC_URL</code>.
        </>
      )}
    </p>
  </Nothing>
)

function Sold({ list, days }: Pick<Seen, "list" | "days">) {
  const outcomes = new Map<Outcome, number>()
  for (const { outcome, count } of days.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
  return (
    <>
      <dl class="tiles">
        <Tile name="Settled" value={dollars(days.revenue.reduce((sum, { usd }) => sum + millionths(usd), 0))}>
          {counted(list.total, "payment")}
        </Tile>
        <Tile name="Requests" value={whole([...outcomes.values()].reduce((sum, count) => sum + count, 0))}>
          to the paid search
        </Tile>
        <Tile name="Open" value={whole(list.open)}>
          not yet known whether they settled
        </Tile>
      </dl>
      <Block id="ended" title="How requests ended">
        <Table
          caption="Requests by how they ended"
          columns={OUTCOMES}
          rows={[...outcomes].toSorted(([, a], [, b]) => b - a)}
          keyOf={([name]) => name}
        />
      </Block>
      <Block id="days" title="By day">
        <Table
          caption="Revenue by day"
          columns={DAYS}
          rows={days.revenue}
          keyOf={({ day, network }) => `${day} ${network}`}
        />
      </Block>
      <Block
        id="settled"
        title={
          <>
            Payments <a href="admin/payments.csv">Download as CSV</a>
          </>
        }
      >
        <Table
          caption="Settled payments"
          columns={PAYMENTS}
          rows={list.payments}
          keyOf={({ transaction }) => transaction}
        />
      </Block>
    </>
  )
}

const OUTCOMES: readonly Column<readonly [Outcome, number]>[] = [
  {
    heading: "Outcome",
    cell: ([name]) => (
      <>
        {name.replaceAll("-", " ")}
        <p class="small">{OUTCOME_MEANINGS[name]}</p>
      </>
    ),
  },
  { heading: "Requests", isNumber: true, cell: ([, count]) => whole(count) },
]

const DAYS: readonly Column<Day>[] = [
  { heading: "Day", cell: ({ day }) => day },
  { heading: "Network", cell: ({ network }) => network },
  { heading: "Sales", isNumber: true, cell: ({ sales }) => whole(sales) },
  { heading: "Sum", isNumber: true, cell: ({ usd }) => dollars(millionths(usd)) },
]

const PAYMENTS: readonly Column<Payment>[] = [
  { heading: "When", cell: ({ at }) => <time dateTime={at}>{atTime(at)}</time> },
  { heading: "Amount", isNumber: true, cell: ({ amount_usd: usd }) => dollars(millionths(usd)) },
  { heading: "Payer", cell: ({ payer }) => <code class="hash">{payer}</code> },
  { heading: "Transaction", cell: ({ transaction }) => <code class="hash">{transaction}</code> },
  { heading: "Settled in", isNumber: true, cell: ({ settle_ms: ms }) => `${whole(ms)} ms` },
]
