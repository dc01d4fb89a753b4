import { setImmediate as nextTurn } from "node:timers/promises"
import type { Engine, Page, PageUrl } from "#engine"
import { EVERYBODY, narrowedBy, NOBODY, type Readers } from "#engine/index/page/readers.ts"
import type { Clock } from "#base/clock.ts"
import { Serial } from "#base/flow/serial.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { heldAfter, heldAmong, type MissedPage, missedPages } from "../../crawl/frontier/source-pages.ts"
import {
  countsFrom,
  identityOf,
  learnedReaders,
  lookersOf,
  type Observation,
  Observations,
  type ObservedSource,
} from "../../fetch/observe/observations.ts"
import { isRefusal } from "../../fetch/observe/one-observer.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import { ReaderRules } from "../../sources/readers/reader-rules.ts"

export interface NarrowUnseenOptions {
  readonly db: StateStore
  readonly engine: Pick<Engine, "withVectors" | "load">
  readonly source: ObservedSource
  /** The run that is ending. */
  readonly job: number
  readonly clock?: Clock | undefined
  /** Orders all writes to the index. Default: this is the only writer. */
  readonly writes?: Serial
}

/** Outcomes which, if another address is known, mean that the site shows something else in place of the page. */
const ELSEWHERE: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  "skipped:duplicate",
  "skipped:noindex",
  "skipped:out-of-scope",
  "skipped:robots",
  "skipped:soft-404",
])
/** Number of addresses examined at a time. */
const CHUNK = 500
/** Number of pages held in memory at a time. */
const BATCH = 50

/**
 * Narrows the readers of pages at the end of a run, including pages that the run didn't reach. Hides pages that the
 * site refuses to show to the source's own login. If an observer saw a page too long ago, the readers whom the observer
 * represents lose access to it. A page that no observer has visited gets the readers of the source's own login. Never
 * adds readers. Deletes observations of pages that the source no longer has. The caller has the index open for writing.
 * @returns how many pages were narrowed
 */
export async function narrowUnseen(options: NarrowUnseenOptions): Promise<number> {
  const { db, source, clock = Date.now, writes = new Serial() } = options
  const observations = new Observations(db, source)
  await observations.forgetOthers()
  await forgetUnheld(db, source.name, observations)
  if (lookersOf(source).length === 0) return 0
  const from = countsFrom(source, clock())
  let narrowed = await hideRefused({ ...options, observations })
  for (let after = ""; ;) {
    const held = await heldAfter(db, source.name, after, CHUNK)
    const last = held.at(-1)
    if (last === undefined) return narrowed
    const unseen = await observations.unseenAmong(held, from)
    for (let at = 0; at < unseen.length; at += BATCH) {
      const urls = unseen.slice(at, at + BATCH)
      narrowed += await writes.run(() => narrow(urls, from, { ...options, observations }))
    }
    after = last
    await nextTurn()
  }
}

type Narrowing = NarrowUnseenOptions & { readonly observations: Observations }

/** Hides pages that the site refused to show to the run. They reappear when a run can read them again. */
async function hideRefused(options: Narrowing): Promise<number> {
  const { db, job, writes = new Serial() } = options
  let hidden = 0
  for (let after = ""; ;) {
    const missed = await missedPages(db, job, after, CHUNK)
    const last = missed.at(-1)
    if (last === undefined) return hidden
    const urls = missed.filter(isKept).map(({ url }) => url)
    for (let at = 0; at < urls.length; at += BATCH)
      hidden += await writes.run(() => hide(urls.slice(at, at + BATCH), options))
    after = last.url
    await nextTurn()
  }
}

/** Whether the site clearly refuses to show the page to the source's login, or shows something else in its place. */
function isKept({ outcome, status, leadsTo, detail }: MissedPage): boolean {
  if (outcome === "failed:http-status")
    return isRefusal(status) || (status === null && /\blogin\b/.test(detail ?? ""))
  return outcome === "skipped:soft-404" || (leadsTo !== null && ELSEWHERE.has(outcome))
}

async function hide(
  urls: readonly PageUrl[],
  { db, engine, source, observations }: Narrowing,
): Promise<number> {
  const written = (await engine.withVectors(urls))
    .filter(({ page }) => !(page.readers ?? []).some((one) => one.source === source.name && isForNobody(one)))
    .map(({ page, vectors }) => ({ page: narrowedPage(page, source.name, NOBODY), vectors }))
  await write(written, { db, engine })
  for (const { page } of written) {
    const rows = await observations.of(page.url)
    await observations.keep(
      page.url,
      [...rows.values()].map((row) => ({
        ...row,
        shown: false,
        reason: "the site doesn't show it to the source's own login",
      })),
    )
  }
  return written.length
}

const isForNobody = ({ allow }: Readers): boolean => allow.some((list) => list.length === 0)

async function narrow(
  urls: readonly PageUrl[],
  from: number,
  { db, engine, source, observations, clock = Date.now }: Narrowing,
): Promise<number> {
  const pages = await engine.withVectors(urls)
  const kept: [PageUrl, Observation[]][] = []
  const written = []
  for (const { page, vectors } of pages) {
    const rows = countedRows(source, await observations.of(page.url), from, clock())
    kept.push([page.url, rows])
    written.push({ page: narrowedPage(page, source.name, learnedReaders(source, rows)), vectors })
  }
  await write(written, { db, engine })
  // The observations are saved after the pages: if the process ends in between, the next run narrows the pages again.
  for (const [url, rows] of kept) await observations.keep(url, rows)
  return written.length
}

/** One row for each observer, with its current weight. */
function countedRows(
  source: ObservedSource,
  known: ReadonlyMap<string, Observation>,
  from: number,
  now: number,
): Observation[] {
  return lookersOf(source).map((observer) => {
    const row = known.get(observer.name)
    if (row !== undefined && (!row.shown || row.at > from)) return row
    const seen = { observer: observer.name, identity: identityOf(observer), shown: false }
    return row === undefined
      ? { ...seen, reason: "has not looked yet", text: "", at: now }
      : { ...row, ...seen, reason: "was shown it too long ago" }
  })
}

/** A page with one source's readers narrowed; readers named by other sources are kept. */
function narrowedPage(page: Page, source: string, readers: Readers): Page {
  const { readers: all = [] } = page
  const own = all.find((one) => one.source === source) ?? EVERYBODY
  const others = all.filter((one) => one.source !== source)
  return { ...page, readers: [...others, { source, ...narrowedBy(own, readers) }] }
}

async function write(
  pages: Parameters<Engine["load"]>[0],
  { db, engine }: Pick<Narrowing, "db" | "engine">,
): Promise<void> {
  if (pages.length === 0) return
  await new ReaderRules(db).register(pages.map(({ page }) => page))
  await engine.load(pages)
}

/** Deletes observations of pages that the source no longer has. */
async function forgetUnheld(db: StateStore, source: string, observations: Observations): Promise<void> {
  for (let after = ""; ;) {
    const urls = await observations.pages(after, CHUNK)
    const last = urls.at(-1)
    if (last === undefined) return
    const held = await heldAmong(db, source, urls)
    const gone = urls.filter((url) => !held.has(url))
    if (gone.length > 0) await observations.forget(gone)
    after = last
    await nextTurn()
  }
}
