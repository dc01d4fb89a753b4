import { Counter, Gauge, type Registry } from "prom-client"

import { sharing } from "#base/flow/sharing.ts"
import { type PoolCounts, poolCounts } from "#base/flow/fair-pool.ts"

import type { Bound, StoredBytes } from "../load/bounds.ts"
import type { Connections } from "../load/connections.ts"
import type { Gates } from "../load/gates.ts"

/** The limits for callers; see `api/server/load`. */
export interface LoadParts {
  readonly connections: Pick<Connections, "open" | "unsentBytes" | "cut" | "most" | "openOfAddress" | "ahead">
  readonly gates: Gates
  /** Bytes that callers have stored in `state.db`, by kind. */
  readonly stored: () => Promise<ReadonlyMap<string, StoredBytes>>
  /** The current use of everything that is bounded in this process. */
  readonly bounds: () => Promise<readonly Bound[]>
}

/** Gauges and counters of the resources that callers use, updated on each scrape. */
export function registerLoad(registry: Registry, { connections, gates, stored, bounds }: LoadParts): void {
  registerBounds(registry, bounds)
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  gauge("fossick_http_connections", "Open connections on both listeners.", () => connections.open)
  gauge(
    "fossick_http_unsent_bytes",
    "Bytes of answers waiting for callers to read them.",
    () => connections.unsentBytes,
  )
  gauge("fossick_searches_waiting", "Searches waiting for their turn.", () => gates.searches.waiting)
  gauge("fossick_live_calls", "Extract, crawl and map calls in progress.", () => gates.liveCalls.running)
  const bytes: Gauge = new Gauge({
    name: "fossick_stored_bytes",
    help: "Bytes that callers have stored in state.db, by kind.",
    labelNames: ["store"],
    registers: [registry],
    async collect() {
      for (const [store, { bytes: value }] of await stored()) bytes.set({ store }, value)
    },
  })
  counts(
    registry,
    "fossick_calls_shed_total",
    "Calls refused because they could not be answered in time.",
    "kind",
    () =>
      new Map([
        ["search", gates.searches.refused],
        ["live", gates.liveCalls.refused],
      ]),
  )
  const pool: Gauge = new Gauge({
    name: "fossick_pool_waiting",
    help: "Tasks waiting for their turn, by pool.",
    labelNames: ["pool"],
    registers: [registry],
    collect() {
      for (const [name, { waiting }] of poolCounts()) pool.set({ pool: name }, waiting)
    },
  })
  const ofPools = (name: string, help: string, value: (of: Readonly<PoolCounts>) => number) =>
    counts(
      registry,
      name,
      help,
      "pool",
      () => new Map([...poolCounts()].map(([of, all]) => [of, value(all)])),
    )
  ofPools("fossick_pool_waited_total", "Tasks that had to wait for their turn.", ({ waited }) => waited)
  ofPools(
    "fossick_pool_wait_seconds_total",
    "Total seconds that tasks waited for their turn.",
    ({ waitedMs }) => waitedMs / 1000,
  )
  counts(
    registry,
    "fossick_http_connections_cut_total",
    "Connections refused or closed early, by reason.",
    "reason",
    () => connections.cut,
  )
}

/** How full each bounded resource is, in one format. */
function registerBounds(registry: Registry, look: LoadParts["bounds"]): void {
  // The metrics of a scrape are collected concurrently, so they share one reading.
  const bounds = sharing(look)
  const gauge = (name: string, help: string, value: (bound: Bound) => number): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames: ["bound"],
      registers: [registry],
      async collect() {
        for (const bound of await bounds()) made.set({ bound: bound.name }, value(bound))
      },
    })
  }
  gauge("fossick_bound_used", "Current use of each bounded resource.", ({ used }) => used)
  gauge("fossick_bound_limit", "Limit of each bounded resource.", ({ limit }) => limit)
  counts(
    registry,
    "fossick_bound_refused_total",
    "How often something was refused, closed or dropped because of a bound.",
    "bound",
    async () =>
      new Map((await bounds()).flatMap(({ name, refused }) => (refused === null ? [] : [[name, refused]]))),
  )
}

type Counts = ReadonlyMap<string, number> | null

/** A counter for a total that has been counted elsewhere since startup. */
export function counts(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: () => Counts | Promise<Counts>,
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      // Don't `await` in between, or two concurrent scrapes would each add to the other's counts.
      const now = await values()
      counter.reset()
      for (const [value, count] of now ?? []) counter.inc({ [label]: value }, count)
    },
  })
}
