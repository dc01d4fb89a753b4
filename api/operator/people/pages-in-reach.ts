import { sharing } from "#base/flow/sharing.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { Engine, PagesOfReaders } from "#engine"

import type { PageLimits } from "../../identity/accounts/reach/scoped-pages.ts"

/** Milliseconds for which counts are reused: counting walks the whole index, and several screens are often opened in succession. */
const FRESH_MS = 5000

/** Page counts by readers, at most a few seconds old. */
export class PageCounts {
  readonly #count: () => Promise<readonly PagesOfReaders[]>
  #counts: readonly PagesOfReaders[] = []
  #countedAt = -Infinity

  constructor(engine: Pick<Engine, "pagesByReaders">) {
    this.#count = sharing(async () => {
      this.#counts = await engine.pagesByReaders()
      this.#countedAt = steadyNow()
      return this.#counts
    })
  }

  async now(): Promise<readonly PagesOfReaders[]> {
    return steadyNow() - this.#countedAt < FRESH_MS ? this.#counts : await this.#count()
  }
}

export interface SourceReach {
  readonly pages: number
  /** Number of pages that this reader may see. */
  readonly readable: number
}

/** How many pages of each source a reader may see. A page with several sources is counted for each of them. */
export function reachBySource(
  counts: readonly PagesOfReaders[],
  limits: PageLimits | null,
): ReadonlyMap<string, SourceReach> {
  const sees = testOf(limits)
  const found = new Map<string, { pages: number; readable: number }>()
  for (const row of counts) {
    const isSeen = sees(row)
    for (const name of row.sources) {
      const reach = found.get(name) ?? { pages: 0, readable: 0 }
      found.set(name, reach)
      reach.pages += row.pages
      if (isSeen) reach.readable += row.pages
    }
  }
  return found
}

/** How many pages in total a reader may see. */
export function reachOfAll(counts: readonly PagesOfReaders[], limits: PageLimits | null): SourceReach {
  const sees = testOf(limits)
  const sum = (rows: readonly PagesOfReaders[]) => rows.reduce((total, { pages }) => total + pages, 0)
  return { pages: sum(counts), readable: sum(counts.filter(sees)) }
}

/** @param isOpen whether the source admits the reader; this decides only while the source has no pages */
export const reachName = ({ pages, readable }: SourceReach, isOpen: boolean): "all" | "some" | "none" =>
  pages === 0 ? (isOpen ? "all" : "none") : readable === pages ? "all" : readable === 0 ? "none" : "some"

function testOf(limits: PageLimits | null): (row: PagesOfReaders) => boolean {
  if (limits === null) return () => true
  const { sources, readable } = limits
  const listed = sources && new Set(sources)
  const hidden = new Set(readable?.hidden)
  const labels = readable && new Set(readable.labels)
  return (row) =>
    (listed === null || row.sources.some((name) => listed.has(name))) &&
    !row.sources.some((name) => hidden.has(name)) &&
    (row.label === null || labels === null || labels.has(row.label))
}
