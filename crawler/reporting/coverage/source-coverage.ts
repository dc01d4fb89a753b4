import type { StateStore } from "#base/store/state-store.ts"
import { scopeText } from "../../crawl/discovery/discovery.ts"
import { keptOutCounts, leadsDeeper, oldestLook } from "../../crawl/frontier/kept-out/kept-out.ts"
import { cutOffPages, lastCheckOf, pageCount } from "../../crawl/frontier/source-pages.ts"
import { type Job, undoneIn } from "../../job.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import { landingsOf } from "../../jobs/landings.ts"
import { wasWhole } from "../../jobs/source-runs.ts"
import { pagesIn } from "../../outcome-name.ts"
import { isLoginError } from "../../fetch/login/login-error.ts"
import { membership } from "../../crawl/scope/scope.ts"
import type { Source } from "../../source.ts"
import type { SourceTable } from "../../sources/source-table.ts"
import { causeOfOutcome, type MissCause } from "../why/cause.ts"
import type { Incomplete } from "./incomplete.ts"

/** The part of a source that is in the index, according to its runs. */
export interface SourceCoverage {
  readonly name: string
  /** The source as declared, or otherwise as last crawled. */
  readonly source: Source | null
  readonly pages: number
  /** When a visit last reached one of the source's pages; null if never. */
  readonly checkedAt: Date | null
  /** The time as of which the index contains everything that the source's rules allow; null if it is not complete, or if this is unknown. */
  readonly completeAsOf: Date | null
  /** Why the source is not complete; null if it is. */
  readonly incomplete: Incomplete | null
  /** The number of visited addresses that are not pages in the index, by cause. */
  readonly keptOut: ReadonlyMap<MissCause, number>
  /** The number of pages that were complete although their responses were cut off. */
  readonly cutOff: number
}

/** The maximum number of pages at the greatest depth whose links are searched. */
const MOST_DEEP = 2000

/** Facts that take a long time to determine, and do not change until the next run. */
interface Scanned {
  readonly oldest: number | null
  readonly leadsDeeper: boolean | null
  readonly cutOff: number
}

/** A scan for these facts, which may be in progress. */
interface Scan {
  readonly run: number
  readonly found: Promise<Scanned>
}

const scans = new WeakMap<StateStore, Map<string, Scan>>()

/** How much of a source is in the index. */
export async function sourceCoverage(
  name: string,
  { db, jobs, sources }: { readonly db: StateStore; readonly jobs: Jobs; readonly sources: SourceTable },
): Promise<SourceCoverage> {
  const [last = null] = await jobs.list({ source: name, limit: 1 })
  const keptOut = new Map<MissCause, number>()
  for (const { outcome, status, count } of await keptOutCounts(db, name)) {
    const cause = causeOfOutcome(outcome, status)
    keptOut.set(cause, (keptOut.get(cause) ?? 0) + count)
  }
  const declared = (await sources.get(name))?.source ?? null
  const incomplete = await whyIncomplete(last, declared, keptOut, db)
  const oldest = incomplete === null && last !== null ? (await scanOf(last, db)).oldest : null
  const began = last?.startedAt?.getTime() ?? null
  return {
    name,
    source: declared ?? last?.source ?? null,
    pages: await pageCount(db, name),
    checkedAt: await lastCheckOf(db, name),
    completeAsOf: oldest === null || began === null ? null : new Date(Math.min(oldest, began)),
    incomplete,
    keptOut,
    cutOff: last?.state === "finished" ? (await scanOf(last, db)).cutOff : 0,
  }
}

/** Scans only once per run, however many callers ask at the same time. */
function scanOf({ id, source }: Pick<Job, "id" | "source">, db: StateStore): Promise<Scanned> {
  const known = scans.get(db) ?? new Map<string, Scan>()
  scans.set(db, known)
  const before = known.get(source.name)
  if (before?.run === id) return before.found
  const scan: Scan = { run: id, found: scanned(source, db) }
  known.set(source.name, scan)
  scan.found.catch(() => known.get(source.name) === scan && known.delete(source.name))
  return scan.found
}

async function scanned(source: Source, db: StateStore): Promise<Scanned> {
  const isMember = membership(source, await landingsOf(db, source.name))
  return {
    oldest: await oldestLook(db, source.name),
    cutOff: (await cutOffPages(db, source.name)).length,
    leadsDeeper: await leadsDeeper(db, source.name, source.limits.depth, isMember, MOST_DEEP),
  }
}

async function whyIncomplete(
  last: Job | null,
  declared: Source | null,
  keptOut: ReadonlyMap<MissCause, number>,
  db: StateStore,
): Promise<Incomplete | null> {
  if (last === null) return "never-run"
  const { state, source, error, outcomes, note } = last
  if (state === "running" || state === "queued" || state === "paused") return "running"
  if (state === "failed") return isLoginError(error) ? "login-failed" : "failed"
  if (state === "cancelled") return "cancelled"
  if (declared !== null && scopeText(declared) !== scopeText(source)) return "rules-changed"
  const { endedAtLimit, leftAddresses } = undoneIn(note)
  if (pagesIn(outcomes) >= source.limits.pages || endedAtLimit) return "limit"
  if (keptOut.has("login-failed")) return "login-failed"
  const left: readonly MissCause[] = ["unreachable", "lost", "not-crawled"]
  if (left.some((cause) => keptOut.has(cause)) || leftAddresses) return "unread"
  if (last.result === "failed") return "failed"
  if (!(await wasWhole(db, last.id))) return "unfollowed"
  return (await scanOf(last, db)).leadsDeeper === false ? null : "depth"
}
