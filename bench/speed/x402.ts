import { parseArgs } from "node:util"

import { startAppliance } from "../../api/testing/appliance.ts"
import { freePort, noChain, startChain, NETWORK } from "../../api/doors/x402/testing/chain.ts"
import { startFacilitator } from "../../api/doors/x402/testing/facilitator.ts"
import { ask, sign } from "../../api/doors/x402/testing/payments.ts"
import { payee, payer } from "../../api/doors/x402/testing/wallets.ts"
import { machine, median, percentile, table } from "../measure.ts"

// Measures the cost that a payment adds to a search: the same question is sent to the real appliance with a key and
// with a payment, in turn. Chain and facilitator are local and share the machine, so the times of their steps are upper
// bounds for the work and include no network. On a real network, settling waits for a block: two seconds on Base.

const WARM_UP = 5
const QUESTION = { search_depth: "advanced", max_results: 5 }
const QUERIES = [
  "how do I schedule a crawl?",
  "back up the index",
  "which formats are read?",
  "change the port",
  "why is a page missing?",
]
const HANDBOOK_MS = 120_000

const { values } = parseArgs({ options: { requests: { type: "string", default: "60" } } })
const requests = Number(values.requests)

if (noChain !== "") throw new Error(`No local chain${noChain}`)
await using chain = await startChain()
await using facilitator = await startFacilitator(chain.rpcUrl)
const port = await freePort()
const paid = `http://127.0.0.1:${port}`
await using appliance = await startAppliance({
  FOSSICK_X402_PORT: String(port),
  FOSSICK_X402_SOURCES: "*",
  X402_PAY_TO: payee.address,
  X402_NETWORK: NETWORK,
  X402_FACILITATOR_URL: facilitator.url,
  X402_RPC_URL: chain.rpcUrl,
  X402_PUBLIC_URL: paid,
})
const key = { Authorization: `Bearer ${appliance.apiKey}` }
await handbookRead()

const times: Record<"with a key" | "told the price (402)" | "with a payment", number[]> = {
  "with a key": [],
  "told the price (402)": [],
  "with a payment": [],
}
for (let at = -WARM_UP; at < requests; at++) {
  const body = { ...QUESTION, query: QUERIES[Math.abs(at) % QUERIES.length]! }
  const { headers } = await sign(paid, payer)
  const measured = {
    "with a key": await timed(() => ask(appliance.url, body, key), 200),
    "told the price (402)": await timed(() => ask(paid, body), 402),
    "with a payment": await timed(() => ask(paid, body, headers), 200),
  }
  if (at < 0) continue
  for (const name of Object.keys(times) as (keyof typeof times)[]) times[name].push(measured[name])
}

const ms = (of: readonly number[]) => [median(of).toFixed(1), percentile(of, 0.95).toFixed(1)]
const steps = (await payments()).slice(0, requests)
process.stdout.write(`${machine()}\n${requests} requests of each kind, in turn; milliseconds\n\n`)
process.stdout.write(
  table([
    ["request", "median", "95 %"],
    ...Object.entries(times).map(([name, of]) => [name, ...ms(of)]),
    ...(["verify_ms", "search_ms", "settle_ms"] as const).map((step) => [
      `of a paid one: ${step.replace("_ms", "")}`,
      ...ms(steps.map((one) => one[step])),
    ]),
  ]),
)

async function timed(work: () => Promise<{ status: number; text: string }>, status: number): Promise<number> {
  const start = performance.now()
  const answer = await work()
  if (answer.status !== status)
    throw new Error(`${answer.status} instead of ${status}: ${answer.text.slice(0, 200)}`)
  return performance.now() - start
}

async function payments(): Promise<readonly Record<"verify_ms" | "search_ms" | "settle_ms", number>[]> {
  const response = await fetch(`${appliance.url}/admin/payments?limit=1000`, { headers: key })
  return ((await response.json()) as { payments: Record<"verify_ms" | "search_ms" | "settle_ms", number>[] })
    .payments
}

/** The appliance first reads and embeds its handbook; until then there is little to search. */
async function handbookRead(): Promise<void> {
  const late = Date.now() + HANDBOOK_MS
  for (;;) {
    const { body } = await ask(appliance.url, { ...QUESTION, query: QUERIES[0] }, key)
    if (body?.results?.length === QUESTION.max_results) return
    if (Date.now() > late) throw new Error("the handbook was not read in time")
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
