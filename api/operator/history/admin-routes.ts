import type { Router } from "@koa/router"

import { diskOf } from "#base/disk-space.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"

import type { RequestState } from "../../context.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { type History, type KeptSample, memoryBytes, STEP_MS } from "./history.ts"
import { quantile, together } from "./latencies.ts"
import { historyOperations } from "./operations.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The maximum number of points: a chart can't show more of them distinctly. */
const MOST_POINTS = 168

/** How the appliance performed over time, and how long ago its pages were checked: `/admin/history`, `/admin/freshness`. */
export function historyRoutes(
  router: Router<RequestState>,
  {
    history,
    db,
    engineConfig: { dataDir },
  }: {
    readonly history: History
    readonly db: StateStore
    readonly engineConfig: { readonly dataDir: string }
  },
): void {
  serve(router, historyOperations.history, async ({ query: { hours } }) => {
    const now = await history.now()
    const step = Math.ceil((hours * HOUR_MS) / MOST_POINTS / STEP_MS) * STEP_MS
    // The slots are the same for every request, so that a chart does not jitter.
    const last = Math.floor(now.at / step) * step
    const from = last + step - Math.ceil((hours * HOUR_MS) / step) * step
    const slots = new Map<number, KeptSample[]>()
    for (const sample of [...(await history.since(from)), now]) {
      const slot = Math.floor((sample.at - 1) / step) * step
      slots.set(slot, [...(slots.get(slot) ?? []), sample])
    }
    return {
      hours,
      from: new Date(from).toISOString(),
      to: new Date(now.at).toISOString(),
      step_seconds: step / 1000,
      memory_bytes: memoryBytes(),
      disk_bytes: diskOf(dataDir)?.totalBytes ?? null,
      points: [...slots].map(([slot, samples]) => pointOf(slot, samples)),
    }
  })

  serve(router, historyOperations.freshness, () => freshnessOf(db, Date.now()))
}

/** Totals over all steps, and the state at the end. */
function pointOf(slot: number, samples: readonly KeptSample[]) {
  const sum = (of: (sample: KeptSample) => number) => samples.reduce((all, sample) => all + of(sample), 0)
  const latencies = together(samples.map((sample) => sample.latencies))
  const end = samples.at(-1)!
  return {
    at: new Date(slot).toISOString(),
    seconds: sum(({ seconds }) => seconds),
    visits: sum(({ visits }) => visits),
    failed_visits: sum(({ failedVisits }) => failedVisits),
    answered: sum(({ answered }) => answered),
    refused: sum(({ refused }) => refused),
    failed: sum(({ failed }) => failed),
    median_ms: quantile(latencies, 0.5),
    slow_ms: quantile(latencies, 0.95),
    pages: end.pages,
    passages: end.passages,
    process_memory_bytes: end.processBytes,
    memory_free_bytes: end.memoryFreeBytes,
    disk_free_bytes: end.diskFreeBytes,
  }
}

/** Number of pages in the index, by how long ago a crawl last checked them. */
async function freshnessOf(db: StateStore, now: number) {
  const { pages, since, oldest } = await new KnownAddresses(db).lookedAtSince(
    [1, 7, 30].map((days) => now - days * DAY_MS),
  )
  const [day = 0, week = 0, month = 0] = since
  return {
    pages,
    within_day: day,
    within_week: week,
    within_month: month,
    oldest_at: oldest?.toISOString() ?? null,
  }
}
