import { steadyNow } from "#base/steady-time.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { hasPages, unreadByHost } from "../../crawl/frontier/source-pages.ts"

/** Pages of a source whose last visit failed, except those that no longer exist. */
export interface Unread {
  readonly source: string
  readonly pages: number
  /** The host of all these pages, with its port; null if they are on several hosts. */
  readonly host: string | null
}

/** How long a count is cached: every search needs it, and counting can take a while for a source with many unread pages. */
const KEPT_MS = 30_000

/** A source's count, finished or in progress. */
interface Counted {
  readonly at: number
  readonly unread: Promise<Unread>
}

const counted = new WeakMap<StateStore, Map<string, Counted>>()

/** Counts unread pages by source. Counts are at most half a minute old. Sources without unread pages are left out. */
export async function unreadOf(db: StateStore, sources: readonly string[]): Promise<readonly Unread[]> {
  const known = counted.get(db) ?? new Map<string, Counted>()
  counted.set(db, known)
  const all = await Promise.all(sources.map((source) => countedOf(db, source, known)))
  return all.filter(({ pages }) => pages > 0)
}

/** Counts the unread pages of a source once, however many callers ask at the same time. */
function countedOf(db: StateStore, source: string, known: Map<string, Counted>): Promise<Unread> {
  const now = steadyNow()
  const before = known.get(source)
  if (before !== undefined && now - before.at <= KEPT_MS) return before.unread
  const one: Counted = { at: now, unread: unreadIn(db, source) }
  known.set(source, one)
  one.unread.catch(() => known.get(source) === one && known.delete(source))
  return one.unread
}

async function unreadIn(db: StateStore, source: string): Promise<Unread> {
  // Only the operator may learn that a source never responded.
  const hosts = (await hasPages(db, source)) ? [...(await unreadByHost(db, source))] : []
  const pages = hosts.reduce((sum, [, count]) => sum + count, 0)
  return { source, pages, host: hosts.length === 1 ? hosts[0]![0] : null }
}
