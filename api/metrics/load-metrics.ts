import { Counter, Gauge, type Registry } from "prom-client"

import type { Connections } from "../load/connections.ts"
import type { Gates } from "../load/gates.ts"

/** What bounds the callers; see `api/load`. */
export interface LoadParts {
  readonly connections: Pick<Connections, "open" | "unsentBytes" | "cut">
  readonly gates: Gates
  /** Bytes that callers have stored in `state.db`, by what it is. */
  readonly stored: () => ReadonlyMap<string, number>
}

/** Gauges and counts of what callers hold, looked at with each scrape. */
export function registerLoad(registry: Registry, { connections, gates, stored }: LoadParts): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  gauge("fossick_http_connections", "Open connections, of both listeners.", () => connections.open)
  gauge(
    "fossick_http_unsent_bytes",
    "Bytes of answers that wait for callers to take them.",
    () => connections.unsentBytes,
  )
  gauge("fossick_searches_waiting", "Searches that wait for their turn.", () => gates.searches.waiting)
  gauge("fossick_live_calls", "Extract, crawl and map calls under way.", () => gates.liveCalls.taken)
  const bytes: Gauge = new Gauge({
    name: "fossick_stored_bytes",
    help: "Bytes that callers have stored in state.db, by what it is.",
    labelNames: ["store"],
    registers: [registry],
    collect() {
      for (const [store, value] of stored()) bytes.set({ store }, value)
    },
  })
  counts(
    registry,
    "fossick_calls_shed_total",
    "Calls refused because there was more to do than could be answered in time.",
    "kind",
    () =>
      new Map([
        ["search", gates.searches.shed],
        ["live", gates.liveCalls.shed],
      ]),
  )
  counts(
    registry,
    "fossick_http_connections_cut_total",
    "Connections refused or closed early, by reason.",
    "reason",
    () => connections.cut,
  )
}

/** A counter of what is counted elsewhere from the start on: what is known there is the whole. */
export function counts(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: () => ReadonlyMap<string, number> | null,
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      counter.reset()
      for (const [value, count] of values() ?? []) counter.inc({ [label]: value }, count)
    },
  })
}
