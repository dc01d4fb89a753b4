import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { readSourceSpec } from "../source-spec.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { article, html, startTestSite, textFile } from "../../testing/test-site.ts"
import { ReadingPlaces } from "../../fetch/visit/reading-places.ts"
import { surveySite } from "./survey.ts"

const browserPath = await findTestBrowser()
const config = testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "" })

const TEXT = "The pump is primed by hand, and runs dry for no longer than a minute. ".repeat(8)

describe("a survey with a browser", { tags: ["chromium"] }, () => {
  let places: ReadingPlaces
  let story: CrawlFixture

  beforeAll(async () => {
    places = new ReadingPlaces(config)
    story = await CrawlFixture.open()
  })
  afterAll(async () => {
    await places[Symbol.asyncDispose]()
    await story[Symbol.asyncDispose]()
  })

  const survey = (url: string) =>
    surveySite(url as PageUrl, {
      db: story.db,
      config,
      trusted: true,
      ignoresRobots: false,
      taken: new Set<string>(),
      places,
    })

  test("proposes a docsify site by its routes", async () => {
    await using site = await startTestSite({
      "/": html(`<title>Plant</title><div id="app"></div><script>
window.$docsify = {}
const show = async () => {
  if (!location.hash) return location.replace("#/")
  const name = location.hash.slice(2).split("?")[0] || "home"
  const text = await (await fetch("/" + name + ".md")).text()
  document.getElementById("app").innerHTML = "<a href='#/'>Home</a><a href='#/pumps'>Pumps</a><a href='#/pumps?id=part'>Part</a>" +
    "<main><h1>" + name + "</h1><p>" + text + "</p></main>"
}
addEventListener("hashchange", show); show()</script>`),
      "/home.md": textFile(`Start here. ${TEXT.toUpperCase()}`),
      "/pumps.md": textFile(TEXT),
    })
    const { source, program, pages } = await survey(site.url("/"))
    expect(program?.name).toBe("docsify")
    // The source can be declared; crawler/fetch/render/routed-sites.browser.test.ts tests crawling such a site.
    expect(readSourceSpec(source)).toMatchObject({ seeds: [site.url("/#/")], rendering: "browser" })
    expect(pages.map(({ url, page }) => [url, page?.title !== undefined])).toEqual([
      [site.url("/#/"), true],
      [site.url("/#/pumps"), true],
    ])
  })

  test("compares when some text is sent with the page, and proposes a browser only if it shows more", async () => {
    const app = (script: string) =>
      html(
        `<title>App</title><div id="root"><main><h1>Plant</h1><p>${TEXT}</p></main></div><script type="module">${script}</script>`,
      )
    await using site = await startTestSite({
      "/more": app(
        `document.querySelector("main").insertAdjacentHTML("beforeend", "<h2>Seals</h2><p>" + "Seals are greased twice a year, with tallow. ".repeat(60) + "</p>")`,
      ),
      "/same": app(`document.title = "App, running"`),
      "/plain": article("Plain"),
    })
    expect((await survey(site.url("/more"))).source.rendering).toBe("browser")
    const same = await survey(site.url("/same"))
    expect(same.source.rendering).toBeUndefined()
    expect(same.rendering?.because).toMatch(
      /^the page contains its text without scripts: \d+ characters without a browser, \d+ in one$/,
    )
    expect((await survey(site.url("/plain"))).rendering?.because).toBe(
      "the page contains its text without scripts",
    )
  })
})
