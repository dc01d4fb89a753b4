import { Gauge, type Registry } from "prom-client"

import type { Engine, EngineStats } from "#engine"
import { secondsLeft } from "#engine/lifecycle/filling/filling-rate.ts"

export interface IndexParts {
  readonly engine: Pick<Engine, "stats">
  /** Problems with the index; left out if they cannot be determined. */
  readonly indexState?:
    | { wordsAlone(): boolean; notReranked(): boolean; lostPages(): Promise<number> }
    | undefined
}

/** Pages, passages and vectors, and problems with the index. @returns a function that updates the gauges */
export function registerIndex(registry: Registry, { engine, indexState }: IndexParts): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const up = gauge("fossick_index_up", "1 while the index can be read.")
  const wordsAlone = gauge(
    "fossick_index_words_alone",
    "1 while searches use words alone because the vectors, their model or its server don't work.",
  )
  const notReranked = gauge(
    "fossick_index_not_reranked",
    "1 while the configured reranker isn't answering and searches are ranked without it.",
  )
  const lost = gauge("fossick_index_lost_pages", "Pages lost with damaged files and not yet read again.")
  const gauges: readonly (readonly [Gauge, (stats: EngineStats) => number])[] = [
    [gauge("fossick_index_pages", "Pages in the index."), (stats) => stats.pages],
    [gauge("fossick_index_passages", "Passages of the pages in the index."), (stats) => stats.passages],
    [
      gauge("fossick_index_pages_without_vectors", "Pages found by words alone until they are embedded."),
      (stats) => stats.pagesWithoutVectors,
    ],
    [
      gauge("fossick_index_passages_without_vectors", "Passages of those pages."),
      (stats) => stats.passagesWithoutVectors,
    ],
    [
      gauge("fossick_vectors_per_second", "Passages embedded per second, over the last minute."),
      (stats) => stats.vectorsPerSecond ?? 0,
    ],
    [
      gauge(
        "fossick_vectors_seconds_left",
        "Seconds until all passages are embedded, at the current rate; NaN while unknown.",
      ),
      (stats) => secondsLeft(stats) ?? Number.NaN,
    ],
  ]
  return async () => {
    wordsAlone.set(indexState?.wordsAlone() ? 1 : 0)
    notReranked.set(indexState?.notReranked() ? 1 : 0)
    lost.set((await indexState?.lostPages()) ?? 0)
    const stats = await engine.stats().catch(() => null)
    up.set(stats === null ? 0 : 1)
    if (stats === null) return
    for (const [one, value] of gauges) one.set(value(stats))
  }
}
