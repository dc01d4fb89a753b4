import { hash } from "node:crypto"

import { Refusal } from "#base/errors.ts"
import { countedDegraded } from "#base/flow/degraded.ts"
import { type Engine, type Page, type PageUrl, sourcesOf } from "#engine"
import { readersLabel } from "#engine/index/page/readers.ts"
import { pageHash } from "#crawler/page/page-hash.ts"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { pagesOf } from "#crawler/crawl/frontier/source-pages.ts"
import { addressPatterns } from "#crawler/crawl/scope/globs.ts"

import type { ApiKey, KeyStore } from "../../identity/accounts/keys/keys.ts"
import { pageTest, scopedPage } from "../../identity/accounts/reach/scoped-pages.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { DOUBTFUL } from "../misses/miss-threshold.ts"
import type { ReadQuestion, SavedQuestion, SeenPage, Watch } from "./watch.ts"
import { Differences } from "./differences.ts"
import type { Found, Note, WatchStore } from "./store/watch-store.ts"

export interface LookParts {
  readonly store: WatchStore
  readonly engine: Pick<Engine, "get" | "stats">
  readonly keys: Pick<KeyStore, "byId">
  /** The current scope of a key. */
  readonly reachOf: (key: ApiKey) => Pick<Reach, "engine" | "limits" | "keepsOut" | "names">
  readonly readQuestion: (
    search: Parameters<ReadQuestion>[0],
    names: Parameters<ReadQuestion>[2],
  ) => Promise<SavedQuestion>
}

/** Number of a question's results that are checked. */
const MOST_HITS = 50
/** Number of pages of a first check that are stored at once. */
const STRETCH = 50
/** Milliseconds after which the index is trusted if a page's crawl and the index still disagree. */
const SETTLED_MS = 60_000
/** How long to wait for vectors, and to keep repeating a question that can only be answered in part. */
const VECTORS_MS = 10 * 60_000
/** Thrown when a question couldn't be answered in full: the missing pages would be reported as changes, so it has to be asked again. */
export class NotYet extends Error {}
/** Number of notes processed at once. */
export const MOST_NOTES = 200

/**
 * A watch's first check: pages that already exist are not reported as new. Continues where an earlier process stopped.
 * Changes in the meantime are noted and checked afterwards.
 */
export async function lookFirst(watch: Watch, parts: LookParts, signal: AbortSignal): Promise<void> {
  const { store } = parts
  // The check continues automatically when there is room again.
  if (!(await store.hasRoom(watch.key))) return
  const from = await store.lookedTo(watch.id)
  const urls = (await firstPages(watch, parts, signal)).toSorted().filter((url) => url > from)
  for (let at = 0; at < urls.length || at === 0; at += STRETCH) {
    if (signal.aborted || !(await store.hasRoom(watch.key))) return
    const stretch = urls.slice(at, at + STRETCH)
    const pages = await Promise.all(stretch.map((url) => parts.engine.get(url)))
    const reach = await reachFor(watch, parts)
    const limits = reach && (await reach.limits())
    const seen = pages.flatMap((page) => {
      const shown = page === null || reach === null ? null : scopedPage(page, limits)
      return shown === null ? [] : [seenAs(shown)]
    })
    await store.keepFirst(watch.id, seen, stretch.at(-1) ?? from, at + STRETCH >= urls.length)
  }
}

async function firstPages(
  { subject, key, ...watch }: Watch,
  parts: LookParts,
  signal: AbortSignal,
): Promise<readonly PageUrl[]> {
  if (subject.kind === "page") return subject.urls
  if (subject.kind === "source") {
    const fits = patternsOf(subject)
    return (await pagesOf(parts.store.db, subject.source)).filter(fits)
  }
  return [...(await hitsOf({ subject, key, ...watch }, watch.createdAt.getTime(), parts, signal))]
}

/** Whether the noted changes can be checked: index readers see them, and they have vectors if questions are watched. */
export async function settledNotes(
  notes: readonly Note[],
  watches: readonly Watch[],
  { store, engine }: LookParts,
  now: number,
): Promise<readonly Note[]> {
  if (notes.length === 0) return []
  const known = new KnownAddresses(store.db)
  const settled: Note[] = []
  const waitsForVectors =
    watches.some(({ subject }) => subject.kind === "question") &&
    (await engine.stats()).pagesWithoutVectors > 0
  const agreed = new Map<PageUrl, boolean>()
  for (const note of notes) {
    const age = now - note.at
    if (waitsForVectors && age < VECTORS_MS) continue
    if (age < SETTLED_MS) {
      const isAgreed = agreed.get(note.url) ?? (await isSettled(note.url, known, engine))
      agreed.set(note.url, isAgreed)
      if (!isAgreed) continue
    }
    settled.push(note)
  }
  return settled
}

async function isSettled(url: PageUrl, known: KnownAddresses, engine: Pick<Engine, "get">): Promise<boolean> {
  const hashes = (await known.all(url)).flatMap((one) => one.hash ?? [])
  const page = await engine.get(url)
  if (page === null || hashes.length === 0) return page === null && hashes.length === 0
  return hashes.includes(pageHash(page))
}

/**
 * The changes to pages since each watch last checked them. Stores nothing itself.
 * @param since when the first change was noted: questions that can't be asked in full are asked again for a while
 * @throws NotYet
 */
export async function look(
  urls: readonly PageUrl[],
  since: number,
  watches: readonly Watch[],
  parts: LookParts,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const pages = new Map<PageUrl, Page | null>()
  for (const url of urls) pages.set(url, await parts.engine.get(url))
  const found: Found[] = []
  const differences = new Differences(parts.store.texts, signal)
  for (const watch of watches) {
    const reach = await reachFor(watch, parts)
    // The key is no longer valid, so nothing may be sent.
    if (reach === null) continue
    const limits = await reach.limits()
    const mayTell = limits === null ? () => true : pageTest(limits)
    const matches = await matcherOf(watch, since, parts, signal)
    for (const [url, page] of pages) {
      const before = await parts.store.seen(watch.id, url)
      const shown = page && scopedPage(page, limits)
      const filed = before !== null && page !== null ? refiled(watch, before, page) : null
      // For a page that the key can no longer see, nothing may reveal whether it exists.
      if (page !== null && shown === null) {
        if (filed !== null) found.push(filed)
        continue
      }
      if (before !== null && page === null && !mayTell(url, before.sources, before.readers)) continue
      const matching = shown !== null && matches(shown, before) ? shown : null
      const one = await compare(watch, url, { before, page: matching }, differences)
      const kept = one ?? filed
      if (kept !== null) found.push(kept)
    }
  }
  return found
}

/** Updates the readers of a page in the watch's record; they decide who learns that the page is gone. `null` if they have not changed. */
function refiled({ id: watch }: Watch, before: SeenPage, { url, readers }: Page): Found | null {
  if (readersLabel(before.readers) === readersLabel(readers)) return null
  return { watch, url, entry: null, seen: { ...before, readers, text: null }, before: before.hash }
}

async function compare(
  { id: watch, changes }: Watch,
  url: PageUrl,
  { before, page }: { readonly before: SeenPage | null; readonly page: Page | null },
  differences: Differences,
): Promise<Found | null> {
  if (page === null) {
    if (before === null) return null
    const { title, sources, readers } = before
    const entry = { change: "gone", title, sources, readers, diff: null } as const
    return { watch, url, entry: changes.includes("gone") ? entry : null, seen: null, before: before.hash }
  }
  const seen = seenAs(page)
  if (seen.hash === before?.hash) return null
  const change = before === null ? "new" : "changed"
  if (!changes.includes(change)) return { watch, url, entry: null, seen, before: before?.hash ?? null }
  const { title, sources, readers } = seen
  const diff = before === null ? null : await differences.between(before.hash, seen)
  return { watch, url, entry: { change, title, sources, readers, diff }, seen, before: before?.hash ?? null }
}

/** Returns a test for the pages that a watch is about. */
async function matcherOf(
  watch: Watch,
  since: number,
  parts: LookParts,
  signal: AbortSignal,
): Promise<(page: Page, before: SeenPage | null) => boolean> {
  const { subject } = watch
  if (subject.kind === "page") return ({ url }) => subject.urls.includes(url)
  if (subject.kind === "source") {
    const fits = patternsOf(subject)
    return (page) => sourcesOf(page).includes(subject.source) && fits(page.url)
  }
  const hits = await hitsOf(watch, since, parts, signal)
  // A page that was found once stays watched, even if other pages push it out of the results.
  return ({ url }, before) => before !== null || hits.has(url)
}

async function hitsOf(
  watch: Watch,
  since: number,
  parts: LookParts,
  signal: AbortSignal,
): Promise<ReadonlySet<PageUrl>> {
  const reach = await reachFor(watch, parts)
  if (reach === null || watch.subject.kind !== "question") return new Set()
  try {
    const { query, results } = await parts.readQuestion(watch.subject.search, reach.names)
    const limit = results ?? MOST_HITS
    const degraded = countedDegraded()
    const { hits } = await degraded.collect(() =>
      reach.engine.search({ ...query, limit, passagesPerPage: 1, withMarkdown: false }, { signal }),
    )
    if (degraded.hasOtherPages && Date.now() - since < VECTORS_MS) throw new NotYet()
    return new Set(hits.filter(({ score }) => score >= DOUBTFUL).map(({ url }) => url))
  } catch (error) {
    // A source or collection named in the watch may no longer exist.
    if (error instanceof Refusal && error.because === "wrong") return new Set()
    throw error
  }
}

async function reachFor({ key }: Pick<Watch, "key">, { keys, reachOf }: LookParts) {
  const holder = await keys.byId(key)
  return holder && reachOf(holder)
}

function patternsOf(subject: {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}): (url: PageUrl) => boolean {
  const { include, exclude } = subject
  const isIncluded = include.length === 0 ? () => true : addressPatterns("include", include)
  const isExcluded = exclude.length === 0 ? () => false : addressPatterns("exclude", exclude)
  return (url) => isIncluded(url) && !isExcluded(url)
}

function seenAs(page: Page): SeenPage & { readonly text: string } {
  const { url, title, markdown } = page
  const text = `# ${title}\n\n${markdown.trim()}\n`
  return {
    url,
    title,
    text,
    sources: sourcesOf(page),
    readers: page.readers,
    hash: hash("sha256", text, "base64url"),
  }
}
