import { breather } from "#base/flow/breather.ts"
import type { Engine, EngineStats, PageWithVectors } from "../../engine.ts"
import { type PageUrl, pageId } from "../../index/page/page-url.ts"
import { PagesToLoad } from "../../pages-to-load.ts"
import type { ExportHeader, ExportTotals } from "./format/export-format.ts"
import { PageDigests } from "./page-digests.ts"
import { type ExportedPage, pageDigest, toExported } from "./format/exported-page.ts"
import type { ExportReader } from "./format/read-export.ts"

/** Tolerance for unit vectors that went through another engine's number format. */
const SAME_WITHIN = 1e-6
const REMOVED_AT_A_TIME = 200
/** Number of differences that are listed; the others are only counted. */
const NAMED = 10

export interface ImportOptions {
  /** Whether to remove the pages that aren't in the export. Default false: they are kept. */
  readonly replace?: boolean
  readonly signal?: AbortSignal
  /** Maximum number of pages written together; after a crash, an import repeats at most this many. Default: 1000 */
  readonly pagesAtATime?: number
  /** Called with each page in the export before it is written. */
  readonly onPage?: (page: ExportedPage) => Promise<void>
  /** Called with the number of pages in the export processed so far. */
  readonly onProgress?: (pages: number) => void
  /** Called during the comparison at the end, with the number of pages in the index compared so far. */
  readonly onCompare?: (pages: number) => void
}

export interface ImportResult {
  readonly totals: ExportTotals
  readonly written: number
  /** Number of pages already there with the same content and vectors. */
  readonly unchanged: number
  /** Number of pages in the index that aren't in the export; removed if that was requested. */
  readonly others: number
  /** Number of pages whose vectors must be recreated. */
  readonly withoutVectors: number
  readonly differences: Differences
}

/** How the index differs from the export after the import; all zero when nothing went wrong. */
export interface Differences {
  /** Pages in the export that are missing from the index: their number, and the ids of some. */
  readonly missing: { readonly count: number; readonly ids: readonly string[] }
  /** Pages that differ from the export: their number, and the addresses of some. */
  readonly changed: { readonly count: number; readonly urls: readonly PageUrl[] }
  /** How many more, or fewer, pages the index counts than it returns. */
  readonly uncounted: number
  /** How many more, or fewer, passages the exported pages have here: another version of Fossick might split them differently. */
  readonly passages: number
}

/** Whether the vectors of an export can be used in an index. */
export const fits = (header: ExportHeader, { embedder, dimensions }: EngineStats): boolean =>
  header.embedder === embedder && header.dimensions === dimensions

/**
 * Imports the pages of an export into an index, and compares the two at the end. Pages that are already the same as in
 * the export aren't written again, so an interrupted import is continued by running it again. Vectors from another
 * model are left out; the index creates its own.
 *
 * @throws ExportFileError; the pages read before that are in the index
 */
export async function importPages(
  engine: Engine,
  reader: ExportReader,
  { replace = false, signal, pagesAtATime, onPage, onProgress, onCompare }: ImportOptions = {},
): Promise<ImportResult> {
  const before = await engine.stats()
  const takesVectors = fits(reader.header, before)
  await using theirs = new Ahead(engine, before.pages === 0, signal)
  const digests = new PageDigests()
  const breathe = breather()
  let written = 0
  const fresh = new PagesToLoad(engine, pagesAtATime)
  try {
    for await (const pages of reader.pages()) {
      signal?.throwIfAborted()
      for (const page of pages) {
        await breathe()
        digests.add(page)
        await onPage?.(page)
        const vectors = takesVectors ? page.vectors : null
        const there = await theirs.at(page.id)
        if (there && isSame(there, { ...page, vectors })) continue
        fresh.add({ page: page.page, vectors })
        if (fresh.isFull) written += await fresh.load()
      }
      onProgress?.(digests.size)
    }
  } finally {
    // Also includes the pages read from a file that is damaged further on.
    written += await fresh.load()
  }
  const totals = reader.totals!
  const { others, differences } = await compare(engine, digests, totals, {
    replace,
    ...(signal && { signal }),
    ...(onCompare && { onCompare }),
  })
  const { pagesWithoutVectors: withoutVectors } = await engine.stats()
  return { totals, written, unchanged: totals.pages - written, others, withoutVectors, differences }
}

/** Iterates over the pages of an index alongside those of an export: both are in order of their ids. */
class Ahead implements AsyncDisposable {
  readonly #pages: AsyncIterator<PageWithVectors> | null
  #next: { readonly id: string; readonly one: PageWithVectors } | null = null
  #ended: boolean

  constructor(engine: Engine, isEmpty: boolean, signal: AbortSignal | undefined) {
    this.#pages = isEmpty ? null : engine.allPages(signal ? { signal } : {})[Symbol.asyncIterator]()
    this.#ended = isEmpty
  }

  /** The page with this id, or `null`. Ids must be requested in order. */
  async at(id: string): Promise<PageWithVectors | null> {
    while (!this.#ended && (this.#next === null || this.#next.id < id)) {
      const result = await this.#pages!.next()
      this.#ended = result.done === true
      this.#next = result.done ? null : { id: pageId(result.value.page.url), one: result.value }
    }
    return this.#next?.id === id ? this.#next.one : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages?.return?.()
  }
}

function isSame(there: PageWithVectors, page: Pick<ExportedPage, "digest" | "vectors">): boolean {
  if (!pageDigest(there.page).equals(page.digest)) return false
  if (page.vectors === null) return true
  return (
    there.vectors?.length === page.vectors.length &&
    there.vectors.every((vector, i) => isNear(vector, page.vectors![i]!))
  )
}

function isNear(a: Float32Array, b: Float32Array): boolean {
  for (let i = 0; i < b.length; i++) if (!(Math.abs(a[i]! - b[i]!) <= SAME_WITHIN)) return false
  return a.length === b.length
}

/** Iterates over the whole index; pages that aren't in the export are removed along the way, or kept. */
async function compare(
  engine: Engine,
  digests: PageDigests,
  totals: ExportTotals,
  { replace, signal, onCompare }: Pick<ImportOptions, "replace" | "signal" | "onCompare">,
): Promise<Pick<ImportResult, "others" | "differences">> {
  const missing: string[] = []
  const changed: PageUrl[] = []
  const counts = { missing: 0, changed: 0, pages: 0, others: 0, passages: 0 }
  let toRemove: PageUrl[] = []
  let next = 0
  const miss = () => {
    counts.missing++
    if (missing.length < NAMED) missing.push(digests.id(next))
    next++
  }
  const remove = async () => {
    if (toRemove.length > 0) await engine.remove(toRemove)
    toRemove = []
  }
  const breathe = breather()
  for await (const one of engine.allPages(signal ? { signal } : {})) {
    await breathe()
    const { id, page, digest, passages } = toExported(one)
    counts.pages++
    while (next < digests.size && digests.id(next) < id) miss()
    if (next === digests.size || digests.id(next) !== id) {
      counts.others++
      if (replace && toRemove.push(page.url) === REMOVED_AT_A_TIME) await remove()
    } else {
      counts.passages += passages
      if (!digests.digest(next).equals(digest)) {
        counts.changed++
        if (changed.length < NAMED) changed.push(page.url)
      }
      next++
    }
    onCompare?.(counts.pages)
  }
  while (next < digests.size) miss()
  await remove()
  const { pages } = await engine.stats()
  return {
    others: counts.others,
    differences: {
      missing: { count: counts.missing, ids: missing },
      changed: { count: counts.changed, urls: changed },
      uncounted: pages - counts.pages + (replace ? counts.others : 0),
      passages: counts.missing > 0 ? 0 : counts.passages - totals.passages,
    },
  }
}
