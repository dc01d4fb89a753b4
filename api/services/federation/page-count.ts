import type { Engine } from "#engine"

/** Milliseconds for which a count is valid. It need not be exact, because it only serves to compute the share of pages that contain a word. */
const FRESH_MS = 10_000

/** Number of pages in the index, counted at most every ten seconds, however many callers ask. */
export function pageCounter(engine: Pick<Engine, "stats">): () => Promise<number> {
  let counted: { readonly at: number; readonly pages: Promise<number> } | null = null
  return async () => {
    const now = performance.now()
    if (counted === null || now - counted.at > FRESH_MS) {
      const pages = engine.stats().then((stats) => stats.pages)
      const fresh = { at: now, pages }
      counted = fresh
      pages.catch(() => {
        if (counted === fresh) counted = null
      })
    }
    return await counted.pages
  }
}
