import { afterAll, beforeAll, expect, test } from "vitest"

import { article } from "#crawler/testing/test-site.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

// A site with one page that no link leads to, and one that its sitemap leaves out.

const LIST = ["/book/", "/book/lonely", "/book/lonely?print=1", "/roses/"]
let garden: TwoSources

beforeAll(async () => {
  garden = await serveTwoSources({
    "/sitemap.xml": `<urlset>${LIST.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`,
    "/book/": article("Book", { links: ["/book/linked"] }),
    "/book/linked": article("Linked", { links: ["/book/further"] }),
    "/book/further": article("Further"),
    "/book/lonely": article("Lonely"),
  })
})
afterAll(() => garden[Symbol.asyncDispose]())

const at = (...paths: string[]) => paths.map((path) => garden.site.url(path))

async function mapped(version: 1 | 2, options: object = {}, key = garden.all) {
  const given = { url: garden.site.url("/book/"), ...options }
  const { body } = await garden.app.call(`/v${version}/map`, key, given)
  return (body.links as (string | { url: string })[])
    .map((one) => (typeof one === "string" ? one : one.url))
    .toSorted()
}

async function crawled(version: 1 | 2, options: object = {}) {
  const given = { url: garden.site.url("/book/"), ...options }
  const start = await garden.app.call(`/v${version}/crawl`, garden.all, given)
  const path = new URL(start.body.url).pathname
  const job = async () => (await garden.app.call(path, garden.all)).body
  await expect.poll(async () => (await job()).status).toBe("completed")
  return ((await job()).data as { metadata: { title: string } }[]).map(({ metadata }) => metadata.title)
}

test("a map has addresses from links and the sitemap, or only one of them if requested", async () => {
  const linked = at("/book/", "/book/further", "/book/linked")
  expect(await mapped(2)).toEqual([...linked, ...at("/book/lonely", "/roses/")])
  expect(await mapped(2, { sitemap: "skip" })).toEqual(linked)
  expect(await mapped(2, { sitemap: "only" })).toEqual(at("/book/", "/book/lonely", "/roses/"))
  const printed = await mapped(2, { sitemap: "only", ignoreQueryParameters: false })
  expect(printed).toContain(garden.site.url("/book/lonely?print=1"))
  expect(await mapped(1)).toEqual(linked)
  expect(await mapped(1, { ignoreSitemap: false })).toContain(garden.site.url("/book/lonely"))
  expect(await mapped(1, { sitemapOnly: true })).not.toContain(garden.site.url("/book/linked"))
})

test("a crawl takes pages of the sitemap below its start, before those of links", async () => {
  expect(await crawled(2, { maxDiscoveryDepth: 0, ignoreQueryParameters: true })).toEqual(["Book", "Lonely"])
  expect(await crawled(2, { ignoreQueryParameters: true })).toEqual(["Book", "Lonely", "Linked", "Further"])
  expect(await crawled(2, { sitemap: "skip" })).toEqual(["Book", "Linked", "Further"])
  expect(await crawled(2, { sitemap: "only", ignoreQueryParameters: true })).toEqual(["Book", "Lonely"])
  expect(await crawled(1, { ignoreSitemap: true })).toEqual(["Book", "Linked", "Further"])
  expect(await crawled(1, { ignoreQueryParameters: true })).toContain("Lonely")
})

test("a key never sees addresses it may not read", async () => {
  const key = await garden.app.key({ scope: readScope({ sources: ["vault"] }) })
  const found = await mapped(2, { url: garden.site.url("/vault/"), sitemap: "only" }, key)
  expect(found).toEqual([])
  expect(await mapped(2, { url: garden.site.url("/vault/") }, key)).toEqual(at("/vault/", "/vault/keys"))
})
