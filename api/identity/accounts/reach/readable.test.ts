import { expect, test } from "vitest"
import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import { type PageReaders, readersLabel, readersOf } from "#engine/index/page/readers.ts"
import type { PageUrl } from "#engine"

import { UNLIMITED } from "../keys/key-scope.ts"
import { knownNames } from "./known-names.ts"
import { isReadable, readableBy } from "./readable.ts"
import { limitsText, narrowed, pageLimits, pageTest, scopedPage } from "./scoped-pages.ts"
import { NO_READERS } from "../../../testing/no-readers.ts"
import { aPage } from "#engine/testing/pages.ts"

const BOARD: PageReaders[] = [{ source: "wiki", ...readersOf({ allow: ["group:board"] }) }]
const STAFF: PageReaders[] = [{ source: "wiki", ...readersOf({ allow: ["group:staff"] }) }]
const NOW: ReadersNow = {
  sources: new Map([
    ["hr", readersOf({ allow: ["group:hr"] })],
    ["lab", readersOf({ deny: ["group:guests"] })],
  ]),
  rules: new Map([BOARD, STAFF].map((readers) => [readersLabel(readers)!, readers])),
}
const anna = ["user:anna", "group:staff", "group:hr"]
const COLLECTIONS = [
  { name: "people", sources: ["hr"] },
  { name: "all", sources: ["hr", "wiki", "open"] },
]
const parts = {
  collections: {
    sourcesOf: async (names: readonly string[]) =>
      COLLECTIONS.filter(({ name }) => names.includes(name)).flatMap(({ sources }) => sources),
    list: async () => COLLECTIONS,
  },
  sourceNames: async () => ["hr", "lab", "wiki", "open"],
  readers: async () => NOW,
}
const limitsOf = async (principals: readonly string[] | null, scope = UNLIMITED) =>
  await pageLimits({ scope, principals }, parts)

test("a person may read pages whose sources and readers all admit them, and none with an unknown label", () => {
  const readable = readableBy(anna, NOW)!
  expect(readable.hidden).toEqual([])
  expect(readable.labels).toEqual([readersLabel(STAFF)])
  expect([...readable.partly]).toEqual(["wiki"])
  expect(readableBy(["group:guests"], NOW)!.hidden).toEqual(["hr", "lab"])
  expect(isReadable(readable, ["hr", "wiki"], STAFF)).toBe(true)
  expect(isReadable(readable, ["hr", "wiki"], BOARD)).toBe(false)
  expect(isReadable(readableBy([], NOW)!, ["wiki", "hr"])).toBe(false)
})

test("a changed rule takes effect at once, and equal groups in another order read the same", () => {
  const before = readableBy(anna, NOW)
  expect(readableBy(anna.toReversed(), NOW)).toBe(before)
  const opened = { ...NOW, sources: new Map([["hr", readersOf({ allow: ["group:board"] })]]) }
  expect(readableBy(anna, opened)!.hidden).toEqual(["hr"])
  expect(readableBy(anna, NOW)!.hidden).toEqual([])
})

test("without any readers nothing is limited, and a key that reads everything is never limited", async () => {
  expect(await pageLimits({ scope: UNLIMITED, principals: [] }, { ...parts, readers: NO_READERS })).toBeNull()
  expect(await limitsOf(null)).toBeNull()
})

test("limits narrow the filter of a search, which never widens them", async () => {
  const limits = (await limitsOf([]))!
  expect(narrowed({ sources: ["hr"], readers: ["any"], excludeSources: ["open"] }, limits)).toEqual({
    sources: ["hr"],
    readers: [],
    excludeSources: ["open", "hr"],
  })
  expect(limitsText(limits)).not.toBe(limitsText(await limitsOf(anna)))
})

test("limits have a short text for use as a database key, however many labels they list", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `label${at}`)
  const textOf = (...labels: string[]) =>
    limitsText({ sources: null, domains: null, readable: { ...readableBy(anna, NOW)!, labels } })
  expect(textOf(...many(5000)).length).toBeLessThan(100)
  expect(textOf(...many(5000))).toBe(textOf(...many(5000)))
  expect(textOf(...many(5000))).not.toBe(textOf(...many(4999)))
})

test("a page is shown only to its readers, whatever an index finds", async () => {
  const page = { ...aPage("minutes", { source: "wiki" }), readers: BOARD }
  expect(scopedPage(page, await limitsOf(anna))).toBeNull()
  expect(scopedPage(page, await limitsOf(["group:board"]))).toEqual(page)
  const sees = pageTest((await limitsOf([]))!)
  expect(sees("https://a.example/" as PageUrl, ["open"], undefined)).toBe(true)
  expect(sees("https://a.example/" as PageUrl, ["open", "hr"], undefined)).toBe(false)
})

test("sources that a person may not read are not named, nor collections of only such sources", async () => {
  const names = (principals: readonly string[]) => knownNames({ scope: UNLIMITED, principals }, parts)
  expect(await names([]).all()).toEqual({ sources: ["lab", "open", "wiki"], collections: ["all"] })
  expect((await names(anna).all()).sources).toEqual(["hr", "lab", "open", "wiki"])
  await expect(names([]).named({ sources: "hr" })).rejects.toThrow('There is no source "hr"')
  await expect(names([]).named({ collections: "people" })).rejects.toThrow('There is no collection "people"')
  expect((await names([]).filing())(["wiki", "hr"])).toEqual({ sources: ["wiki"], collections: ["all"] })
})
