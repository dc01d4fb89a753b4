import { Counter, Gauge, type Registry } from "prom-client"

import type { Connections } from "../load/connections.ts"

/** What bounds the callers; see `api/load`. */
export interface LoadParts {
  readonly connections: Pick<Connections, "open" | "unsentBytes" | "cut">
}

/** Gauges and counts of what callers hold, looked at with each scrape. */
export function registerLoad(registry: Registry, { connections }: LoadParts): void {
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
