import { createHash, randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { at, PAGE, VisitedSite } from "../../testing/visited.ts"
import { FOUND_SOMEHOW } from "./known-addresses.ts"
import { PageLinks, packLinks, unpackLinks } from "./page-links.ts"
import { SCHEMA_WORDS } from "#base/store/query/schema-words.ts"
import { statement } from "#base/store/testing/statement.ts"

const linked = (site: VisitedSite, path: string, ...to: string[]) =>
  site.visit(path, { ...PAGE, links: packLinks(at(path), to) })

test("packed links are unpacked unchanged, each once", () => {
  const there = [
    "https://else.example/b",
    at("/"),
    at("/b"),
    at("/b"),
    "http://site.example/",
    "https://site.example.org/",
  ]
  expect(unpackLinks(at("/page"), packLinks(at("/page"), there)!).sort()).toEqual([...new Set(there)].sort())
  expect(unpackLinks(at("/page"), packLinks(at("/page"), [])!)).toEqual([])
  // Sorted links without their own host take up less space.
  const many = Array.from({ length: 900 }, (_, index) => at(`/manual/${(index * 7) % 900}`))
  const bytes = packLinks(at("/"), many)!.byteLength
  expect(bytes).toBeLessThan(
    packLinks(
      at("/"),
      many.map((url) => url.replace("site", `s${"i".repeat(40)}te`)),
    )!.byteLength,
  )
  expect(packLinks(at("/"), many.toReversed())!.byteLength).toBe(bytes)
})

test("a page with more links than the limit has none stored", () => {
  const random = (bytes: number) => [at(`/${randomBytes(bytes / 2).toString("hex")}`)]
  expect(packLinks(at("/"), random(40_000))?.byteLength).toBeLessThan(32 * 1024)
  expect(packLinks(at("/"), random(90_000))).toBeNull()
  // The text grows character by character up to the limit; each character takes about five bits.
  const much = createHash("shake256", { outputLength: 35_000 }).digest("hex")
  let [fits, tooMuch] = [0, much.length]
  while (tooMuch - fits > 1) {
    const half = Math.floor((fits + tooMuch) / 2)
    if (packLinks(at("/"), [much.slice(0, half)]) === null) tooMuch = half
    else fits = half
  }
  expect(packLinks(at("/"), [much.slice(0, fits)])?.byteLength).toBe(32 * 1024)
})

test("unchanged links are not written again", async () => {
  const site = new VisitedSite()
  await linked(site, "/", at("/a"))
  const links = new PageLinks(site.db)
  const { trigger } = SCHEMA_WORDS[site.db.dialect]
  const noted = { name: "written_again", on: "update", table: "page_links" }
  await site.db.script(
    `create table written (n integer); ${trigger({ ...noted, does: ["insert into written values (1)"] })}`,
  )
  const written = async () => (await statement(site.db, "select count(*) as n from written").get())?.["n"]
  await links.keep("site", at("/"), packLinks(at("/"), [at("/a")]))
  expect(await written()).toBe(0)
  await links.keep("site", at("/"), packLinks(at("/"), [at("/b")]))
  expect([await written(), await links.get("site", at("/"))]).toEqual([1, [at("/b")]])
})

test("a few of the pages that link to an address are found, among the first", async () => {
  const site = new VisitedSite()
  const links = new PageLinks(site.db)
  for (let index = 0; index < 1200; index++) {
    const to = index % 300 === 7 ? [at("/rose"), at("/x")] : [at("/x")]
    const path = `/${String(index).padStart(4, "0")}`
    await links.keep("site", at(path), packLinks(at(path), to))
  }
  await linked(site, "/rose", at("/rose"))
  await site.visit("/0000", { ...PAGE, source: "other", links: packLinks(at("/0000"), [at("/rose")]) })
  const those = ["/0007", "/0307", "/0607", "/0907"].map(at)
  const linking = (limit: number, most = 20_000) => links.linking("site", at("/rose"), { limit, most })
  expect(await linking(9)).toEqual({ urls: those, isAll: true })
  expect(await linking(4)).toEqual({ urls: those, isAll: true })
  expect(await linking(3)).toEqual({ urls: those.slice(0, 3), isAll: false })
  expect(await linking(9, 500)).toEqual({ urls: those.slice(0, 2), isAll: false })
  expect(await linking(9, 1000)).toEqual({ urls: those.slice(0, 4), isAll: false })
  const stopped = AbortSignal.abort(new Error("enough"))
  await expect(links.linking("site", at("/rose"), { limit: 9, most: 9999 }, stopped)).rejects.toThrow(
    "enough",
  )
})

test("other work gets its turn while pages are searched", async () => {
  const site = new VisitedSite()
  const links = new PageLinks(site.db)
  for (let index = 0; index < 500; index++)
    await links.keep("site", at(`/${index}`), packLinks(at("/"), [at("/x")]))
  let turns = 0
  setImmediate(() => (turns += 1))
  await links.linking("site", at("/none"), { limit: 1, most: 1000 })
  expect(turns).toBe(1)
})

test("the page named as linking to an address is the one nearest to a seed", async () => {
  const site = new VisitedSite()
  const links = new PageLinks(site.db)
  const deep = (depth: number) => ({ ...FOUND_SOMEHOW, how: "link", depth }) as const
  const to = { ...PAGE, links: packLinks(at("/a"), [at("/rose")]) }
  await site.visit("/a", { ...to, found: deep(3) })
  await site.visit("/b", { ...to, found: deep(2) })
  await site.visit("/near", { ...PAGE, links: packLinks(at("/near"), [at("/x")]), found: deep(0) })
  expect(await links.naming("site", at("/rose"))).toEqual({ url: at("/b"), depth: 2 })
  expect([await links.naming("site", at("/none")), await links.naming("other", at("/rose"))]).toEqual([
    null,
    null,
  ])
  expect([
    await links.naming("site", at("/rose"), 1),
    (await links.naming("site", at("/rose"), 2))?.depth,
  ]).toEqual([null, 2])
})
