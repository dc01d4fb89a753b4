import { join } from "node:path"

import { expect, test } from "vitest"

import type { PageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { pageHash } from "../page/page-hash.ts"
import { CrawlFixture } from "../testing/crawl-fixture.ts"
import { startTestSite } from "../testing/test-site.ts"

// A blog with the lists that its software generates, crawled and put into a real index.

const POSTS = [
  [
    "seals",
    "Changing worn pump seals",
    "The pump seals are worn when oil shows below the housing. Take out the screws.",
  ],
  [
    "noise",
    "Pump seals that whistle",
    "New pump seals whistle for an hour, until the rings have run in on the shaft.",
  ],
  [
    "frost",
    "Pump seals in frost",
    "In frost the pump seals turn hard; drain the line, and warm the housing first.",
  ],
  [
    "price",
    "What pump seals cost",
    "A set of pump seals costs twelve to thirty, the carbon ones more than rubber.",
  ],
] as const
const doc = (title: string, bodyClass: string, main: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body class="${bodyClass}"><main><h1>${title}</h1>${main}</main></body></html>`
const teaser = ([path, title, text]: (typeof POSTS)[number]) =>
  `<article class="post"><h2><a rel="bookmark" href="/${path}">${title}</a></h2><p>${text}</p></article>`
const more = (text: string) =>
  `<p>${text}</p><p>The workshop keeps notes of every repair, with its date and the hours it took.</p>`

test("a tag page ranks behind the posts it lists, with the reason beside the score, and stays in the results", async () => {
  await using site = await startTestSite({
    "/": doc("Workshop", "single", `<p>A workshop's notes.</p><a href="/tag/pump-seals/">Pump seals</a>`),
    "/tag/pump-seals/": doc("Pump seals", "archive tag tag-pump-seals", POSTS.map(teaser).join("")),
    ...Object.fromEntries(
      POSTS.map(([path, title, text]) => [`/${path}`, doc(title, "single single-post", more(text))]),
    ),
  })
  await using fixture = await CrawlFixture.open()
  await fixture.crawl({ seeds: [site.origin] })
  const pages = [...fixture.engine.pages.values()]
  const tag = site.url("/tag/pump-seals/") as PageUrl
  expect(pages.filter(({ isListing }) => isListing).map(({ url }) => url)).toEqual([tag])

  const placeOf = async (name: string, list: typeof pages) => {
    const embedder = new HashingEmbedder()
    await using engine = await EmbeddedEngine.open({
      dir: join(fixture.folder, name),
      mode: "write",
      // Searches by words alone, because the hashing embedder's vectors are meaningless and some of them may already
      // exist by the time of the search.
      embedding: "off",
      embedder,
    })
    await engine.index(list)
    const { hits } = await engine.search({ text: "pump seals", limit: 10 })
    const place = hits.findIndex(({ url }) => url === tag)
    return { place, hit: hits[place]!, kept: await engine.get(tag), urls: hits.map(({ url }) => url) }
  }
  const before = await placeOf(
    "before",
    pages.map(({ isListing: _, ...page }) => page),
  )
  const now = await placeOf("now", pages)
  expect(before.place).toBe(0)
  expect(before.hit.parts.boost).toBe(0)
  expect(now.place).toBeGreaterThanOrEqual(POSTS.length - 1)
  expect(now.hit.parts.boost).toBeCloseTo(now.hit.parts.fused * -0.25)
  expect(now.kept?.isListing).toBe(true)
  expect(now.urls.toSorted()).toEqual(before.urls.toSorted())
})

test("a list page has a different hash, and all other pages keep theirs", () => {
  expect(pageHash(aPage("/a", { isListing: true }))).not.toBe(pageHash(aPage("/a")))
  expect(pageHash(aPage("/a"))).toBe("1voWDXRllThh7Z8T3UNyKi3Crld8aHITVJa9xE3IUI4")
})
