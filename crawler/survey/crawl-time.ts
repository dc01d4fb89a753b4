/** What decides how long a crawl takes. */
export interface CrawlPace {
  readonly pages: number
  /** Milliseconds between two requests to the host. */
  readonly delayMs: number
  /** Pages read at the same time. */
  readonly concurrency: number
  /** Milliseconds that a page takes, as measured. */
  readonly pageMs: number
}

/** Seconds that a full crawl of one host takes: a pause for each page, or the page itself where that takes longer. */
export function crawlSeconds({ pages, delayMs, concurrency, pageMs }: CrawlPace): number {
  return Math.ceil((pages * Math.max(delayMs, pageMs / Math.max(1, concurrency))) / 1000)
}
