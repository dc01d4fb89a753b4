import { monitorEventLoopDelay } from "node:perf_hooks"

import { collectDefaultMetrics, Gauge, type Registry } from "prom-client"

import { fossickVersion } from "#base/fossick-version.ts"

/** Milliseconds between samples of the event loop's delay; each sample wakes the process, but runs no JavaScript. */
const EVENT_LOOP_MS = 20
/** The quantiles of the delay that are shown. */
const QUANTILES = [0.5, 0.99, 1]

/** The version of this process, and the resources it uses. */
export function registerProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS })
  registerDelay(registry)
  new Gauge({
    name: "fossick_build_info",
    help: "Always 1; the version is in the label.",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version: fossickVersion() }, 1)
}

/**
 * The delay of the event loop since the last scrape, which delays every response. The library's own figures include the
 * time between samples, so they never fall below that time.
 */
function registerDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: EVENT_LOOP_MS })
  delays.enable()
  const gauge: Gauge = new Gauge({
    name: "fossick_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape: 0.5 is the median, 1 the maximum.",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) {
        const late = delays.count === 0 ? 0 : delays.percentile(quantile * 100) / 1e6 - EVENT_LOOP_MS
        gauge.set({ quantile }, Math.max(0, late) / 1000)
      }
      delays.reset()
    },
  })
}
