import { afterAll, describe, expect, test } from "vitest"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { closeReaders, CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { type Answer, html, startTestSite, textFile, type TestSite } from "../../testing/test-site.ts"

const browserPath = await findTestBrowser()

const TOPICS = {
  "": "Windmills grind grain with the force of the wind, which turns four sails and a shaft of oak.",
  guide: "A miller sets the sails by hand each morning, and turns the cap until they face the wind.",
  "guide/repairs": "Worn cogs are cut from hornbeam, greased with tallow, and wedged into the great wheel.",
} as const
const text = (topic: keyof typeof TOPICS) => `${TOPICS[topic]} `.repeat(6)

/** A site whose scripts fetch the text for the route and write it into the page, with links to all the other routes. */
async function startApp(routing: "hash" | "history", head = ""): Promise<TestSite> {
  const link = routing === "hash" ? "#/" : "/"
  const shell = html(`<!doctype html><html lang="en"><head><title>Mills</title>
<link rel="canonical" href="/">${head}</head><body><div id="app"></div><script>
const show = async () => {
  const route = ${routing === "hash" ? `location.hash.replace(/^#\\/?/, "").split("?")[0]` : `location.pathname.slice(1)`}
  ${routing === "hash" ? `if (!location.hash) history.replaceState(null, "", "#/")` : ""}
  const answer = await fetch("/texts/" + (route || "home"))
  const body = answer.ok ? await answer.text() : ""
  document.title = route || "Home"
  document.querySelector("link[rel=canonical]").remove()
  document.getElementById("app").innerHTML = body === "" ? "<main><h1>404 - Not found</h1></main>" :
    "<nav><a href='${link}'>Home</a> <a href='${link}guide'>Guide</a> <a href='${link}guide/repairs'>Repairs</a>" +
    " <a href='${link}gone'>Gone</a> <a href='#top'>Top</a></nav><main><h1>" + document.title + "</h1><p>" + body + "</p></main>"
}
addEventListener("hashchange", show)
show()
</script></body></html>`)
  const site = await startTestSite({
    "/robots.txt": textFile("User-agent: *\nDisallow:"),
    "/sitemap.xml": (_, response) => void response.writeHead(404).end(),
    "/texts/home": textFile(text("")),
    "/texts/guide": textFile(text("guide")),
    "/texts/guide/repairs": textFile(text("guide/repairs")),
    "/texts/gone": (_, response) => void response.writeHead(404).end(),
  })
  site.serve(routing === "hash" ? { "/": shell } : { "*": shell })
  return site
}

afterAll(closeReaders)

const config = () => testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "" })

describe("sites rendered by scripts", { tags: ["chromium"] }, () => {
  test("have one page per route behind #, under the address that opens it", async () => {
    await using site = await startApp("hash")
    await using story = await CrawlFixture.open()
    const run = () => story.crawl({ name: "mills", seeds: [site.url("/#/")] }, { config: config() })
    await run()
    const routes = ["/#/", "/#/guide", "/#/guide/repairs"]
    for (const route of routes) {
      const page = await story.engine.get(site.url(route) as never)
      expect(page?.markdown).toContain(TOPICS[route.slice(3) as keyof typeof TOPICS])
    }
    expect((await story.engine.stats()).pages).toBe(3)
    // The next run finds the pages unchanged, and does not count the missing page as a page.
    const again = await run()
    expect(again.outcomes).toMatchObject({ unchanged: 3, "skipped:soft-404": 1 })
  })

  test("have one page per route in the path", async () => {
    await using site = await startApp("history")
    await using story = await CrawlFixture.open()
    await story.crawl({ name: "mills", seeds: [site.url("/")] }, { config: config() })
    for (const path of ["/", "/guide", "/guide/repairs"])
      expect((await story.engine.get(site.url(path) as never))?.markdown).toContain(
        TOPICS[path.slice(1) as keyof typeof TOPICS],
      )
    expect((await story.engine.stats()).pages).toBe(3)
  })

  test("are crawled by their routes when scripts lead there from a plain address, with a <base>", async () => {
    await using site = await startApp("hash", '<base href="/">')
    await using story = await CrawlFixture.open()
    await story.crawl({ name: "mills", seeds: [site.url("/")] }, { config: config() })
    expect((await story.engine.get(site.url("/#/guide/repairs") as never))?.markdown).toContain("hornbeam")
    expect((await story.engine.stats()).pages).toBe(3)
  })

  test("omit the routes that the source excludes", async () => {
    await using site = await startApp("hash")
    await using story = await CrawlFixture.open()
    const exclude = ["/#/guide/**"]
    await story.crawl({ name: "mills", seeds: [site.url("/#/")], exclude }, { config: config() })
    expect(await story.engine.get(site.url("/#/guide/repairs") as never)).toBeNull()
    expect((await story.engine.stats()).pages).toBe(1)
  })

  test.each([
    ["one text for all of them, by their paths", "history", ""],
    ["a token that differs each time, by their paths", "history", "<meta name='csrf-token' content='TOKEN'>"],
    ["one text for all of them, by their routes", "hash", ""],
  ] as const)(
    "have the right page at each address even though the site sends %s",
    async (_, routing, head) => {
      await using site = await startLanding(routing, head)
      await using story = await CrawlFixture.open()
      const crawl = () => story.crawl({ name: "mills", seeds: [site.url("/")] }, { config: config() })
      await crawl()
      const at = (topic: string) => site.url(`${routing === "hash" && topic !== "" ? "/#!/" : "/"}${topic}`)
      const read = () =>
        Promise.all(
          Object.keys(TOPICS).map(async (topic) => (await story.engine.get(at(topic) as never))?.markdown),
        )
      const texts = Object.values(TOPICS).map((text) => expect.stringContaining(text) as string)
      expect(await read()).toEqual(texts)
      expect((await story.engine.stats()).pages).toBe(3)
      // The next run opens the pages in a browser at once and changes nothing.
      expect((await crawl()).outcomes).toEqual({ unchanged: 3 })
      expect(await read()).toEqual(texts)
    },
  )

  test("are read as sent when the source has no browser, with a note on what may be missing", async () => {
    await using site = await startLanding("history")
    await using story = await CrawlFixture.open()
    const source = { name: "mills", seeds: [site.url("/")], rendering: "http" } as const
    await story.crawl(source, { config: config() })
    const known = await new KnownAddresses(story.db).get(site.url("/guide") as never)
    expect(known?.outcome).toBe("skipped:duplicate")
    expect(known?.detail).toContain(
      "its scripts may turn each into a different page, and the source is read without a browser",
    )
  })
})

const LANDING =
  "Of all the machines that move with the wind, the mill is the one that people live beside. ".repeat(5)

/** Sends the front page's menu and text for each address; a script replaces the text with the address's own. */
async function startLanding(routing: "hash" | "history", head = ""): Promise<TestSite> {
  const link = routing === "hash" ? "#!/" : "/"
  const page = `<!doctype html><html lang="en"><head><title>Mills</title>${head}</head><body>
<nav><a href='${link}guide'>Guide</a> <a href='${link}guide/repairs'>Repairs</a></nav>
<div class="page"><h1>Mills</h1><p>${LANDING}</p></div><script>
const show = async () => {
  const topic = ${routing === "hash" ? `location.hash.replace(/^#!?\\/?/, "")` : `location.pathname.slice(1)`}
  const answer = await fetch("/texts/" + (topic || "home"))
  document.querySelector(".page").innerHTML = "<h1>" + (topic || "Home") + "</h1><p>" + await answer.text() + "</p>"
}
show()
</script></body></html>`
  let token = 0
  const sent: Answer = (request, response) => {
    html(page.replace("TOKEN", String((token += 1))))(request, response)
  }
  const site = await startTestSite({
    "/robots.txt": textFile("User-agent: *\nDisallow:"),
    "/sitemap.xml": (_, response) => void response.writeHead(404).end(),
    "/texts/home": textFile(text("")),
    "/texts/guide": textFile(text("guide")),
    "/texts/guide/repairs": textFile(text("guide/repairs")),
  })
  site.serve(routing === "hash" ? { "/": sent } : { "*": sent })
  return site
}
