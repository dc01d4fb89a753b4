import { once } from "node:events"
import type { AddressInfo } from "node:net"

import type { Logger } from "pino"

import type { FairPool } from "#base/flow/fair-pool.ts"

import type { Collections } from "../../identity/accounts/reach/collections.ts"
import type { LimitParts } from "../../identity/accounts/reach/scoped-pages.ts"
import { httpServer } from "../../server/http-server.ts"
import type { Connections } from "../../server/load/connections.ts"
import type { Memory } from "../../server/load/memory/memory.ts"
import { closeServer } from "../../server/shutdown.ts"
import type { AskParts } from "../../core/ask/ask.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { X402Config } from "./settings.ts"
import { httpFacilitator } from "./chain/facilitator.ts"
import { openLedger } from "./books/payment-ledger.ts"
import { type X402Outcome, OutcomeCounts } from "./books/outcomes.ts"
import { paidApp } from "./paid-app.ts"
import { engineForSale } from "./for-sale.ts"
import { reconcile } from "./books/reconcile.ts"
import { rpcChain } from "./chain/chain.ts"
import type { SoldCall } from "./sold-call.ts"
import { paymentTerms } from "./terms.ts"

export interface PaidListener extends AsyncDisposable {
  readonly port: number
  /** How requests have ended since startup. */
  readonly outcomes: ReadonlyMap<X402Outcome, number>
}

export interface ListenerParts {
  readonly config: X402Config
  readonly sold: SoldCall
  /** The host to listen on if the paid search has no host of its own. */
  readonly host: string
  readonly dataDir: string
  /** Id of this process among those that share the state. By default it is the only one. */
  readonly process?: string
  /** Searches the whole index; the listener itself leaves out pages that are not for sale. */
  readonly search: AskParts
  /** Looks up the sources that each collection contains now. */
  readonly collections: Pick<Collections, "sourcesOf">
  readonly readers: LimitParts["readers"]
  /** Counts the connections of the whole process. */
  readonly connections: Connections
  /** The gate at which all searches of the process queue; all payers together share the turns of one key. */
  readonly searches: FairPool
  readonly memory: Pick<Memory, "enter">
  readonly limits: SearchLimits & { readonly bodyLimit: number; readonly shutdownSeconds: number }
  readonly log: Logger
}

/** Time between rounds of writing outcomes and deleting old payments. */
const HOUSEKEEPING_MS = 5000
/** Time between rounds of asking the network about open payments. */
const RECONCILE_MS = 60_000

/** Opens the paid search on its own port. Closing it lets purchases in progress finish first. */
export async function openListener(parts: ListenerParts): Promise<PaidListener> {
  const { config, limits, sold } = parts
  const log = parts.log.child({ part: "x402" })
  const terms = await paymentTerms(config)
  await using opened = new AsyncDisposableStack()
  const ledger = opened.use(await openLedger(parts.dataDir, undefined, parts.process))
  const outcomes = new OutcomeCounts()
  const chain = config.rpcUrl === "" ? null : rpcChain(config.rpcUrl, terms)

  const keepHouse = async () => {
    await ledger.count(outcomes.take())
    await ledger.recover()
    await ledger.sweep()
  }
  // Runs after the last deliveries, so that their outcomes are written, too.
  opened.defer(keepHouse)
  let keeping = Promise.resolve()
  const timers = [setInterval(() => void (keeping = attempt(keepHouse, log)), HOUSEKEEPING_MS)]
  if (chain !== null) {
    const lookUp = () =>
      void reconcile({ ledger, chain, terms, log }).catch((error: unknown) => complain(log, error))
    timers.push(setInterval(lookUp, RECONCILE_MS))
  }
  opened.defer(async () => {
    timers.forEach((timer) => clearInterval(timer))
    await keeping
  })

  const app = paidApp({
    terms,
    facilitator: httpFacilitator(config),
    chain,
    ledger,
    outcomes,
    sold,
    search: {
      ...parts.search,
      engine: engineForSale(byTurns(parts.search.engine, parts.searches), config.forSale, parts),
    },
    check: () => parts.searches.check(SALES),
    memory: parts.memory,
    bodyLimit: limits.bodyLimit,
    log,
  })
  const server = httpServer(app, parts.connections)
  opened.defer(() => closeServer(server, limits.shutdownSeconds * 1000))
  server.listen(config.port, config.host || parts.host)
  await once(server, "listening").catch((error: Error) => {
    throw Object.assign(error, { prefix: "FOSSICK_X402" })
  })
  const { port } = server.address() as AddressInfo
  log.info(
    { port, url: terms.resource.url, network: config.network, payTo: config.payTo },
    "selling searches at {url}",
  )

  const stack = opened.move()
  return {
    port,
    outcomes: outcomes.total,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** The name under which all payers together queue at the gate. */
const SALES = "sales"

const byTurns = (engine: AskParts["engine"], gate: FairPool): AskParts["engine"] => ({
  search: (query, options) => gate.run(() => engine.search(query, options), { key: SALES, ...options }),
})

async function attempt(work: () => Promise<void>, log: Logger): Promise<void> {
  try {
    await work()
  } catch (error) {
    complain(log, error)
  }
}

const complain = (log: Logger, error: unknown): void =>
  log.warn({ err: error }, "the payment ledger could not be updated; trying again soon")
