import { describe, expect, test } from "vitest"
import { type PageUrl, toPageUrl } from "#engine"
import { Jobs } from "../../jobs/jobs.ts"
import type { JobTrigger } from "../../job.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { DailyCrawls, DAY_MS } from "../../testing/daily-crawls.ts"
import {
  type Answer,
  article,
  hangs,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
  textFile,
} from "../../testing/test-site.ts"
import { carryOutRemovals } from "./carry-out.ts"
import { Removals } from "./removals.ts"
import { settleRemovals } from "./settle-removals.ts"
import { statement } from "#base/store/testing/statement.ts"

/** A site, a source, and its runs, a day apart. */
class Story implements AsyncDisposable {
  readonly site: TestSite
  readonly fixture: DailyCrawls
  readonly removals: Removals
  readonly spec: SourceSpec
  readonly clock: DailyCrawls["clock"]

  private constructor(site: TestSite, fixture: DailyCrawls, spec: Omit<SourceSpec, "seeds">) {
    this.site = site
    this.fixture = fixture
    this.clock = fixture.clock
    this.removals = new Removals(this.fixture.db, this.clock)
    this.spec = { name: "site", seeds: [site.url("/")], removal: { maxShare: 0.5 }, ...spec }
  }

  static async begin(
    answers: Readonly<Record<string, Answer>>,
    spec: Omit<SourceSpec, "seeds"> = {},
  ): Promise<Story> {
    return new Story(await startTestSite(answers), await DailyCrawls.open(), spec)
  }

  /** Runs the source, and judges the run. */
  async run(trigger: JobTrigger = "schedule", spec: Partial<SourceSpec> = {}) {
    const { settled } = await this.fixture.crawlNextDay({ ...this.spec, ...spec }, trigger)
    return settled
  }

  async carryOut(): Promise<void> {
    await carryOutRemovals({ db: this.fixture.db, engine: this.fixture.engine, clock: this.clock })
  }

  /** The paths of the pages in the index. */
  get paths(): string[] {
    return [...this.fixture.engine.pages.keys()].map((url) => url.slice(this.site.origin.length)).sort()
  }

  async known(path: string) {
    return await new KnownAddresses(this.fixture.db).get(this.url(path))
  }

  url(path: string): PageUrl {
    return toPageUrl(this.site.url(path))!
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]()
    await this.fixture[Symbol.asyncDispose]()
  }
}

/** A home page that links to articles with these names. */
function siteOf(...names: readonly string[]): Record<string, Answer> {
  const links = names.map((name) => `/${name}`)
  const pages = Object.fromEntries(names.map((name) => [`/${name}`, article(`The ${name} story`)]))
  return { "/": article("Home", { links }), ...pages }
}

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

describe("a page is removed", () => {
  test("after two runs that found it missing, not after one", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"))
    await story.run()
    story.site.serve({ "/a": status(404) })
    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(story.paths).toEqual(["/", "/a", "/b", "/c"])
    expect((await story.removals.of(story.url("/a")))[0]).toMatchObject({
      state: "struck",
      strikes: 1,
      reason: "not-found",
    })
    expect(await story.run()).toEqual({ removed: 1, held: 0 })
    expect(story.paths).toEqual(["/", "/b", "/c"])
    expect(await story.known("/a")).toMatchObject({ hash: null, outcome: "failed:http-status", status: 404 })
    expect(await story.removals.list("removed")).toMatchObject([
      { url: story.url("/a"), source: "site", reason: "not-found", detail: "the site answered 404" },
    ])
  })

  test("not if it came back in between, even if other visits failed", async () => {
    await using story = await Story.begin(siteOf("a", "b"))
    await story.run()
    story.site.serve({ "/a": status(404) })
    await story.run()
    story.site.serve({ "/a": article("The a story") })
    await story.run()
    expect((await story.removals.of(story.url("/a")))[0]).toBeUndefined()
    story.site.serve({ "/a": status(404) })
    await story.run()
    expect(story.paths).toContain("/a")
    // An error is not evidence, nor does it cancel any.
    story.site.serve({ "/a": status(500) })
    await story.run()
    expect((await story.removals.of(story.url("/a")))[0]).toMatchObject({ strikes: 1 })
    story.site.serve({ "/a": status(404) })
    await story.run()
    expect(story.paths).not.toContain("/a")
  })

  test("immediately when it answers 410 or asks not to be indexed", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c", "d"))
    await story.run()
    story.site.serve({
      "/a": status(410),
      "/b": article("The b story", { head: '<meta name="robots" content="noindex">' }),
    })
    expect(await story.run()).toEqual({ removed: 2, held: 0 })
    expect(story.paths).toEqual(["/", "/c", "/d"])
    expect((await story.removals.list("removed")).map(({ reason }) => reason)).toEqual(["gone", "noindex"])
  })

  test("after two runs when robots.txt now disallows it", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"))
    await story.run()
    story.site.serve({ "/robots.txt": textFile("User-agent: *\nDisallow: /a") })
    // The reader caches robots.txt for a day, and the runs in this file share it; a reader with another user agent
    // fetches it again.
    const config = testConfig({ FOSSICK_USER_AGENT: "tester" })
    const { fixture, clock } = story
    for (const expected of [0, 1]) {
      const job = await fixture.crawl(story.spec, { config, clock })
      expect(await settleRemovals({ db: fixture.db, engine: fixture.engine, job, clock })).toEqual({
        removed: expected,
        held: 0,
      })
    }
    expect(story.paths).toEqual(["/", "/b", "/c"])
  })

  test("after two runs when it redirects off the site, and immediately when it redirects to an indexed page", async () => {
    await using elsewhere = await startTestSite({ "/": article("Another site") })
    await using story = await Story.begin(siteOf("a", "b", "c", "d"))
    await story.run()
    story.site.serve({
      "/": article("Home", { links: ["/a", "/b", "/c", "/d", "/new"] }),
      "/a": redirect(elsewhere.origin),
      "/b": redirect("/new"),
      "/new": article("Another story", {
        text: "Told in other words that nobody has heard before. ".repeat(9),
      }),
      "/c": article("C", { head: '<link rel="canonical" href="/d">' }),
    })
    expect(await story.run()).toEqual({ removed: 2, held: 0 })
    expect(story.paths).toEqual(["/", "/a", "/d", "/new"])
    expect((await story.removals.of(story.url("/b")))[0]).toMatchObject({ reason: "moved", state: "removed" })
    expect(await story.run()).toEqual({ removed: 1, held: 0 })
    expect((await story.removals.of(story.url("/a")))[0]).toMatchObject({ reason: "leads-elsewhere" })
    expect(story.paths).toEqual(["/", "/d", "/new"])
  })

  test("never for inconclusive answers: errors, denied access, timeouts, empty pages", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c", "d", "e"))
    await story.run()
    story.site.serve({
      "/a": status(500),
      "/b": status(403),
      "/c": status(401),
      "/d": hangs(),
      "/e": html("<html><body><script>load()</script></body></html>"),
    })
    const { fixture, clock } = story
    const config = testConfig({ FOSSICK_FETCH_TIMEOUT_MS: "6000", FOSSICK_MAX_TRIES: "1" })
    for (let run = 0; run < 2; run++) {
      const job = await fixture.crawl(story.spec, { config, clock })
      await settleRemovals({ db: fixture.db, engine: fixture.engine, job, clock })
    }
    expect(story.paths).toEqual(["/", "/a", "/b", "/c", "/d", "/e"])
    expect(await story.removals.list("struck")).toEqual([])
  })
})

describe("a page out of scope", () => {
  test("is removed by its source's own runs, not by a narrower manual crawl", async () => {
    await using story = await Story.begin(siteOf("a", "b"))
    await story.run()
    const beyond = async (trigger: JobTrigger) => {
      const job = await story.fixture.jobs.enqueue(defineSource(story.spec))
      await story.fixture.jobs.start(job.id)
      await story.fixture.jobs.end(job.id, "finished")
      await new KnownAddresses(story.fixture.db).record({ id: job.id, source: job.source }, [
        { url: story.url("/a"), outcome: "skipped:out-of-scope", detail: "it belongs to the source no more" },
      ])
      const { db, engine } = story.fixture
      return settleRemovals({ db, engine, job: { ...job, trigger }, clock: story.clock })
    }
    for (const trigger of ["command", "command", "schedule"] as const) {
      expect(await beyond(trigger)).toEqual({ removed: 0, held: 0 })
    }
    expect(await beyond("schedule")).toEqual({ removed: 1, held: 0 })
    expect(story.paths).toEqual(["/", "/b"])
  })
})

describe("a site in trouble loses no pages", () => {
  test("when it is down", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS))
    await story.run()
    const before = story.paths
    const down = status(503, { "retry-after": "86400" })
    story.site.serve(Object.fromEntries(before.map((path) => [path, down])))
    for (let run = 0; run < 3; run++) expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(story.paths).toEqual(before)
  })

  test("when all its pages are missing, until the operator approves", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    const before = story.paths
    story.site.serve(Object.fromEntries(NUMBERS.map((name) => [`/${name}`, status(404)])))
    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(await story.run()).toEqual({ removed: 0, held: 9 })
    expect(await story.run()).toEqual({ removed: 0, held: 9 })
    expect(story.paths).toEqual(before)
    expect(await story.removals.held()).toEqual([
      {
        source: "site",
        pages: 9,
        ofPages: 10,
        reasons: { "not-found": 9 },
        job: 4,
        at: new Date(story.fixture.now),
      },
    ])

    expect(await story.removals.approve("another")).toBe(0)
    expect(await story.removals.hasWork()).toBe(false)
    expect(await story.removals.approve("site")).toBe(9)
    expect(await story.removals.hasWork()).toBe(true)
    await story.carryOut()
    expect(story.paths).toEqual(["/"])
    expect(await story.removals.hasWork()).toBe(false)
    expect(await story.removals.ofRun(4)).toEqual({ removed: 9, held: 9 })
  })

  test("when it redirects every page to its front page or to a login", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    const before = story.paths
    story.site.serve({
      ...Object.fromEntries(
        NUMBERS.map((name, index) => [`/${name}`, redirect(index < 4 ? "/" : `/login?next=${name}`)]),
      ),
      "/login": article("Log in", {
        text: "Your name and your password, please, before you go on. ".repeat(9),
      }),
    })
    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(await story.run()).toEqual({ removed: 0, held: 9 })
    expect(story.paths).toEqual(expect.arrayContaining(before))

    story.site.serve(siteOf(...NUMBERS))
    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(await story.removals.held()).toEqual([])
    expect(story.paths).toEqual(expect.arrayContaining(before))
  })
})

describe("a source's limit on removals", () => {
  test("ignores pages that came back, and removes only those found missing again", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.2 } })
    await story.run()
    const gone = { "/one": status(410), "/two": status(410), "/three": status(410) }
    story.site.serve(gone)
    expect(await story.run()).toEqual({ removed: 0, held: 3 })
    // Two pages come back; the third is neither seen nor found missing again.
    story.site.serve({ ...siteOf(...NUMBERS), ...gone, "/two": article("Two"), "/three": status(500) })
    expect(await story.run()).toEqual({ removed: 1, held: 1 })
    expect(story.paths).not.toContain("/one")
    expect((await story.removals.list("held")).map(({ url }) => url)).toEqual([story.url("/three")])
  })

  test("allows at least one page, and none when the operator wants to approve each", async () => {
    await using small = await Story.begin(siteOf("a", "b", "c", "d"), { removal: { maxShare: 0.1 } })
    await small.run()
    small.site.serve({ "/a": status(410) })
    expect(await small.run()).toEqual({ removed: 1, held: 0 })

    await using asking = await Story.begin(siteOf("a", "b", "c", "d"), { removal: { maxShare: 0 } })
    await asking.run()
    asking.site.serve({ "/a": status(410) })
    expect(await asking.run()).toEqual({ removed: 0, held: 1 })
  })

  test("does not count pages whose text moved to another address", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    const moved = NUMBERS.map((name) => [`/${name}`, redirect(`/numbers/${name}`)] as const)
    const homes = NUMBERS.map((name) => [`/numbers/${name}`, article(`The ${name} story`)] as const)
    story.site.serve(Object.fromEntries([...moved, ...homes]))
    expect(await story.run()).toEqual({ removed: 9, held: 0 })
    expect(story.paths).toEqual(["/", ...NUMBERS.map((name) => `/numbers/${name}`)].sort())
  })

  test("does not count the pages of a site that has moved to another host", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    const home = await startTestSite(siteOf(...NUMBERS))
    const before = [...story.fixture.engine.pages.keys()]
    story.site.serve({
      "/": redirect(home.url("/")),
      ...Object.fromEntries(NUMBERS.map((name) => [`/${name}`, redirect(home.url(`/${name}`))])),
    })
    await story.run()
    await story.run()
    expect(await story.removals.held()).toEqual([])
    const moved = before.map((url) => url.replace(story.site.origin, home.origin))
    expect([...story.fixture.engine.pages.keys()].sort()).toEqual(moved.sort())
    await home[Symbol.asyncDispose]()
  })

  test("keeps rejected pages, until two more runs have found them missing", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    story.site.serve({ "/one": status(410), "/two": status(410) })
    expect(await story.run()).toEqual({ removed: 0, held: 2 })
    expect(await story.removals.reject("site")).toBe(2)
    expect(await story.removals.held()).toEqual([])
    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(await story.run()).toEqual({ removed: 0, held: 2 })
    expect(story.paths).toContain("/one")
  })

  test("spares an approved page that has come back since", async () => {
    await using story = await Story.begin(siteOf(...NUMBERS), { removal: { maxShare: 0.1 } })
    await story.run()
    story.site.serve({ "/one": status(410), "/two": status(410) })
    await story.run()
    await story.removals.approve("site")
    story.site.serve({ "/one": article("The one story") })
    // The approval is carried out at the end of the next run, by the process that runs it.
    expect((await story.run()).held).toBe(0)
    expect(story.paths).toContain("/one")
    expect(story.paths).not.toContain("/two")
  })
})

describe("a removed page", () => {
  test("can be restored as it was, and then stays until two more runs have found it missing", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"))
    await story.run()
    const before = await story.fixture.engine.get(story.url("/a"))
    const { hash } = (await story.known("/a"))!
    story.site.serve({ "/a": status(410) })
    await story.run()
    expect(story.paths).not.toContain("/a")

    expect(await story.removals.restore({ urls: [story.url("/a"), story.url("/b")] })).toBe(1)
    await story.carryOut()
    expect(await story.fixture.engine.get(story.url("/a"))).toEqual(before)
    expect(await story.known("/a")).toMatchObject({ hash })
    expect(await story.removals.list("removed")).toEqual([])

    expect(await story.run()).toEqual({ removed: 0, held: 0 })
    expect(await story.run()).toEqual({ removed: 1, held: 0 })
  })

  test("can be restored with its whole source or run, but not over one that came back on its own", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c", "d"))
    await story.run()
    story.site.serve({ "/a": status(410), "/b": status(410) })
    await story.run()
    expect(story.paths).toEqual(["/", "/c", "/d"])
    await story.removals.restore({ job: 2 })
    story.site.serve({
      "/b": article("B", { text: "It is back, and says something else than it did. ".repeat(9) }),
    })
    await story.run()
    expect(story.paths).toEqual(["/", "/a", "/b", "/c", "/d"])
    expect((await story.fixture.engine.get(story.url("/b")))?.markdown).toContain("something else")
    expect(await story.removals.restore({ source: "site" })).toBe(0)
  })

  test("is removed and restored along with its images", async () => {
    await using story = await Story.begin({
      ...siteOf("a", "b"),
      "/a": html(
        `<html><head><title>A</title></head><body><article><h1>A</h1>
         <p><img src="/pump.jpg" width="800" height="600" alt="A pump"></p>
         <p>${"A pump lifts water from the ground to where it is needed. ".repeat(9)}</p></article></body></html>`,
      ),
    })
    const withImages = async () =>
      (await statement(story.fixture.db, "select url from page_images where images <> '[]'").all()).length
    await story.run()
    expect(await withImages()).toBe(1)
    story.site.serve({ "/a": status(410) })
    await story.run()
    expect([story.paths, await withImages()]).toEqual([["/", "/b"], 0])
    await story.removals.restore({ source: "site" })
    await story.carryOut()
    expect([story.paths, await withImages()]).toEqual([["/", "/a", "/b"], 1])
    // The copy is no longer needed.
    expect(await statement(story.fixture.db, "select count(*) as n from removed_page").get()).toEqual({
      n: 0,
    })
  })

  test("is deleted once its retention time is over", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"), { removal: { maxShare: 0.5, keepDays: 2 } })
    await story.run()
    story.site.serve({ "/a": status(410) })
    await story.run()
    expect(await story.removals.list("removed")).toMatchObject([
      { keptUntil: new Date(story.fixture.now + 2 * DAY_MS) },
    ])
    await story.run()
    expect(await story.removals.count("removed")).toBe(1)
    await story.run()
    expect(await story.removals.count("removed")).toBe(0)
    expect(await statement(story.fixture.db, "select count(*) as n from removed_page").get()).toEqual({
      n: 0,
    })
  })
})

describe("a lost process", () => {
  test.each(["before the engine has removed the page", "after it, before the state says so"])(
    "%s leaves nothing that the next one cannot repair",
    async (when) => {
      await using story = await Story.begin(siteOf("a", "b", "c"))
      await story.run()
      story.site.serve({ "/a": status(410) })
      const { engine } = story.fixture
      const remove = engine.remove.bind(engine)
      engine.remove = async (urls) => {
        engine.remove = remove
        if (when.startsWith("after")) await remove(urls)
        throw new Error("killed")
      }
      await expect(story.run()).rejects.toThrow("killed")
      expect((await story.known("/a"))?.hash).not.toBeNull()

      const job = (await story.fixture.jobs.get(2))!
      expect(await settleRemovals({ db: story.fixture.db, engine, job, clock: story.clock })).toEqual({
        removed: 1,
        held: 0,
      })
      expect(story.paths).toEqual(["/", "/b", "/c"])
      expect((await story.known("/a"))?.hash).toBeNull()
      await story.removals.restore({ urls: [story.url("/a")] })
      await story.carryOut()
      expect(story.paths).toEqual(["/", "/a", "/b", "/c"])
    },
  )

  test("during a restore is followed by one that restores the page", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"))
    await story.run()
    story.site.serve({ "/a": status(410) })
    await story.run()
    const { engine } = story.fixture
    await story.removals.restore({ source: "site" })
    engine.beforeIndex = () => Promise.reject(new Error("killed"))
    await expect(story.carryOut()).rejects.toThrow("killed")
    engine.beforeIndex = () => Promise.resolve()
    await story.carryOut()
    expect(story.paths).toEqual(["/", "/a", "/b", "/c"])
  })

  test("does not count twice: a run judged again still counts one strike", async () => {
    await using story = await Story.begin(siteOf("a", "b", "c"))
    await story.run()
    story.site.serve({ "/a": status(404) })
    await story.run()
    const { db, engine, jobs } = story.fixture
    await settleRemovals({ db, engine, job: (await jobs.get(2))!, clock: story.clock })
    expect(story.paths).toContain("/a")
    expect((await story.removals.of(story.url("/a")))[0]).toMatchObject({ strikes: 1 })
  })
})

test("a finished job reports its removals and what waits, and a stopped one judges nothing", async () => {
  await using site = await startTestSite(siteOf(...NUMBERS))
  await using fixture = await CrawlFixture.open()
  const jobs = new Jobs(fixture.db)
  const run = async (pages: Partial<Record<string, Answer>>, signal = new AbortController().signal) => {
    site.serve(pages as Record<string, Answer>)
    const { id } = await jobs.enqueue(defineSource({ seeds: [site.url("/")] }))
    const { db, engine } = fixture
    return await runJob(id, { db, jobs, engine, config: testConfig(), signal, whenAborted: "paused" })
  }
  await run({})
  expect(await run({ "/one": status(410) })).toMatchObject({ state: "finished", note: null })
  expect(fixture.engine.pages.size).toBe(9)
  expect(await run({ "/two": status(410), "/three": status(410) }, AbortSignal.abort())).toMatchObject({
    state: "paused",
    note: null,
  })
  const ended = await run({})
  expect(ended).toMatchObject({
    state: "finished",
    note: "2 pages seem to be gone, too many to remove without your approval: run fossick removals",
  })
  expect(fixture.engine.pages.size).toBe(9)
  expect((await jobs.events(2)).map(({ text }) => text)).toContain("pages removed because they are gone: 1")
})
