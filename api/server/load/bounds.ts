import type { ArrivingBodies } from "./arriving-bodies.ts"
import type { Connections } from "./connections.ts"
import type { Gates } from "./gates.ts"
import type { KeylessBudget } from "./keyless/keyless-budget.ts"
import type { Memory } from "./memory/memory.ts"

/** How full a resource is; it may be filled by callers, by pages or by the passing of time. */
export interface Bound {
  /** The name used in the metrics and the handbook. */
  readonly name: string
  readonly used: number
  /** The upper limit. */
  readonly limit: number
  /** How many times something has been refused, closed or dropped because of this limit since startup; null if that is not counted. */
  readonly refused: number | null
}

/** The amount of one kind of data that callers have stored. */
export interface StoredBytes {
  readonly bytes: number
  /** The limit for all callers together; null if the limit isn't in bytes. */
  readonly most: number | null
}

export interface BoundedParts {
  readonly connections: Pick<Connections, "open" | "most" | "openOfAddress" | "ahead" | "cut">
  readonly gates: Gates
  readonly memory: Pick<Memory, "holdings"> & {
    readonly bodies: Pick<ArrivingBodies, "bytes" | "most" | "givenUp">
  }
  /** The use of the data folder's disk; null if unknown. */
  readonly disk: { readonly usedBytes: number; readonly mostBytes: number } | null
  /** Number of answered calls that can't be counted until the disk has room again. */
  readonly uncounted: Pick<Bound, "used" | "limit">
  /** Number of requests without a valid key, from the address that makes the most. */
  readonly keyless: Pick<KeylessBudget, "used" | "perMinute" | "refused">
  /** The bounds of features. */
  readonly ofFeatures: readonly Bound[]
  /** Bytes stored by the key that has stored the most, and the limit for one key. */
  readonly kept: Pick<Bound, "used" | "limit">
  /** Stored data, by kind. */
  readonly stored: ReadonlyMap<string, StoredBytes>
}

/** Every bound of this process, with its current value. */
export function boundsOf({
  connections,
  gates,
  memory,
  disk,
  uncounted,
  keyless,
  ofFeatures,
  kept,
  stored,
}: BoundedParts): readonly Bound[] {
  const { ahead, cut, most } = connections
  const cuts = (...reasons: Parameters<(typeof cut)["get"]>) =>
    reasons.reduce((sum, reason) => sum + (cut.get(reason) ?? 0), 0)
  const { searches, liveCalls, eventStreams } = gates
  const { bodies } = memory
  const held = [...memory.holdings()].map(([part, { held: used, total: limit, refused }]) => ({
    name: part === "all" ? "memory" : `memory-${part}`,
    used,
    limit,
    refused: part === "unsent" ? cuts("unsent") : refused,
  }))
  return [
    ...held,
    { name: "bodies", used: bodies.bytes, limit: bodies.most, refused: bodies.givenUp },
    { name: "connections", used: connections.open, limit: most.all, refused: cuts("full") },
    {
      name: "connections-per-address",
      used: connections.openOfAddress,
      limit: most.perAddress,
      refused: cuts("address"),
    },
    { name: "requests-ahead", used: ahead.longest, limit: ahead.most, refused: cuts("ahead") },
    { name: "keyless-requests", used: keyless.used, limit: keyless.perMinute, refused: keyless.refused },
    { name: "searches-running", used: searches.running, limit: searches.places, refused: null },
    { name: "searches-waiting", used: searches.waiting, limit: searches.queue, refused: searches.refused },
    { name: "live-calls", used: liveCalls.running, limit: liveCalls.places, refused: liveCalls.refused },
    {
      name: "event-streams",
      used: eventStreams.running,
      limit: eventStreams.places,
      refused: eventStreams.refused,
    },
    ...ofFeatures,
    { name: "calls-uncounted", ...uncounted, refused: null },
    ...(disk === null ? [] : [{ name: "disk", used: disk.usedBytes, limit: disk.mostBytes, refused: null }]),
    { name: "stored-per-key", ...kept, refused: null },
    ...[...stored].flatMap(([store, { bytes, most: limit }]) =>
      limit === null ? [] : [{ name: `stored-${store}`, used: bytes, limit, refused: null }],
    ),
  ]
}
