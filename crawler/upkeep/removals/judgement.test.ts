import { describe, expect, test } from "vitest"
import { Serial } from "#base/flow/serial.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { statement } from "#base/store/testing/statement.ts"
import { type PageUrl, sourcesOf, withSources } from "#engine"
import { aPage } from "#engine/testing/pages.ts"
import { VAIN_VISITS, type Visited } from "../../crawl/frontier/known-addresses.ts"
import type { JobTrigger } from "../../job.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { keepLanding } from "../../jobs/landings.ts"
import type { RemovalRules, SourceSpec } from "../../source.ts"
import { migrateSources } from "../../sources/source-schema.ts"
import { MemoryEngine } from "../../testing/memory-engine.ts"
import { at, DAY, GONE, sourceOf, VisitedSite } from "../../testing/visited.ts"
import { carryOutRemovals } from "./carry-out.ts"
import { Removals } from "./removals.ts"
import { RemovedCopies } from "./removed-copies.ts"
import { settleRemovals } from "./settle-removals.ts"

const words = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${name}${from + index}`).join(" ")
const MISSING = { outcome: GONE.outcome, status: 404, detail: "the site answered 404" } as const
const AT_ONCE = { outcome: GONE.outcome, status: 410, detail: "the site answered 410" } as const

/** Runs of sources that get the given results instead of visiting pages, and the judgement of these runs. */
class Runs extends VisitedSite {
  readonly jobs = new Jobs(this.db)
  readonly engine = new MemoryEngine()
  readonly clock = () => this.now
  readonly removals = new Removals(this.db, this.clock)

  constructor() {
    super()
    migrateSources(this.db)
  }

  /** A run that finds pages with the given texts, and other addresses with the given outcomes. */
  async run(
    visits: Readonly<Record<string, string | Partial<Visited>>>,
    {
      source = "site",
      removal = { maxShare: 1 },
      landed = {},
      trigger = "schedule",
      spec: more = {},
      isJudged = true,
      writes,
    }: {
      source?: string
      removal?: Partial<RemovalRules>
      landed?: Record<string, string>
      trigger?: JobTrigger
      spec?: Partial<SourceSpec>
      /** False for a cancelled run. */
      isJudged?: boolean
      writes?: Serial
    } = {},
  ) {
    this.now += DAY
    const spec = sourceOf(source, { removal, ...more })
    const { id } = await this.jobs.enqueue(spec)
    await this.jobs.start(id)
    for (const [path, visit] of Object.entries(visits)) {
      const url = path.startsWith("/") ? at(path) : (path as PageUrl)
      if (typeof visit === "string") {
        const before = this.engine.pages.get(url)
        const page = aPage(url, { markdown: visit, source })
        this.engine.pages.set(
          url,
          before ? withSources(page, [...sourcesOf(before), source] as [string]) : page,
        )
      }
      const ended = typeof visit === "string" ? { outcome: "indexed" as const, hash: visit } : visit
      await this.known.record({ id, source: spec }, [{ url, outcome: "indexed", detail: null, ...ended }])
    }
    for (const [seed, target] of Object.entries(landed))
      await keepLanding(this.db, id, seed, target as PageUrl)
    const { db, engine, clock } = this
    const job = { id, source: spec, trigger }
    const settled = isJudged
      ? await settleRemovals({ db, engine, clock, job, ...(writes && { writes }) })
      : null
    await this.jobs.end(id, isJudged ? "finished" : "cancelled")
    return settled
  }

  carryOut() {
    return carryOutRemovals({ db: this.db, engine: this.engine, clock: this.clock })
  }

  get paths() {
    return [...this.engine.pages.keys()].map((url) => url.replace(at(""), "")).sort()
  }

  async removal(path: string, source = "site") {
    return (await this.removals.of(at(path))).find((one) => one.source === source)
  }
}

const pages = (count: number, from = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = String(from + index).padStart(4, "0")
      return [`/${name}`, words(`p${name}x`, 0, 20)]
    }),
  )
const ended = (paths: readonly string[], visit: Partial<Visited>) =>
  Object.fromEntries(paths.map((path) => [path, visit]))

describe("evidence", () => {
  test("is recorded with its reason, its run and the words of the visit", async () => {
    const runs = new Runs()
    await runs.run(pages(3))
    expect(await runs.run({ "/0000": MISSING })).toEqual({ removed: 0, held: 0 })
    expect(await runs.removals.list("struck")).toEqual([
      {
        url: at("/0000"),
        source: "site",
        state: "struck",
        reason: "not-found",
        detail: "the site answered 404",
        strikes: 1,
        job: 2,
        at: new Date(runs.now),
        keptUntil: null,
      },
    ])
    expect(await runs.run({ "/0000": MISSING }, { removal: { maxShare: 1, keepDays: 3 } })).toEqual({
      removed: 1,
      held: 0,
    })
    expect(await runs.removal("/0000")).toMatchObject({
      state: "removed",
      strikes: 2,
      job: 3,
      at: new Date(runs.now),
      keptUntil: new Date(runs.now + 3 * DAY),
    })
    expect((await runs.known.get(at("/0000")))?.hash).toBeNull()
    expect(runs.paths).toEqual(["/0001", "/0002"])
  })

  test("is complete for more pages than fit in one batch", async () => {
    const runs = new Runs()
    await runs.run(pages(401))
    const gone = Object.keys(pages(400))
    expect(await runs.run(ended(gone, AT_ONCE))).toEqual({ removed: 400, held: 0 })
    expect(runs.paths).toEqual(["/0400"])
    expect(await runs.removals.restore({ job: 2 })).toBe(400)
    await runs.carryOut()
    expect(runs.paths).toHaveLength(401)
  })

  test("starts over for a page that was removed and came back", async () => {
    const runs = new Runs()
    await runs.run(pages(3))
    await runs.run({ "/0000": AT_ONCE })
    await runs.run({ "/0000": "back again with other words" })
    expect(await runs.removal("/0000")).toBeUndefined()
    await runs.run({ "/0000": MISSING })
    expect(await runs.removal("/0000")).toMatchObject({ state: "struck", strikes: 1 })
  })

  test("starts over for a page that was removed and came back, even if the run that found it was not judged", async () => {
    const runs = new Runs()
    await runs.run(pages(3))
    await runs.run({ "/0000": AT_ONCE })
    await runs.run({ "/0000": "back again with other words" }, { isJudged: false })
    await runs.run({ "/0000": MISSING })
    expect(await runs.removal("/0000")).toMatchObject({ state: "struck", strikes: 1 })
    expect(runs.paths).toContain("/0000")
  })

  test("is deleted for a page that was removed and came back, along with its copy", async () => {
    const runs = new Runs()
    const copy = () => new RemovedCopies(runs.db).get(at("/0000"), "site")
    await runs.run(pages(3))
    await runs.run({ "/0000": AT_ONCE })
    expect(await copy()).toMatchObject({ url: at("/0000") })
    await runs.run({ "/0000": "back again with other words" })
    expect(await copy()).toBeNull()
  })

  test("is all that remains of an address in the end, and is deleted with the copy", async () => {
    const runs = new Runs()
    const removal = { maxShare: 1, keepDays: VAIN_VISITS + 3 }
    await runs.run({ "/gone": "One", "/stays": "Two" }, { removal })
    for (let visits = 0; visits < VAIN_VISITS; visits++) {
      await runs.run(
        { "/gone": { ...AT_ONCE, ...(visits > 0 && { hash: null }) }, "/stays": "Two" },
        { removal },
      )
      await runs.carryOut()
    }
    const knows = async () => (await runs.known.get(at("/gone"), "site")) !== null
    await runs.removals.forgetDead()
    expect([runs.paths, await knows()]).toEqual([["/stays"], true])
    runs.now += 9 * DAY
    await runs.removals.purge()
    await runs.removals.forgetDead()
    expect([runs.paths, await knows()]).toEqual([["/stays"], false])
  })

  test("is deleted for an address that is no longer in the index", async () => {
    const runs = new Runs()
    await runs.run(pages(3))
    await runs.run({ "/0000": MISSING })
    await runs.known.setHash(at("/0000"), "site", null)
    await runs.run({})
    expect(await runs.removal("/0000")).toBeUndefined()
  })
})

describe("an address that redirects to an indexed page", () => {
  const leading = (to: string | PageUrl): Partial<Visited> => ({
    outcome: "skipped:duplicate",
    leadsTo: to.startsWith("/") ? at(to) : (to as PageUrl),
  })
  const HOME = words("home", 0, 60)

  test("has moved there, and is removed immediately", async () => {
    const runs = new Runs()
    await runs.run(pages(9))
    expect(await runs.run({ "/0000": leading("/new"), "/new": HOME })).toEqual({ removed: 1, held: 0 })
    expect(await runs.removal("/0000")).toMatchObject({ reason: "moved", strikes: 1 })
  })

  test("counts towards the limit unless its text is there, which is unknown for pages lost from the index", async () => {
    const runs = new Runs()
    await runs.run(pages(9))
    runs.engine.pages.delete(at("/0001"))
    const visits = { "/0000": leading("/new"), "/0001": leading("/new"), "/new": HOME }
    expect(await runs.run(visits, { removal: { maxShare: 0 } })).toEqual({ removed: 0, held: 2 })
    expect((await runs.removals.held())[0]?.reasons).toEqual({ moved: 2 })
  })

  test("leads elsewhere when the target is no longer a page, or is the front page of the seed or its host", async () => {
    const runs = new Runs()
    const [seed, landing] = [at("/"), at("/start")]
    const everything = { ...pages(9), "/": HOME, "/start": HOME, "/lost": words("lost", 0, 60) }
    await runs.run(everything, { landed: { [seed]: landing } })
    const targets = ["/lost", "/none", "/", "/start"]
    const visits = Object.fromEntries(targets.map((to, index) => [`/000${index}`, leading(to)]))
    await runs.run({ "/lost": { outcome: "failed:timeout" }, ...visits }, { landed: { [seed]: landing } })
    expect(
      await Promise.all(targets.map(async (_, index) => (await runs.removal(`/000${index}`))?.reason)),
    ).toEqual(targets.map(() => "leads-elsewhere"))
    // The front page of another host, and that of a source that begins below the root.
    const below = { seeds: ["https://site.example/docs#top"] }
    const more = { "https://other.example/": HOME, "/docs": HOME }
    await runs.run(
      { ...more, "/0005": leading("https://other.example/"), "/0006": leading("/docs") },
      { spec: below },
    )
    expect(
      await Promise.all(["/0005", "/0006"].map(async (path) => (await runs.removal(path))?.reason)),
    ).toEqual(["leads-elsewhere", "leads-elsewhere"])
    // With a query, the front page is a page like any other.
    await runs.run({ "/?article=4": HOME, "/0004": leading("/?article=4") })
    expect((await runs.removal("/0004"))?.reason).toBe("moved")
  })

  test("leads elsewhere when at least five lead there, whatever their parameters", async () => {
    const runs = new Runs()
    await runs.run({ ...pages(20), "/four": HOME })
    const login = (index: number) => `/login;s=${index}?next=${index}`
    const visits = (count: number, to: (index: number) => string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`/000${index}`, leading(to(index))]))
    const logins = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [login(index), HOME]))
    await runs.run({ ...logins, ...visits(5, login) })
    expect((await runs.removals.list("struck")).map(({ reason }) => reason)).toEqual(
      Array(5).fill("leads-elsewhere"),
    )
    const four = Object.fromEntries([5, 6, 7, 8].map((index) => [`/000${index}`, leading("/four")]))
    expect(await runs.run(four)).toEqual({ removed: 4, held: 0 })
  })

  test("has moved when nine tenths of its text are there, no matter what else leads there", async () => {
    const runs = new Runs()
    // 45 of 50 shingles are shared, and then 44 of 50.
    await runs.run({
      "/same": words("same", 0, 47),
      "/like": words("same", 0, 46),
      "/": words("same", 0, 52),
    })
    expect(
      await runs.run({ "/same": leading("/"), "/like": leading("/") }, { removal: { maxShare: 0 } }),
    ).toEqual({
      removed: 1,
      held: 0,
    })
    expect([(await runs.removal("/same"))?.reason, (await runs.removal("/like"))?.reason]).toEqual([
      "moved",
      "leads-elsewhere",
    ])
  })

  test("has moved with its site, where addresses out of scope are not visited", async () => {
    const runs = new Runs()
    const there = (path: string) => `https://new.example${path}`
    const [text, other] = [words("one", 0, 60), words("other", 0, 60)]
    await runs.run({
      "/one": text,
      "/other": other,
      "/missing": HOME,
      [there("/one")]: text,
      [there("/missing")]: HOME,
    })
    const landed = { [at("/")]: there("/") }
    const left = { outcome: "skipped:out-of-scope", detail: "the site has moved" } as const
    expect(await runs.run({ "/one": left, "/other": left, "/missing": MISSING }, { landed })).toEqual({
      removed: 1,
      held: 0,
    })
    expect(await runs.removal("/one")).toMatchObject({ state: "removed", reason: "moved" })
    expect(await runs.removal("/other")).toMatchObject({ state: "struck", reason: "out-of-scope" })
    expect(await runs.removal("/missing")).toMatchObject({ state: "struck", reason: "not-found" })
    // Unless the site has moved, a run started by hand finds no evidence against out-of-scope addresses.
    await runs.run({ "/other": left }, { landed: { [at("/")]: at("/start") }, trigger: "command" })
    expect(await runs.removal("/other")).toMatchObject({ strikes: 1 })
  })

  test("has not moved when its site has not, even if another source finds it there", async () => {
    const runs = new Runs()
    await runs.run({ "/one": HOME })
    await runs.run({ "/one": HOME }, { source: "other" })
    const landed = { [at("/")]: at("/start") }
    await runs.run({ "/one": { outcome: "skipped:out-of-scope" } }, { landed })
    expect(await runs.removal("/one")).toMatchObject({ state: "struck", reason: "out-of-scope" })
  })
})

describe("the limit on removals", () => {
  test.each([
    [10, 0.29, 2, 2],
    [10, 0.3, 3, 3],
    [10, 0.01, 1, 1],
    [10, 0, 1, 0],
  ])("for %d pages at %d, with %d gone, removes %d", async (count, maxShare, gone, removed) => {
    const runs = new Runs()
    await runs.run(pages(count))
    const paths = Object.keys(pages(count))
    expect(await runs.run(ended(paths.slice(0, gone), AT_ONCE), { removal: { maxShare } })).toEqual({
      removed,
      held: gone - removed,
    })
    const more = new Runs()
    await more.run(pages(count))
    expect(await more.run(ended(paths.slice(0, gone + 1), AT_ONCE), { removal: { maxShare } })).toEqual({
      removed: 0,
      held: gone + 1,
    })
  })

  test("applies to each source separately", async () => {
    const runs = new Runs()
    const three = Object.keys(pages(3))
    await runs.run(pages(10), { source: "other" })
    await runs.run(pages(10))
    await runs.run(ended(three, AT_ONCE), { source: "other", removal: { maxShare: 0.1 } })
    expect(await runs.run(ended(three.slice(0, 1), AT_ONCE), { removal: { maxShare: 0.1 } })).toEqual({
      removed: 1,
      held: 0,
    })
    // The page stays in the index for the other source, where its removal is waiting for approval.
    expect(runs.paths).toHaveLength(10)
    expect([
      await runs.removals.count("held"),
      await runs.removals.count("held", "other"),
      await runs.removals.count("held", "site"),
    ]).toEqual([3, 3, 0])
  })
})

describe("the operator's decision", () => {
  /** Two sources with pages whose removal is waiting for approval. */
  async function waiting() {
    const runs = new Runs()
    for (const source of ["b", "a"]) {
      await runs.run(pages(4), { source })
      const visits = { "/0000": AT_ONCE, "/0001": AT_ONCE, "/0002": { outcome: "skipped:noindex" } as const }
      await runs.run(visits, { source, removal: { maxShare: 0 } })
    }
    return runs
  }

  test("is requested for the waiting pages, by source, with the reasons and the latest run", async () => {
    const runs = await waiting()
    const both = { pages: 3, ofPages: 4, reasons: { gone: 2, noindex: 1 } }
    expect(await runs.removals.held()).toEqual([
      { source: "a", ...both, job: 4, at: new Date(runs.now) },
      { source: "b", ...both, job: 2, at: new Date(runs.now - 2 * DAY) },
    ])
    const listed = async (...given: Parameters<Removals["list"]>) =>
      (await runs.removals.list(...given)).map(({ source, url }) => `${source} ${new URL(url).pathname}`)
    const all = ["a", "b"].flatMap((source) => ["/0000", "/0001", "/0002"].map((path) => `${source} ${path}`))
    expect(await listed("held")).toEqual(all)
    expect(await listed("held", { source: "b" })).toEqual(all.slice(3))
    expect(await listed("held", { limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
    expect([await listed("struck"), await runs.removals.count("struck")]).toEqual([[], 0])
    // The latest evidence first.
    expect((await runs.removals.of(at("/0000"))).map(({ source }) => source)).toEqual(["a", "b"])
    expect([await runs.removals.ofRun(2), await runs.removals.ofRun(99)]).toEqual([
      { removed: 0, held: 3 },
      null,
    ])
  })

  test("approves or rejects for a source, and leaves no work once carried out", async () => {
    const runs = await waiting()
    expect([
      await runs.removals.approve("a"),
      await runs.removals.reject("b"),
      await runs.removals.hasWork(),
    ]).toEqual([3, 3, true])
    expect(await runs.removals.list("struck")).toMatchObject([{ strikes: 0 }, { strikes: 0 }, { strikes: 0 }])
    await runs.carryOut()
    expect([
      await runs.removals.hasWork(),
      await runs.removals.count("removed", "a"),
      await runs.removals.ofRun(4),
    ]).toEqual([false, 3, { removed: 3, held: 3 }])
    // The pages now belong to the other source, which reads their current versions.
    expect(runs.paths).toHaveLength(4)
    expect(runs.engine.pages.get(at("/0000"))?.source).toBe("b")
    expect(await runs.removals.restore({ source: "b" })).toBe(0)
    expect(await runs.removals.restore({ urls: [at("/0000"), at("/0003")] })).toBe(1)
    expect(await runs.removals.hasWork()).toBe(true)
    await runs.carryOut()
    expect(runs.engine.pages.get(at("/0000"))).toMatchObject({ source: "b", sharedWith: ["a"] })
    expect(await runs.removal("/0000", "a")).toMatchObject({
      state: "struck",
      strikes: 0,
      keptUntil: null,
      at: new Date(runs.now),
    })
    expect(await runs.removals.restore({ source: "a" })).toBe(2)
  })

  test("is carried out even if another run found the pages missing in the meantime", async () => {
    const runs = await waiting()
    await runs.removals.approve("a")
    const visits = { "/0000": AT_ONCE, "/0001": AT_ONCE }
    expect(await runs.run(visits, { source: "a", removal: { maxShare: 0 } })).toEqual({ removed: 0, held: 0 })
    expect([await runs.removals.count("removed", "a"), (await runs.removals.ofRun(4))?.removed]).toEqual([
      3, 3,
    ])
  })

  test("to restore a page is carried out even if the page came back and disappeared again", async () => {
    const runs = new Runs()
    await runs.run(pages(3))
    await runs.run({ "/0000": AT_ONCE })
    expect(await runs.removals.restore({ urls: [at("/0000")] })).toBe(1)
    await runs.run({ "/0000": "back again with other words" }, { isJudged: false })
    const hash = async () => (await runs.known.get(at("/0000"), "site"))?.hash
    expect(await runs.run({ "/0000": AT_ONCE })).toEqual({ removed: 0, held: 0 })
    expect(await runs.removal("/0000")).toMatchObject({ state: "struck", strikes: 0 })
    // The page stays as it was found, not as in the copy, and no new version is written.
    expect(runs.engine.pages.get(at("/0000"))?.markdown).toBe("back again with other words")
    expect([await hash(), runs.engine.batches]).toEqual(["back again with other words", []])
  })

  test("remains requested while a run is being judged", async () => {
    const runs = new Runs()
    // More pages than are judged at once.
    const gone = Object.keys(pages(201))
    const removal = { maxShare: 0 }
    await runs.run({ ...pages(202), "/start": "Start" })
    await runs.run(ended(gone, AT_ONCE), { removal })
    const waiting: number[] = []
    const get = runs.engine.get.bind(runs.engine)
    runs.engine.get = async (url) => {
      waiting.push(await runs.removals.count("held"))
      return get(url)
    }
    const leads = { outcome: "skipped:duplicate", leadsTo: at("/start") } as const
    await runs.run({ ...ended(gone, AT_ONCE), "/0201": leads }, { removal })
    expect(new Set(waiting)).toEqual(new Set([201]))
  })
})

describe("a page of several sources", () => {
  const away = { outcome: "skipped:out-of-scope" } as const

  test.each([
    ["leaves the index when its site says that it is gone", AT_ONCE, []],
    ["stays there when a source only leaves it out", away, ["/one"]],
  ])("whose other source no longer runs %s", async (_, visit, paths) => {
    const runs = new Runs()
    await runs.run({ "/one": "One" }, { source: "other" })
    runs.now += 31 * DAY
    await runs.run({ "/one": "One" })
    for (let run = 0; run < 2; run++) await runs.run({ "/one": visit })
    expect(await runs.removal("/one")).toMatchObject({ state: "removed" })
    expect(runs.paths).toEqual(paths)
  })

  const login = (user: string) => ({ kind: "basic", user, password: "${PASSWORD}" }) as const

  test.each([
    ["is put back for one that logs in as the other does", "ann", ["other", "site"]],
    ["is not put back for one that logs in as somebody else", "bob", ["other"]],
  ])("%s", async (_, user, sources) => {
    const runs = new Runs()
    const as = (name: string) => ({ spec: { login: login(name) } })
    await runs.run({ "/one": "One", "/two": "Two" }, as("ann"))
    await runs.run({ "/one": AT_ONCE }, as("ann"))
    await runs.run({ "/one": "As the other reads it" }, { source: "other", ...as(user) })
    await runs.removals.restore({ source: "site" })
    await runs.carryOut()
    const page = runs.engine.pages.get(at("/one"))!
    expect([page.markdown, sourcesOf(page).toSorted()]).toEqual(["As the other reads it", sources])
    expect((await runs.known.get(at("/one"), "site"))?.hash).toBe(sources.includes("site") ? "One" : null)
  })
})

test("judging waits its turn among the writers", async () => {
  const runs = new Runs()
  await runs.run(pages(3))
  const writes = new Serial()
  const { promise: before, resolve: end } = Promise.withResolvers<void>()
  const other = writes.run(() => before)
  const settled = runs.run({ "/0000": AT_ONCE }, { writes })
  await new Promise((done) => setImmediate(done))
  expect(runs.paths).toHaveLength(3)
  end()
  await other
  expect(await settled).toEqual({ removed: 1, held: 0 })
})

describe("the removals store", () => {
  test("is created on first use", async () => {
    const removals = new Removals(emptyState())
    await removals.purge()
    expect([await removals.held(), await removals.hasWork()]).toEqual([[], false])
  })

  test("from a newer Fossick is rejected", async () => {
    const db = emptyState()
    expect(await new Removals(db).held()).toEqual([])
    await statement(db, "update schema_version set version = 99 where part = 'removals'").run()
    await expect(new Removals(db).held()).rejects.toThrow("written by a newer Fossick (removals 99")
  })
})
