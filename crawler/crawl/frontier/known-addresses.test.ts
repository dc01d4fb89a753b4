import { type Expression, sql, type SqlBool } from "kysely"
import { describe, expect, test } from "vitest"
import { at, DAY, GONE, HOUR, PAGE, sourceOf, VisitedSite } from "../../testing/visited.ts"
import { type Found, FOUND_SOMEHOW, VAIN_VISITS, type Visited } from "./known-addresses.ts"
import { packLinks } from "./page-links.ts"
import { statement } from "#base/store/testing/statement.ts"

const found = (more: Partial<Found>): Found => ({ ...FOUND_SOMEHOW, ...more })

describe("a visit", () => {
  test("to an address without details records these facts", async () => {
    const site = new VisitedSite()
    const { now } = site
    expect(await site.visit("/", PAGE)).toEqual({
      url: at("/"),
      source: "site",
      job: 1,
      outcome: "indexed",
      detail: null,
      hash: "h",
      title: null,
      visitedAt: now,
      changedAt: now,
      status: null,
      leadsTo: null,
      depth: 1,
      foundHow: "link",
      foundOn: null,
      firstSeen: now,
      dueAt: now + 0.9 * DAY,
      intervalMs: DAY,
      misses: 0,
      validators: { etag: null, lastModified: null },
      copy: null,
      readAs: null,
      listedIn: null,
      modifiedAt: null,
      publishedAt: null,
      isNews: false,
    })
  })

  test("records its details, and the next one keeps those it does not provide", async () => {
    const site = new VisitedSite()
    const first = site.now
    const told = {
      title: "Roses",
      validators: { etag: '"1"', lastModified: null },
      copy: { at: at("/roses.md"), digest: "d", pageBytes: 9, readAt: first, checks: 0 },
      readAs: "article",
      found: found({
        depth: 3,
        how: "sitemap",
        on: "https://site.example/sitemap.xml",
        listedIn: "https://site.example/sitemap.xml",
        modifiedAt: first + DAY,
        publishedAt: first - 9 * DAY,
        isNews: true,
      }),
    } as const
    const whole = {
      title: "Roses",
      validators: told.validators,
      copy: told.copy,
      readAs: "article",
      depth: 3,
      foundHow: "sitemap",
      foundOn: told.found.on,
      listedIn: told.found.listedIn,
      modifiedAt: first + DAY,
      publishedAt: first - 9 * DAY,
      isNews: true,
      hash: "h",
      firstSeen: first,
      changedAt: first,
    }
    const lost = { outcome: "failed:http-status", detail: "no", status: 500, leadsTo: at("/new") } as const
    expect(await site.visit("/", { ...PAGE, ...told })).toMatchObject(whole)
    site.now += DAY
    expect(await site.visit("/", { ...lost, job: 2 })).toMatchObject({
      ...whole,
      ...lost,
      job: 2,
      visitedAt: site.now,
      misses: 1,
    })
    expect(await site.visit("/", { outcome: "unchanged", job: 3 })).toMatchObject({
      ...whole,
      status: null,
      leadsTo: null,
      detail: null,
      misses: 0,
    })
  })

  test("records when the page changed in the index", async () => {
    const site = new VisitedSite()
    const { now } = site
    expect(await site.visit("/never", { outcome: "skipped:empty" })).toMatchObject({
      hash: null,
      changedAt: null,
    })
    expect((await site.visit("/", PAGE)).changedAt).toBe(now)
    site.now += DAY
    expect((await site.visit("/", PAGE)).changedAt).toBe(now)
    expect((await site.visit("/", { ...PAGE, hash: "other" })).changedAt).toBe(now + DAY)
    site.now += DAY
    expect(await site.visit("/", GONE)).toMatchObject({ hash: null, changedAt: now + 2 * DAY })
    site.now += DAY
    expect(await site.visit("/", GONE)).toMatchObject({ hash: null, changedAt: now + 2 * DAY })
  })

  test("to an address found again records its new depth, while one left from an earlier run keeps its depth", async () => {
    const site = new VisitedSite()
    await site.visit("/", { ...PAGE, found: found({ how: "link", on: at("/one"), depth: 5 }) })
    expect(await site.visit("/", { ...PAGE, found: found({ depth: 2 }) })).toMatchObject({
      depth: 5,
      foundOn: at("/one"),
    })
    expect(
      await site.visit("/", { ...PAGE, found: found({ how: "link", on: at("/two"), depth: 2 }) }),
    ).toMatchObject({
      depth: 2,
      // The record still describes how the address was first found.
      foundOn: at("/one"),
    })
    expect((await site.visit("/new", { ...PAGE, found: found({ depth: 7 }) })).depth).toBe(7)
  })

  test.each<[Partial<Visited>, number, number]>([
    [{ outcome: "indexed", hash: "h" }, 24, 0],
    [{ outcome: "unchanged" }, 24, 0],
    [{ outcome: "postponed", status: 429 }, 1, 1],
    [{ outcome: "postponed" }, 1, 1],
    [{ outcome: "failed:timeout" }, 1, 1],
    [{ outcome: "failed:http-status", status: 300 }, 1, 1],
    [{ outcome: "failed:http-status", status: 400 }, 24, 1],
    [{ outcome: "failed:http-status", status: 499 }, 24, 1],
    [{ outcome: "failed:http-status", status: 500 }, 1, 1],
    [{ outcome: "skipped:noindex" }, 24, 1],
    [{ outcome: "failed:http-status", status: 404, hash: "h" }, 1, 1],
    [{ outcome: "skipped:noindex", hash: "h" }, 1, 1],
  ])(
    "that ended with %o is followed by the next after %d hours, with %d misses",
    async (visit, hours, misses) => {
      const site = new VisitedSite()
      const { dueAt, misses: missed } = await site.visit("/", visit)
      expect([(dueAt - site.now) / HOUR / 0.9, missed]).toEqual([hours, misses])
    },
  )

  test("is scheduled by the page's age, its sitemap date, and its rhythm so far", async () => {
    const site = new VisitedSite()
    const interval = async (path: string, lastModified: string | null) =>
      (await site.visit(path, { ...PAGE, validators: { etag: null, lastModified } })).intervalMs
    expect(await interval("/young", new Date(site.now - 20 * HOUR).toUTCString())).toBe(2 * HOUR)
    expect(await interval("/odd", "yesterday")).toBe(DAY)
    expect(await interval("/none", null)).toBe(DAY)

    const listed = { ...PAGE, found: found({ how: "sitemap", modifiedAt: site.now - DAY }) }
    const dueIn = async (path: string, visit: Partial<Visited>) =>
      ((await site.visit(path, visit)).dueAt - site.now) / HOUR / 0.9
    expect(await dueIn("/listed", listed)).toBe(720)
    // The date stays until the sitemap states another.
    expect(await dueIn("/listed", { outcome: "unchanged" })).toBe(720)

    await site.visit("/rhythm", PAGE)
    site.now += DAY
    expect((await site.visit("/rhythm", { outcome: "unchanged" })).intervalMs).toBe(1.5 * DAY)
    site.now += 1.5 * DAY
    expect((await site.visit("/rhythm", { ...PAGE, hash: "other" })).intervalMs).toBe(0.75 * DAY)
    await site.visit("/rhythm", { outcome: "failed:timeout" })
    expect(await site.visit("/rhythm", { outcome: "failed:timeout" })).toMatchObject({
      misses: 2,
      intervalMs: 0.75 * DAY,
    })
  })

  test("starts a rhythm for an address known to an older version without one", async () => {
    const site = new VisitedSite()
    await site.visit("/", PAGE)
    await site.db.script("update known_address set interval_ms = null, misses = 5, visited_at = 0")
    expect(await site.visit("/", { outcome: "unchanged" })).toMatchObject({ intervalMs: DAY, misses: 0 })
  })
})

describe("the links of a page", () => {
  const links = (path: string, ...to: string[]) => packLinks(at(path), to)

  test("are kept until it is read again or deleted", async () => {
    const site = new VisitedSite()
    const { known } = site
    await site.visit("/", { ...PAGE, links: links("/", at("/a"), "https://else.example/") })
    expect(await known.linksOf("site", at("/"))).toEqual([at("/a"), "https://else.example/"])
    expect([await known.hasLinksOf("site", at("/")), await known.hasLinksOf("other", at("/"))]).toEqual([
      true,
      false,
    ])
    await site.visit("/", { outcome: "unchanged" })
    expect(await known.linksOf("site", at("/"))).toHaveLength(2)
    await site.visit("/", { ...PAGE, links: links("/", at("/b")) })
    expect(await known.linksOf("site", at("/"))).toEqual([at("/b")])
    await site.visit("/", { outcome: "failed:http-status", status: 500 })
    expect(await known.hasLinksOf("site", at("/"))).toBe(true)
    for (const status of [404, 410]) {
      await site.visit("/", { ...PAGE, links: links("/", at("/b")) })
      await site.visit("/", { ...GONE, status })
      expect(await known.linksOf("site", at("/"))).toBeNull()
    }
    await site.visit("/", { ...PAGE, links: links("/", at("/b")) })
    await site.visit("/", { ...PAGE, links: null })
    expect(await known.hasLinksOf("site", at("/"))).toBe(false)
  })

  test("are deleted with the address", async () => {
    const site = new VisitedSite()
    for (const source of ["site", "other"])
      await site.visit("/", { ...PAGE, source, links: links("/", at("/a")) })
    await site.known.forget(at("/"), "site")
    expect([await site.known.get(at("/"), "site"), await site.known.linksOf("site", at("/"))]).toEqual([
      null,
      null,
    ])
    expect((await site.known.get(at("/")))?.source).toBe("other")
    expect(await site.known.hasLinksOf("other", at("/"))).toBe(true)
  })
})

describe("the addresses of different sources", () => {
  test("are known best by the source whose page is indexed, then by the latest visitor, then by name", async () => {
    const site = new VisitedSite()
    await site.visit("/", { ...PAGE, source: "old", hash: "old" })
    site.now += DAY
    for (const source of ["b", "a"]) await site.visit("/", { ...PAGE, source, hash: source })
    site.now += DAY
    await site.visit("/", { ...GONE, source: "gone" })
    expect((await site.known.all(at("/"))).map(({ source }) => source)).toEqual(["a", "b", "old", "gone"])
    expect((await site.known.get(at("/")))?.source).toBe("a")
    expect((await site.known.get(at("/"), "old"))?.hash).toBe("old")
    expect([await site.known.hashOf(at("/")), await site.known.hashOf(at("/"), "gone")]).toEqual(["a", null])
    expect([
      await site.known.get(at("/none")),
      await site.known.get(at("/none"), "a"),
      await site.known.hashOf(at("/none")),
    ]).toEqual([null, null, null])
  })

  test("have an indexed page only for the source that the index reports", async () => {
    const site = new VisitedSite()
    for (const source of ["a", "b"]) await site.visit("/", { ...PAGE, source })
    site.now += DAY
    await site.known.setHash(at("/"), "a", null)
    expect(await site.known.get(at("/"), "a")).toMatchObject({ hash: null, changedAt: site.now })
    expect(await site.known.get(at("/"), "b")).toMatchObject({ hash: "h", changedAt: site.now - DAY })
    await site.known.setHash(at("/"), "a", "again")
    expect(await site.known.hashOf(at("/"), "a")).toBe("again")
  })
})

describe("the addresses of a source", () => {
  test("are returned longest due first, in batches, without those this job has visited", async () => {
    const site = new VisitedSite()
    const paths = Array.from({ length: 1001 }, (_, index) => `/${String(index).padStart(4, "0")}`)
    const visits = paths.map((path) => ({ url: at(path), detail: null, ...PAGE }))
    await site.known.record({ id: 1, source: sourceOf("site") }, visits)
    await site.visit("/of-this-job", { ...PAGE, job: 2 })
    await site.visit("/of-another", { ...PAGE, source: "other" })
    await site.known.makeDue(at("/0700"), "site")
    const first = await site.known.chunk("site", 2, Number.MAX_SAFE_INTEGER, null)
    expect(first.addresses.map(({ url }) => url)).toEqual([
      at("/0700"),
      ...paths
        .filter((path) => path !== "/0700")
        .slice(0, 999)
        .map(at),
    ])
    expect(first.next).toEqual({ dueAt: site.now + 0.9 * DAY, url: at("/0999") })
    const second = await site.known.chunk("site", 2, Number.MAX_SAFE_INTEGER, first.next)
    expect(second.addresses.map(({ url }) => url)).toEqual([at("/1000")])
    expect(second.next).toBeNull()
    const due = await site.known.chunk("site", 2, site.now, null)
    expect([due.addresses.map(({ url }) => url), due.next]).toEqual([[at("/0700")], null])
  })

  test("are due when someone requests one, and read in full", async () => {
    const site = new VisitedSite()
    const validators = { etag: '"1"', lastModified: "Thu, 01 Jan 1970 00:00:00 GMT" }
    const copy = { at: at("/"), digest: "d", pageBytes: 9, readAt: site.now, checks: 0 }
    for (const source of ["a", "b"]) await site.visit("/", { ...PAGE, source, validators, copy })
    expect(await site.known.makeDue(at("/"), "a")).toBe(true)
    expect(await site.known.makeDue(at("/none"), "a")).toBe(false)
    expect(await site.known.get(at("/"), "a")).toMatchObject({
      dueAt: 0,
      validators: { etag: null, lastModified: null },
      copy: null,
    })
    expect(await site.known.get(at("/"), "b")).toMatchObject({ validators, copy })
  })

  test("are due if the clock was ahead when they were visited", async () => {
    const site = new VisitedSite()
    const listed = { ...PAGE, found: found({ how: "sitemap", modifiedAt: 0 }) }
    const { dueAt } = await site.visit("/on-time", listed)
    site.now += 4000 * DAY
    await site.visit("/ahead", PAGE)
    await site.visit("/ahead", { ...PAGE, source: "other" })
    site.now -= 4000 * DAY
    await site.known.heal(sourceOf("site"))
    expect(site.known.now()).toBe(site.now)
    expect((await site.known.get(at("/ahead"), "site"))?.dueAt).toBe(site.now)
    expect((await site.known.get(at("/ahead"), "other"))?.dueAt).toBeGreaterThan(site.now)
    expect((await site.known.get(at("/on-time"), "site"))?.dueAt).toBe(dueAt)
    // A wait of exactly the longest interval is not too long, whichever limit sets that interval.
    await statement(site.db, "update known_address set due_at = ?").run(site.now + 48 * HOUR)
    await site.known.heal(sourceOf("site", { revisit: { minHours: 48, maxHours: 2 } }))
    expect((await site.known.get(at("/ahead"), "site"))?.dueAt).toBe(site.now + 48 * HOUR)
    await site.known.heal(sourceOf("site", { revisit: { minHours: 2, maxHours: 47 } }))
    expect((await site.known.get(at("/ahead"), "site"))?.dueAt).toBe(site.now)
  })

  test("are counted as pages by their latest check, by any source", async () => {
    const site = new VisitedSite()
    expect(await site.known.lookedAtSince([0])).toEqual({ pages: 0, since: [0], oldest: null })
    expect(await site.known.pages()).toBe(0)
    const { now } = site
    await site.visit("/old", PAGE)
    await site.visit("/both", PAGE)
    await site.visit("/gone", GONE)
    site.now += DAY
    await site.visit("/both", { ...PAGE, source: "other" })
    expect(await site.known.lookedAtSince([now - 1, now])).toEqual({
      pages: 2,
      since: [2, 1],
      oldest: new Date(now),
    })
    expect(await site.known.pages()).toBe(2)
    expect(await site.known.some("site", 9)).toEqual(
      expect.arrayContaining([
        { url: at("/old"), hash: "h" },
        { url: at("/gone"), hash: null },
      ]),
    )
    expect([(await site.known.some("site", 9)).length, (await site.known.some("site", 2)).length]).toEqual([
      3, 2,
    ])
  })
})

describe("a sitemap or feed", () => {
  const SITEMAP = "https://site.example/sitemap.xml"
  const facts = { modifiedAt: 5, publishedAt: 6, isNews: true }
  const nothing = { modifiedAt: null, publishedAt: null, isNews: false }

  test("provides facts about known addresses, and learns how they were known", async () => {
    const site = new VisitedSite()
    await site.visit("/", PAGE)
    await site.visit("/", { ...PAGE, source: "other" })
    expect(await site.known.list("site", 2, at("/none"), SITEMAP, facts)).toBeNull()
    expect(await site.known.list("site", 2, at("/"), SITEMAP, facts)).toMatchObject({
      listedIn: null,
      ...nothing,
    })
    expect(await site.known.get(at("/"), "site")).toMatchObject({ listedIn: SITEMAP, ...facts })
    expect(await site.known.get(at("/"), "other")).toMatchObject({ listedIn: null, ...nothing })
    // Values that a list does not state stay the same.
    await site.known.list("site", 3, at("/"), null, nothing)
    expect(await site.known.get(at("/"), "site")).toMatchObject({ listedIn: SITEMAP, ...facts })
  })

  test("that no longer lists an address makes it due", async () => {
    const site = new VisitedSite()
    const listed = (listedIn: string) => found({ how: "sitemap", listedIn, modifiedAt: 5 })
    for (const path of ["/here", "/left", "/due"]) await site.visit(path, { ...PAGE, found: listed(SITEMAP) })
    await site.visit("/elsewhere", { ...PAGE, found: listed("https://site.example/other.xml") })
    await site.visit("/left", { ...PAGE, source: "other", found: listed(SITEMAP) })
    await site.known.makeDue(at("/due"), "site")
    await site.known.list("site", 2, at("/here"), SITEMAP, nothing)
    expect((await site.known.unlisted("site", SITEMAP, 2)).map(({ url }) => url).sort()).toEqual([
      at("/due"),
      at("/left"),
    ])
    expect(await site.known.get(at("/left"), "site")).toMatchObject({
      listedIn: null,
      modifiedAt: null,
      dueAt: site.now,
    })
    expect((await site.known.get(at("/due"), "site"))?.dueAt).toBe(0)
    for (const [path, source] of [
      ["/here", "site"],
      ["/elsewhere", "site"],
      ["/left", "other"],
    ] as const) {
      const { listedIn, dueAt } = (await site.known.get(at(path), source))!
      expect([path, listedIn !== null, dueAt > site.now]).toEqual([path, true, true])
    }
    expect(await site.known.unlisted("site", SITEMAP, 2)).toEqual([])
  })
})

test("an address where nothing is found repeatedly is forgotten, unless something supports it", async () => {
  const site = new VisitedSite()
  const often = async (
    path: string,
    visit: Partial<Visited> = GONE,
    times = VAIN_VISITS,
    source = "site",
  ) => {
    await site.visit(path, { ...visit, source })
    // The remaining misses are the same as the first, so the row is updated directly.
    await statement(site.db, "update known_address set misses = ? where url = ? and source = ?").run(
      times,
      at(path),
      source,
    )
  }
  await site.visit("/was-a-page", PAGE)
  for (let page = 0; page < 1001; page++) await often(`/gone/${page}`)
  for (const path of ["/was-a-page", "/spared"]) await often(path)
  await often("/lately", GONE, VAIN_VISITS - 1)
  await often("/listed", {
    ...GONE,
    found: found({ how: "sitemap", listedIn: "https://site.example/sitemap.xml" }),
  })
  await often("/away", { ...GONE, status: 503 })
  await often("/held", { outcome: "failed:http-status", status: 404, hash: "h" })
  await often("/other", GONE, VAIN_VISITS, "other")
  await site.visit("/other", PAGE)
  const spared = (url: Expression<string>, source: Expression<string>) =>
    sql<SqlBool>`${url} like '%/spared' and ${source} = 'site'`
  expect(await site.known.forgetDead(spared)).toBe(1003)
  const left = (await site.known.some("site", 2000)).map(({ url }) => url)
  expect(left.sort()).toEqual(["/away", "/held", "/lately", "/listed", "/other", "/spared"].map(at))
  expect(await site.known.forgetDead()).toBe(1)
})
