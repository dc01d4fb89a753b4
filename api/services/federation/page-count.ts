import type { Engine } from "#engine"

/** So long a count is good for: of words it is their share that matters. */
const FRESH_MS = 10_000

/** How many pages the index has, counted no more often than every ten seconds, however many ask. */
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
