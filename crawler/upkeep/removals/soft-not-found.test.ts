import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import {
  type Answer,
  article,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
  textFile,
} from "../../testing/test-site.ts"
import { Removals } from "./removals.ts"
import { settleRemovals } from "./settle-removals.ts"

/** Texts with nothing in common. */
const HOME =
  "Boats that come in at low tide wait outside for the pilot, who knows where the sand has gone since winter. " +
  "Those that cannot wait put in further north, where the water is deep and a mooring costs twice as much."
const NEW_HOME =
  "Our harbour has been rebuilt: three new piers, a crane, and a house for the customs with a view of the bay."
const SORRY =
  "What you were looking for left us, or never was among our things. Have a look at this list instead: knives, forks."

/** Responds to any path with a text that repeats the path, as "not found" pages often do. */
const sorry: Answer = (request, response) => {
  html(article("Things", { text: `${SORRY} Nothing at ${request.url} today.` }))(request, response)
}

const probes = (site: TestSite) => site.requests.filter((path) => path.includes("no-such-page-"))

async function crawl(fixture: CrawlFixture, site: TestSite) {
  const source = { seeds: [site.url("/")], removal: { maxShare: 1 } }
  const job = await fixture.crawl(source, { trigger: "schedule" })
  await settleRemovals({ db: fixture.db, engine: fixture.engine, job })
  return job
}

const titles = (fixture: CrawlFixture) => [...fixture.engine.pages.values()].map(({ title }) => title).sort()

async function detail(
  fixture: CrawlFixture,
  site: TestSite,
  path: string,
): Promise<string | null | undefined> {
  return (await new KnownAddresses(fixture.db).get(site.url(path) as PageUrl))?.detail
}

describe("an indexed page is kept", () => {
  test("when the site says that it is missing for any address, with status 200", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b"], text: HOME }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    expect(probes(site)).toEqual([])

    site.serve({ "*": sorry, "/a": sorry, "/b": sorry })
    for (let run = 0; run < 3; run++) {
      expect((await crawl(fixture, site)).outcomes).toEqual({ unchanged: 1, "skipped:soft-404": 2 })
    }
    expect(titles(fixture)).toEqual(["Alpha", "Beta", "Home"])
    expect(await detail(fixture, site, "/a")).toBe("the site sends the same text for pages that don't exist")
    expect(await new Removals(fixture.db).list("struck")).toEqual([])
    // One probe per run, however many pages changed.
    expect(probes(site)).toHaveLength(3)

    site.serve({ "*": status(404), "/a": article("Alpha anew"), "/b": status(410) })
    await crawl(fixture, site)
    expect(titles(fixture)).toEqual(["Alpha anew", "Home"])
  })

  test("when it reports itself missing, even if the site handles other errors properly", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"], text: HOME }),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    site.serve({ "/a": article("Product not found", { text: "We sell it no more." }) })
    expect((await crawl(fixture, site)).outcomes).toEqual({ unchanged: 1, "skipped:soft-404": 1 })
    expect(titles(fixture)).toEqual(["Alpha", "Home"])
    expect(probes(site)).toEqual([])
  })

  test("when the site shows its front page instead, changed or not, unless the page always had that text", async () => {
    const home = (text: string, title = "Home") => article(title, { links: ["/a", "/index.html"], text })
    await using site = await startTestSite({
      "/": home(HOME),
      "/index.html": home(HOME, "Start"),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    site.serve({ "/a": home(HOME) })
    expect((await crawl(fixture, site)).outcomes).toEqual({ unchanged: 2, "skipped:soft-404": 1 })
    expect(await detail(fixture, site, "/a")).toBe("it now has the text of the front page")

    site.serve({ "/": home(NEW_HOME), "/index.html": home(NEW_HOME, "Start"), "/a": home(NEW_HOME) })
    expect((await crawl(fixture, site)).outcomes).toMatchObject({ indexed: 2, "skipped:soft-404": 1 })
    expect(titles(fixture)).toEqual(["Alpha", "Home", "Start"])
  })

  test("when the whole site is under maintenance, including its front page", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"], text: HOME }),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    const closed = article("We'll be right back", { text: "New shelves are being put up." })
    site.serve({ "/": closed, "/a": closed, "*": closed })
    await crawl(fixture, site)
    expect(titles(fixture)).toEqual(["Alpha", "Home"])
  })
})

describe("a page is updated", () => {
  test("when it was edited or rewritten, and the site reports missing pages properly", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b"], text: HOME }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    site.serve({ "/a": article("Alpha and more"), "/b": article("Beta rewritten", { text: NEW_HOME }) })
    expect((await crawl(fixture, site)).outcomes).toEqual({ unchanged: 1, indexed: 2 })
    expect(titles(fixture)).toEqual(["Alpha and more", "Beta rewritten", "Home"])
    expect(probes(site)).toHaveLength(1)
  })

  test("when it was rewritten, and robots.txt allows no other request", async () => {
    await using site = await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /\nAllow: /$\nAllow: /a$"),
      "/": article("Home", { links: ["/a"], text: HOME }),
      "/a": article("Alpha"),
      "*": sorry,
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    site.serve({ "/a": article("Alpha rewritten", { text: NEW_HOME }) })
    await crawl(fixture, site)
    expect(titles(fixture)).toEqual(["Alpha rewritten", "Home"])
    expect(probes(site)).toEqual([])
  })
})

describe("a new page", () => {
  test("is left out when it reports itself missing, in its own words or the site's standard ones", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b", "/c", "/d"], text: HOME }),
      "/a": article("404 Not Found", { text: "There is no such page among ours." }),
      "/b": article("Things that were not found", { text: `${SORRY} Nothing at /b today.` }),
      "/c": article("What was not found at sea", { text: NEW_HOME }),
      "/d": article("Delta"),
      "*": (request, response) => {
        const text = `${SORRY} Nothing at ${request.url} today.`
        html(article("Things that were not found", { text }))(request, response)
      },
    })
    await using fixture = await CrawlFixture.open()
    expect((await crawl(fixture, site)).outcomes).toEqual({ indexed: 3, "skipped:soft-404": 2 })
    expect(titles(fixture)).toEqual(["Delta", "Home", "What was not found at sea"])
    expect(probes(site)).toHaveLength(1)
  })

  test("counts as a strike against an indexed page that redirects to it", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"], text: HOME }),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    await crawl(fixture, site)
    site.serve({
      "/a": redirect("/error.html"),
      "/error.html": article("Page not found", { text: "Sorry." }),
    })
    await crawl(fixture, site)
    expect(titles(fixture)).toEqual(["Alpha", "Home"])
    await crawl(fixture, site)
    expect(titles(fixture)).toEqual(["Home"])
  })
})

describe("a wiki page that does not exist yet", () => {
  const OFFER =
    "You've followed a link to a topic that nobody has written. If permissions allow, you may create it."

  test("is recognised by its program's markers, in any language", async () => {
    const doku = (more: string, text: string) =>
      `<html><body><div id="dokuwiki__site"><div class="dokuwiki mode_show tpl_dokuwiki ${more}"><h1>Apoj</h1><p>${text}</p></div></div></body></html>`
    const media = `<html><body><h1 id="firstHeading">Mielo</h1><div id="mw-content-text"><div class="noarticletext mw-content-ltr"><p>Ĉi tie mankas teksto.</p></div></div></body></html>`
    await using site = await startTestSite({
      "/": article("Home", { links: ["/apoj", "/vakso", "/mielo"], text: HOME }),
      "/apoj": doku("notFound", "Ĉi tiu paĝo ankoraŭ ne ekzistas."),
      "/vakso": doku("", "La vakso venas de la abeloj, kaj ili konstruas per ĝi."),
      "/mielo": media,
    })
    await using fixture = await CrawlFixture.open()
    expect((await crawl(fixture, site)).outcomes).toEqual({ indexed: 2, "skipped:soft-404": 2 })
    expect(await detail(fixture, site, "/apoj")).toBe("its text says so, though its status is 200")
    expect(probes(site)).toEqual([])
  })

  test("is recognised by its wording, and a page that quotes it is not", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/doku.php?id=bees", "/doku.php?id=about:links"], text: HOME }),
      "/doku.php?id=bees": article("This topic does not exist yet", { text: OFFER }),
      "/doku.php?id=about:links": article("Red links", {
        text: `A red link says: "This topic does not exist yet". It leads to a page that you may write. ${HOME}`,
      }),
    })
    await using fixture = await CrawlFixture.open()
    expect((await crawl(fixture, site)).outcomes).toEqual({ indexed: 2, "skipped:soft-404": 1 })
  })

  test("is recognised by requesting an impossible page from the same program", async () => {
    const form = article("Create new page", {
      text: "Title, content, message. Save what you wrote, or preview it.",
    })
    await using site = await startTestSite({
      "/": article("Home", { links: ["/wiki.cgi?page=Bees"], text: HOME }),
      "/wiki.cgi": form,
      "*": status(404),
    })
    await using fixture = await CrawlFixture.open()
    expect((await crawl(fixture, site)).outcomes).toEqual({ indexed: 1, "skipped:soft-404": 1 })
    expect(probes(site)).toEqual([expect.stringMatching(/^\/wiki\.cgi\?page=no-such-page-/)])
  })
})
