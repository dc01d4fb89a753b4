import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { defineSource } from "#crawler/source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { until } from "#base/testing/until.ts"
import { flatPicture, picture } from "#crawler/testing/pictures.ts"
import { article, bytes, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { type Appliance, startAppliance } from "./testing/appliance.ts"

// Tests pictures from end to end: a site, a crawl, the processes of the appliance, and /search over HTTP.

/** Pictures named by the site's pages, including one that is missing. */
const PICTURES = 9

let site: TestSite
let appliance: Appliance
const dataDir = mkdtempSync(join(tmpdir(), "fossick-images-"))

beforeAll(async () => {
  const roses = await picture(1)
  const logo = await picture(7, { width: 200, height: 80 })
  const png = (body: Uint8Array) => bytes(body, { "content-type": "image/png" })
  site = await startTestSite({
    "/": page("Garden", "A garden through the year.", [], ["/roses", "/tomatoes", "/cutting", "/night"]),
    "/roses": page("Roses", "Roses are pruned in winter and fed in spring.", [
      ["/roses-small.jpg", ""],
      ["/tools.png", "Secateurs and gloves"],
      ["/dot.png", ""],
      ["/missing.png", "Roses that are gone"],
    ]),
    "/cutting": page("Cutting roses", "How roses are pruned and cut for the vase.", [
      ["/roses.png", "Pruned roses in winter"],
      ["/bar.png", "roses"],
    ]),
    "/tomatoes": page("Tomatoes", "Tomatoes want sun, water and a stake to hold on to.", [
      ["/tomatoes.png", "Tomatoes on a stake"],
    ]),
    "/night": page(
      "Roses by night",
      "Roses pruned after dark, for adults only.",
      [["/night.png", "Roses by night"]],
      [],
      '<meta name="rating" content="adult">',
    ),
    "/logo.png": png(logo),
    "/roses.png": png(roses),
    "/roses-small.jpg": bytes(await sharp(roses).resize(320).jpeg({ quality: 70 }).toBuffer(), {
      "content-type": "image/jpeg",
    }),
    "/tools.png": png(await picture(2)),
    "/tomatoes.png": png(await picture(3)),
    "/night.png": png(await picture(4)),
    "/dot.png": png(await flatPicture(1, 1)),
    "/bar.png": png(await flatPicture(600, 60)),
  })
  appliance = await startAppliance({ FOSSICK_DATA_DIR: dataDir, FOSSICK_HANDBOOK: "off" })
  const db = await openStateStore(dataDir)
  await new Jobs(db).enqueue(defineSource({ seeds: [site.url("/")] }))
  // The host is private and no setting allows it. Since the crawl was explicitly requested, it may fetch the host's
  // images.
  const looked = statement(db, "select count(*) as n from image where state is not null")
  await until(async () => (await looked.get())?.["n"] === PICTURES, 500)
  db.close()
})
afterAll(async () => {
  await appliance?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

test("a search returns the images of its pages: no logo, tracker or bar, and the larger of two copies", async () => {
  const { images, results } = await ask({ query: "roses pruned in winter", include_images: true })
  expect(images[0]).toBe(site.url("/roses.png"))
  expect(images).toContain(site.url("/tools.png"))
  for (const junk of ["/logo.png", "/dot.png", "/bar.png", "/missing.png", "/roses-small.jpg"])
    expect(images).not.toContain(site.url(junk))
  const roses = results.find((one: { url: string }) => one.url === site.url("/roses"))
  expect(roses.images).toEqual([site.url("/roses-small.jpg"), site.url("/tools.png")])
})

test("images come with their descriptions", async () => {
  const { images } = await ask({
    query: "roses pruned in winter",
    include_images: true,
    include_image_descriptions: true,
  })
  expect(images).toContainEqual({ url: site.url("/tools.png"), description: "Secateurs and gloves" })
  expect(images[0]).toEqual({ url: site.url("/roses.png"), description: "Pruned roses in winter" })
})

test("safe search returns no images from unsafe pages", async () => {
  const question = { query: "roses by night", include_images: true }
  expect((await ask(question)).images).toContain(site.url("/night.png"))
  expect((await ask({ ...question, safe_search: true })).images).not.toContain(site.url("/night.png"))
})

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
async function ask(body: Readonly<Record<string, unknown>>): Promise<any> {
  const response = await fetch(`${appliance.url}/search`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${appliance.apiKey}` },
    body: JSON.stringify({ max_results: 10, ...body }),
  })
  expect(response.status).toBe(200)
  return await response.json()
}

/** An article with the site's logo and pictures of its own. */
function page(
  title: string,
  text: string,
  pictures: readonly (readonly [src: string, alt: string])[],
  links: readonly string[] = [],
  head = "",
): string {
  const shown = [["/logo.png", "Garden club"] as const, ...pictures]
    .map(([src, alt]) => `<p><img src="${src}" alt="${alt}"></p>`)
    .join("")
  return article(title, { text, links, head }).replace("</h1>", `</h1>${shown}`)
}
