import type { Revisit } from "../../source.ts"

/** The result of a visit, compared with what the index holds. */
export type Ending =
  /** A page that is new, or differs from the one the index held. */
  | "changed"
  /** The same page as in the index. */
  | "same"
  /** No page, though the index contains one. */
  | "lost"
  /** No page, and none in the index, for a reason that may be temporary: no answer, or a server error. */
  | "failed"
  /** No page, and none in the index: not found, excluded, or another page's address. */
  | "none"

/** How often an address is visited. Times in milliseconds. */
export interface Rhythm {
  /** Time from a visit that found a page to the next. */
  readonly intervalMs: number
  /** Number of visits in a row that found no page. */
  readonly misses: number
}

export interface EndedVisit {
  readonly at: number
  readonly ending: Ending
  /** When the page was last changed, according to its Last-Modified header. */
  readonly changedAt: number | null
  /** The same, according to its sitemap. */
  readonly listedAt: number | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** RFC 9111 §4.2.2 suggests a tenth of a page's age as the time for which it can be considered fresh. */
const FRESH_SHARE = 0.1
const MAX_FIRST_MS = 7 * DAY_MS
const GROWTH = 1.5
/** One visit does not lengthen the interval by more than this, however long ago the previous visit was. */
const MAX_GROWTH = 4
/**
 * A page is due a little early, so that a daily run finds pages that the previous run read a few minutes after its
 * start.
 */
const EARLY_SHARE = 0.1

/**
 * When to visit an address again:
 * - first after a day, or after a tenth of the page's age if the site states it (a week at most);
 * - after half the interval if the page changed, after one and a half times the interval if not, within the source's
 * bounds;
 * - a page that a sitemap dates before this visit waits for the longest interval: a newer date makes it due at once. If
 * the sitemap missed a change just found, because its date is older than the previous visit, its dates are ignored;
 * - without a page, after `minHours`, doubled with each further miss: up to a day while the index holds the page or the
 * reason may be temporary, otherwise from a day up to the longest interval.
 */
export function nextVisit(
  rules: Revisit,
  before: (Rhythm & { readonly visitedAt: number }) | null,
  visit: EndedVisit,
): Rhythm & { readonly dueAt: number } {
  const min = rules.minHours * HOUR_MS
  const max = Math.max(min, rules.maxHours * HOUR_MS)
  const within = (ms: number) => Math.round(Math.min(Math.max(ms, min), max))
  const due = (ms: number) => visit.at + Math.round(ms * (1 - EARLY_SHARE))

  if (visit.ending === "changed" || visit.ending === "same") {
    const intervalMs = within(interval(before, visit))
    // A sitemap that missed the change just found may miss the next one too.
    const hasMissed =
      visit.ending === "changed" && before !== null && (visit.listedAt ?? 0) <= before.visitedAt
    const isListedBefore = visit.listedAt !== null && visit.listedAt <= visit.at && !hasMissed
    return { intervalMs, misses: 0, dueAt: due(isListedBefore ? max : intervalMs) }
  }
  const misses = (before?.misses ?? 0) + 1
  const intervalMs = before?.intervalMs ?? within(DAY_MS)
  const wait = (visit.ending === "none" ? DAY_MS : min) * 2 ** Math.min(misses - 1, 30)
  const bound = visit.ending === "none" ? max : Math.min(DAY_MS, max)
  return { intervalMs, misses, dueAt: due(Math.max(min, Math.min(wait, bound))) }
}

function interval(before: (Rhythm & { readonly visitedAt: number }) | null, visit: EndedVisit): number {
  if (!before) {
    if (visit.changedAt === null || visit.changedAt > visit.at) return DAY_MS
    return Math.min((visit.at - visit.changedAt) * FRESH_SHARE, MAX_FIRST_MS)
  }
  const away = Math.max(0, visit.at - before.visitedAt)
  // If a page has not changed a minute after the previous visit, that proves nothing.
  if (visit.ending === "same") {
    return Math.max(before.intervalMs, Math.min(away * GROWTH, before.intervalMs * MAX_GROWTH))
  }
  return Math.min(before.intervalMs, away) / 2
}
