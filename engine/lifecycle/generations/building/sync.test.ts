import { expect, test } from "vitest"
import type { Engine, PageWithVectors } from "../../../engine.ts"
import { type PageUrl, pageId } from "../../../index/page/page-url.ts"
import { aPage } from "../../../testing/pages.ts"
import { syncPages, syncSome } from "./sync.ts"

const never = { vectors: null }

/** Pages in memory, in order of their ids, and the number of pages that each call wrote. */
class Pages implements Pick<Engine, "allPages" | "get" | "load" | "remove"> {
  readonly pages = new Map<PageUrl, PageWithVectors>()
  readonly loads: number[] = []

  constructor(all: readonly PageWithVectors[] = []) {
    for (const one of all) this.pages.set(one.page.url, one)
  }

  async *allPages({ after = "" }: { after?: string } = {}): AsyncGenerator<PageWithVectors> {
    const byId = [...this.pages.values()].map((one) => ({ id: pageId(one.page.url), one }))
    byId.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { id, one } of byId) if (id > after) yield one
  }

  async get(url: PageUrl) {
    return this.pages.get(url)?.page ?? null
  }

  async load(some: readonly PageWithVectors[]): Promise<void> {
    this.loads.push(some.length)
    for (const one of some) this.pages.set(one.page.url, one)
  }

  async remove(urls: readonly PageUrl[]): Promise<void> {
    for (const url of urls) this.pages.delete(url)
  }
}

const many = (count: number, markdown = "Some text.") =>
  Array.from({ length: count }, (_, i) => ({ page: aPage(`p/${i}`, { markdown }), ...never }))

test("pages are written by the thousand, and existing ones are not written again", async () => {
  const from = new Pages(many(2500))
  const to = new Pages()
  expect(await syncPages({ from, to, withVectors: true })).toEqual({ loaded: 2500, removed: 0 })
  expect(to.loads).toEqual([1000, 1000, 500])
  expect(to.pages).toEqual(from.pages)
  expect(await syncPages({ from, to, withVectors: true })).toEqual({ loaded: 0, removed: 0 })
  expect(to.loads).toHaveLength(3)
})

test("long pages are written sooner: waiting text is limited to 16 million characters", async () => {
  const to = new Pages()
  await syncPages({ from: new Pages(many(5, "x".repeat(8_000_000))), to, withVectors: true })
  expect(to.loads).toEqual([2, 2, 1])
})

test("reported progress is safe: an interrupted sync continues after it", async () => {
  const from = new Pages(many(2500))
  const to = new Pages()
  const controller = new AbortController()
  const told: [string, number][] = []
  const onProgress = (upTo: string, pages: number) => {
    told.push([upTo, pages])
    controller.abort(new Error("stopped"))
  }
  const { signal } = controller
  await expect(syncPages({ from, to, withVectors: true, signal, onProgress })).rejects.toThrow("stopped")
  expect(told).toEqual([[expect.any(String), 1000]])
  expect(to.pages.size).toBe(1000)
  const [[after]] = told as [[string, number]]
  expect(await syncPages({ from, to, withVectors: true, after })).toEqual({ loaded: 1500, removed: 0 })
  expect(to.pages).toEqual(from.pages)
})

test("deleted pages are removed, changed ones written again, with their vectors if these are useful", async () => {
  const vectors = [new Float32Array([1, 0])]
  const [gone, same, changed, embedded] = many(4) as [
    PageWithVectors,
    PageWithVectors,
    PageWithVectors,
    PageWithVectors,
  ]
  const now = { page: { ...changed.page, markdown: "Other text." }, vectors }
  const from = new Pages([same, now, { ...embedded, vectors }])
  const old = [gone, same, changed, embedded]
  const without = new Pages(old)
  expect(await syncPages({ from, to: without, withVectors: false })).toEqual({ loaded: 1, removed: 1 })
  expect([...without.pages.values()]).toEqual([same, { ...now, vectors: null }, embedded])
  const withThem = new Pages(old)
  expect(await syncPages({ from, to: withThem, withVectors: true })).toEqual({ loaded: 2, removed: 1 })
  expect(withThem.pages).toEqual(from.pages)
})

test("pages written meanwhile are copied, and removed ones are deleted", async () => {
  const from = new Pages(many(2400))
  const to = new Pages()
  const gone = aPage("gone")
  await to.load([{ page: gone, ...never }])
  await syncSome([gone.url, ...from.pages.keys()], { from, to })
  expect(to.pages).toEqual(from.pages)
  expect(to.loads).toEqual([1, 1000, 1000, 400])
})
