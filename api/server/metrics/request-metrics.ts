import { Counter, Gauge, Histogram, type Registry } from "prom-client"

import { degradedCounts } from "#base/flow/degraded.ts"

import { counts } from "./load-metrics.ts"

/** Labels of a request that has ended. */
interface RequestLabels {
  readonly endpoint: string
  readonly method: string
  readonly status: string
  /** The depth of an answered search; null for other requests. */
  readonly depth: string | null
}

/** Called when a request begins; the returned function is called when it ends. */
export type BeginRequest = () => (labels: RequestLabels) => void

/** Bucket boundaries in seconds: from a word-only search to the longest crawl allowed. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150]

/** Durations, requests in flight, searches and degraded answers. */
export function registerRequests(registry: Registry): BeginRequest {
  const durations = new Histogram({
    name: "fossick_http_request_duration_seconds",
    help: "Time from the first byte of a request to the last byte of its answer.",
    labelNames: ["endpoint", "method", "status"],
    buckets: BUCKETS,
    registers: [registry],
  })
  const running = new Gauge({
    name: "fossick_http_requests_in_flight",
    help: "Requests being answered.",
    registers: [registry],
  })
  const searches = new Counter({
    name: "fossick_searches_total",
    help: "Searches answered, by depth.",
    labelNames: ["depth"],
    registers: [registry],
  })
  counts(
    registry,
    "fossick_degraded_answers_total",
    "Answers made without a part that was late, busy or broken, by part.",
    "part",
    degradedCounts,
  )
  return () => {
    const startedAt = performance.now()
    running.inc()
    return ({ depth, ...labels }) => {
      running.dec()
      durations.observe(labels, (performance.now() - startedAt) / 1000)
      if (depth !== null) searches.inc({ depth })
    }
  }
}
