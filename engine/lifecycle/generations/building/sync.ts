import { isDeepStrictEqual } from "node:util"
import { breather } from "#base/flow/breather.ts"
import type { Engine, PageWithVectors } from "../../../engine.ts"
import { type PageUrl, pageId } from "../../../index/page/page-url.ts"
import { PAGES_AT_A_TIME, PagesToLoad } from "../../../pages-to-load.ts"

const READ_AT_ONCE = 100

type Target = Pick<Engine, "allPages" | "load" | "remove">

export interface SyncOptions {
  /** The index to copy; nothing writes to it in the meantime, or the writes are synced afterwards. */
  readonly from: Pick<Engine, "allPages">
  readonly to: Target
  /** Whether both indexes were made by the same embedder, in which case vectors are copied too. */
  readonly withVectors: boolean
  /** Continues after this page id. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** Called when all pages up to an id are the same in both indexes, with the number of pages compared since the last call. */
  readonly onProgress?: (upTo: string, pages: number) => void
}

/**
 * Makes one index contain the same pages as another: loads pages that are missing or differ, and removes the others. It
 * compares pages instead of keeping a record, so it can be interrupted anywhere, and for equal pages the only cost is
 * reading them.
 *
 * @returns how many pages were loaded and removed.
 */
export async function syncPages(options: SyncOptions): Promise<{ loaded: number; removed: number }> {
  const { from, to, withVectors, after = "", signal, onProgress } = options
  const range = { after, ...(signal && { signal }) }
  const breathe = breather()
  const toLoad = new PagesToLoad(to)
  let remove: PageUrl[] = []
  let compared = 0
  const done = { loaded: 0, removed: 0 }
  const write = async (upTo: string) => {
    if (remove.length > 0) await to.remove(remove)
    done.removed += remove.length
    done.loaded += await toLoad.load()
    onProgress?.(upTo, compared)
    ;[remove, compared] = [[], 0]
  }
  await using source = iterate(from.allPages(range))
  await using target = iterate(to.allPages(range))
  let here = await source.next()
  let there = await target.next()
  while (here || there) {
    signal?.throwIfAborted()
    await breathe()
    const order = compare(here, there)
    const id = order > 0 ? idOf(there!) : idOf(here!)
    if (order > 0) {
      remove.push(there!.page.url)
    } else {
      compared++
      if (order < 0 || !isSame(here!, there!, withVectors))
        toLoad.add(withVectors ? here! : { page: here!.page, vectors: null })
    }
    if (order <= 0) here = await source.next()
    if (order >= 0) there = await target.next()
    const isFull = toLoad.isFull || remove.length >= PAGES_AT_A_TIME || compared >= PAGES_AT_A_TIME
    if (isFull || (!here && !there)) await write(id)
  }
  return done
}

/** Like {@link syncPages}, but only for the given pages. */
export async function syncSome(
  urls: readonly PageUrl[],
  { from, to }: { readonly from: Pick<Engine, "get">; readonly to: Target },
): Promise<void> {
  const toLoad = new PagesToLoad(to)
  for (let at = 0; at < urls.length; at += READ_AT_ONCE) {
    const some = urls.slice(at, at + READ_AT_ONCE)
    const pages = await Promise.all(some.map(async (url) => ({ url, page: await from.get(url) })))
    await to.remove(pages.flatMap(({ url, page }) => (page ? [] : [url])))
    for (const { page } of pages) {
      if (!page) continue
      toLoad.add({ page, vectors: null })
      if (toLoad.isFull) await toLoad.load()
    }
  }
  await toLoad.load()
}

function isSame(here: PageWithVectors, there: PageWithVectors, withVectors: boolean): boolean {
  const lacksVectors = withVectors && here.vectors !== null && there.vectors === null
  return !lacksVectors && isDeepStrictEqual(here.page, there.page)
}

const idOf = ({ page }: PageWithVectors): string => pageId(page.url)

/** Compares two pages by their order; a missing page comes last. */
function compare(here: PageWithVectors | null, there: PageWithVectors | null): number {
  if (!here || !there) return here ? -1 : 1
  const [one, other] = [idOf(here), idOf(there)]
  return one < other ? -1 : one > other ? 1 : 0
}

function iterate(pages: AsyncIterable<PageWithVectors>) {
  const iterator = pages[Symbol.asyncIterator]()
  return {
    async next(): Promise<PageWithVectors | null> {
      const { done, value } = await iterator.next()
      return done ? null : value
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await iterator.return?.()
    },
  }
}
