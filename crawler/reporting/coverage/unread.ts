import { steadyNow } from "#base/steady-time.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { hasPages, unreadByHost } from "../../crawl/frontier/source-pages.ts"

/** Pages of a source whose last visit failed, without those that are gone. */
export interface Unread {
  readonly source: string
  readonly pages: number
  /** The host of all of them, with its port; null: they are on several. */
  readonly host: string | null
}

/** Every search asks, and counting may take a while for a source with many of them. */
const KEPT_MS = 30_000

const counted = new WeakMap<StateStore, Map<string, { readonly at: number; readonly unread: Unread }>>()

/** Counts unread pages, source by source, as of half a minute ago at most. Sources without any are left out. */
export function unreadOf(db: StateStore, sources: readonly string[]): readonly Unread[] {
  const known = counted.get(db) ?? new Map<string, { readonly at: number; readonly unread: Unread }>()
  counted.set(db, known)
  const now = steadyNow()
  return sources.flatMap((source) => {
    let one = known.get(source)
    if (one === undefined || now - one.at > KEPT_MS)
      known.set(source, (one = { at: now, unread: unreadIn(db, source) }))
    return one.unread.pages === 0 ? [] : one.unread
  })
}

function unreadIn(db: StateStore, source: string): Unread {
  // Only the operator should learn that a source never answered.
  const hosts = hasPages(db, source) ? [...unreadByHost(db, source)] : []
  const pages = hosts.reduce((sum, [, count]) => sum + count, 0)
  return { source, pages, host: hosts.length === 1 ? hosts[0]![0] : null }
}
