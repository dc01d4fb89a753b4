import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { PageReader } from "../../fetch/visit/reader.ts"
import { runJob } from "../../crawl/run-job.ts"
import { defineSource } from "../../source.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { flatPicture, picture } from "../../testing/pictures.ts"
import { article, bytes, startTestSite, status, textFile, type TestSite } from "../../testing/test-site.ts"
import { collectImages } from "./collect-images.ts"
import { ImageNotes } from "./image-notes.ts"
import { ImageReaders } from "./image-readers.ts"
import { ImageStore } from "./image-store.ts"
import { statement } from "#base/store/testing/statement.ts"

const png = (body: Uint8Array) => bytes(body, { "content-type": "image/png" })
const page = (title: string, images: readonly string[], links: readonly string[] = []) =>
  article(title, { links }).replace(
    "</h1>",
    `</h1>${images.map((src) => `<p><img src="${src}" alt="${src}"></p>`).join("")}`,
  )

async function collect(fixture: CrawlFixture, dataDir: string, config = testConfig()): Promise<ImageStore> {
  const store = new ImageStore(fixture.db, dataDir)
  await using reader = new PageReader(config)
  await collectImages({
    store,
    readersFor: async () => [reader],
    config,
    signal: new AbortController().signal,
  })
  return store
}

const known = async (store: ImageStore, site: TestSite, paths: readonly string[]) => {
  const facts = await store.facts(
    paths.map((path) => site.url(path)),
    site.url("/"),
  )
  return paths.map((path) => {
    const fact = facts.get(site.url(path))
    return fact?.state === "junk" ? fact.because : (fact?.state ?? null)
  })
}

describe("images of crawled pages", () => {
  test("are fetched once, measured, and separated from junk", async () => {
    await using site = await startTestSite({
      "/": page(
        "Home",
        ["/bee.png", "/dot.png", "/blank-bar.png", "/line.png", "/gone.png", "/text.png", "/spacer.gif"],
        ["/more"],
      ),
      "/more": page("More", ["/bee.png"]),
      "/bee.png": png(await picture(1)),
      "/dot.png": png(await flatPicture(1, 1)),
      "/blank-bar.png": png(await flatPicture(300, 100)),
      "/line.png": png(await picture(2, { width: 900, height: 20 })),
      "/gone.png": status(404),
      "/text.png": textFile("no image"),
      "/spacer.gif": png(await flatPicture(1, 1)),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await fixture.crawl({ seeds: [site.url("/")] })
    expect(site.requests.filter((path) => /png|gif/.test(path))).toEqual([])

    const store = await collect(fixture, folder.path)
    await collect(fixture, folder.path)
    expect(site.requests.filter((path) => /png|gif/.test(path)).sort()).toEqual([
      "/bee.png",
      "/blank-bar.png",
      "/dot.png",
      "/gone.png",
      "/line.png",
      "/text.png",
    ])
    expect(
      await known(store, site, [
        "/bee.png",
        "/dot.png",
        "/blank-bar.png",
        "/line.png",
        "/gone.png",
        "/text.png",
        "/spacer.gif",
      ]),
    ).toEqual(["read", "tracker", "flat", "strip", "broken", "broken", null])

    const bee = (await store.facts([site.url("/bee.png")], site.url("/"))).get(site.url("/bee.png"))
    if (bee?.state !== "read") throw new Error("the bee was not read")
    expect(bee).toMatchObject({ width: 640, height: 480, format: "png" })
    expect(await sharp(store.thumbnailPath(bee.id)).metadata()).toMatchObject({ format: "webp", width: 320 })
  })

  test("that appear on most pages of a site belong to its design", async () => {
    const pages = ["/", "/1", "/2", "/3", "/4", "/5"]
    await using site = await startTestSite(
      Object.fromEntries(
        pages.map((path) => [path, page(`Page ${path}`, ["/logo.png", `/own${path.slice(1)}.png`], pages)]),
      ),
    )
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await fixture.crawl({ seeds: [site.url("/")] })
    const store = new ImageStore(fixture.db, folder.path)
    expect(await known(store, site, ["/logo.png", "/own1.png"])).toEqual(["fixture", "unread"])

    site.serve(Object.fromEntries(["/1", "/2", "/3"].map((path) => [path, page(`Page ${path}`, [], pages)])))
    await fixture.crawl({ seeds: [site.url("/")] })
    expect(await known(store, site, ["/logo.png"])).toEqual(["unread"])
  })

  test("are removed with the last page that contains them", async () => {
    await using site = await startTestSite({
      "/": page("Home", ["/both.png"], ["/gone"]),
      "/gone": page("Gone", ["/both.png", "/its-own.png"]),
      "/both.png": png(await picture(1)),
      "/its-own.png": png(await picture(2)),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await fixture.crawl({ seeds: [site.url("/")] })
    const store = await collect(fixture, folder.path)
    const own = (await store.facts([site.url("/its-own.png")], site.url("/"))).get(site.url("/its-own.png"))
    if (own?.state !== "read") throw new Error("the image was not read")
    expect(existsSync(store.thumbnailPath(own.id))).toBe(true)

    site.serve({ "/gone": page("Without", []) })
    await fixture.crawl({ seeds: [site.url("/")] })
    expect(await store.hasWork()).toBe(true)
    await collect(fixture, folder.path)
    expect(await known(store, site, ["/both.png", "/its-own.png"])).toEqual(["read", null])
    expect(existsSync(store.thumbnailPath(own.id))).toBe(false)
    expect(await store.hasWork()).toBe(false)
  })

  test("are fetched again when they are outdated, or their thumbnails are missing", async () => {
    await using site = await startTestSite({
      "/": page("Home", ["/bee.png"]),
      "/bee.png": png(await picture(1)),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    const looks = () => site.requests.filter((path) => path === "/bee.png").length
    await fixture.crawl({ seeds: [site.url("/")] })
    const store = await collect(fixture, folder.path)
    const bee = [{ url: site.url("/bee.png"), description: null }]
    const note = (days: number) =>
      new ImageNotes(fixture.db, () => Date.now() + days * 86_400_000).note([
        { url: site.url("/") as PageUrl, images: bee, source: "bees" },
      ])
    await note(29)
    await collect(fixture, folder.path)
    expect(looks()).toBe(1)
    await note(31)
    await collect(fixture, folder.path)
    expect(looks()).toBe(2)

    await store.remakeLost()
    expect(await store.hasWork()).toBe(false)
    rmSync(join(folder.path, "images"), { recursive: true })
    await store.remakeLost()
    await collect(fixture, folder.path)
    expect(looks()).toBe(3)
    expect(existsSync(join(folder.path, "images"))).toBe(true)
  })

  test("obey robots.txt, and are postponed when the site is busy", async () => {
    await using site = await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /private/"),
      "/": page("Home", ["/private/bee.png", "/busy.png"]),
      "/private/bee.png": png(await picture(1)),
      "/busy.png": status(429, { "retry-after": "3600" }),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await fixture.crawl({ seeds: [site.url("/")] })
    const store = await collect(fixture, folder.path)
    expect(site.requests).not.toContain("/private/bee.png")
    expect(await known(store, site, ["/private/bee.png", "/busy.png"])).toEqual(["unread", "unread"])
    expect(await store.hasWork()).toBe(false)
    expect(await store.hasWork(Date.now() + 3_700_000)).toBe(true)
  })

  test("are not fetched from addresses that the guard rejects", async () => {
    await using hidden = await startTestSite({ "/secret.png": png(await picture(1)) })
    await using site = await startTestSite({ "/": page("Home", [`${hidden.origin}/secret.png`]) })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await fixture.crawl({ seeds: [site.url("/")] })
    await collect(fixture, folder.path, testConfig({ FOSSICK_ALLOWED_NETWORKS: site.authority }))
    expect(hidden.requests).toEqual([])
  })

  test("are fetched with the allowed networks of their page's source, and of no other", async () => {
    await using inside = await startTestSite({
      "/wiki": article("Wiki"),
      "/shown.png": png(await picture(1)),
      "/hidden.png": png(await picture(2)),
    })
    using internet = new FakeInternet({ "wiki.example": "127.0.0.1", "blog.example": PUBLIC_ADDRESS })
    const at = (host: string, path: string) => inside.url(path).replace("127.0.0.1", host)
    inside.serve({
      "/wiki": page("Wiki", ["/shown.png"]),
      "/blog": page("Blog", [at("wiki.example", "/hidden.png"), inside.url("/hidden.png")]),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    const config = testConfig({ FOSSICK_ALLOWED_NETWORKS: "", FOSSICK_HOST_DELAY_MS: "0" })
    const { db, jobs, engine } = fixture
    for (const [name, path, author] of [
      ["wiki", "/wiki", "operator"],
      ["blog", "/blog", "operator"],
      // This source is on the same host as the wiki, but its author may read none of the wiki's pages.
      ["other", "/wiki", "api"],
    ] as const) {
      const host = name === "blog" ? "blog.example" : "wiki.example"
      const source = defineSource({
        name,
        seeds: [at(host, path)],
        rendering: "http",
        limits: { depth: 0 },
        allowedNetworks: name === "wiki" ? ["127.0.0.0/8"] : [],
      })
      const { id } = await jobs.enqueue(source, { author })
      const signal = new AbortController().signal
      await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", resolve: internet.resolve })
    }
    const store = new ImageStore(db, folder.path)
    await using readers = new ImageReaders(db, config, internet.resolve)
    const signal = new AbortController().signal
    await collectImages({ store, readersFor: (image) => readers.of(image), config, signal })
    expect(inside.requests.filter((path) => path.endsWith(".png"))).toEqual(["/shown.png"])

    // The wiki's own page shows the image now, so it may be examined.
    inside.serve({ "/wiki": page("Wiki", ["/shown.png", "/hidden.png"]) })
    const { id } = await jobs.enqueue(
      defineSource({
        name: "wiki",
        seeds: [at("wiki.example", "/wiki")],
        rendering: "http",
        limits: { depth: 0 },
      }),
    )
    await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", resolve: internet.resolve })
    await using again = new ImageReaders(db, config, internet.resolve)
    await collectImages({ store, readersFor: (image) => again.of(image), config, signal })
    expect(inside.requests.filter((path) => path.endsWith(".png"))).toEqual(["/shown.png", "/hidden.png"])
  })

  test("that kill the process each time are given up", async () => {
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    await using site = await startTestSite({ "/": page("Home", ["/bomb.png"]) })
    await fixture.crawl({ seeds: [site.url("/")] })
    const store = new ImageStore(fixture.db, folder.path)
    // A process that dies while examining an image leaves a recorded attempt behind.
    const tries = []
    for (let image = await store.nextUnread(new URL(site.origin).host); image && tries.length < 10;) {
      tries.push(image.tries)
      image = await store.nextUnread(new URL(site.origin).host)
    }
    expect(tries).toEqual([1, 2, 3])
    expect(await store.hasWork()).toBe(false)
  })

  test("are recorded once, however often the page is read", async () => {
    await using fixture = await CrawlFixture.open()
    await using site = await startTestSite({ "/": page("Home", ["/bee.png"]) })
    await fixture.crawl({ seeds: [site.url("/")] })
    const again = await fixture.crawl({ seeds: [site.url("/")] })
    expect(again.outcomes).toEqual({ unchanged: 1 })
    const uses = await statement(fixture.db, "select url, uses from image").all()
    expect(uses).toEqual([{ url: site.url("/bee.png") as PageUrl, uses: 1 }])
  })
})
