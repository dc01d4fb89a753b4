import { describe, expect, test } from "vitest"
import { toPageUrl } from "#engine"
import { KnownAddresses } from "../crawl/frontier/known-addresses.ts"
import { HANDBOOK_SOURCE } from "../handbook-source.ts"
import { removeAskedPages } from "../upkeep/removals/remove-pages.ts"
import { defineSource } from "../source.ts"
import { knowsAny } from "../crawl/frontier/source-pages.ts"
import { findableNames } from "./source-names.ts"
import { CrawlFixture } from "../testing/crawl-fixture.ts"
import { SourceError } from "./written/source-problem.ts"
import { SourceOfFileError } from "./source-table.ts"
import { Sources } from "./sources.ts"

const HOUR = 3_600_000
const MIDNIGHT = Date.UTC(2026, 2, 2)

/** Sources whose clock is turned by hand. */
class Fixture extends CrawlFixture {
  now = MIDNIGHT
  chance = 0
  readonly sources = new Sources(
    this.db,
    this.jobs,
    () => this.now,
    () => this.chance,
  )
}

describe("a declared source", () => {
  test("is kept as it was written, and filled with defaults when it is read", async () => {
    await using fixture = new Fixture()
    const entry = fixture.sources.put({ name: "docs", seeds: "docs.example.com", exclude: "*.pdf" })
    expect(entry).toMatchObject({ origin: "api", paused: false, nextRun: null })
    expect(entry.spec).toEqual({ name: "docs", seeds: ["https://docs.example.com/"], exclude: ["*.pdf"] })
    expect(entry.source).toMatchObject({
      scope: "host",
      limits: { pages: 10_000, depth: 10 },
      schedule: null,
    })
    expect(fixture.sources.get("docs")).toEqual(entry)
    expect(fixture.sources.list()).toEqual([entry])
    expect(fixture.sources.get("other")).toBeNull()
  })

  test("keeps its day of making when it is changed", async () => {
    await using fixture = new Fixture()
    fixture.sources.put({ name: "docs", seeds: "a.example" })
    fixture.now += HOUR
    expect(fixture.sources.put({ name: "docs", seeds: "b.example" })).toMatchObject({
      createdAt: new Date(MIDNIGHT),
      updatedAt: new Date(MIDNIGHT + HOUR),
    })
    fixture.now += HOUR
    expect(fixture.sources.put({ name: "docs", seeds: "b.example" }).updatedAt).toEqual(
      new Date(MIDNIGHT + HOUR),
    )
  })

  test("of the file is changed and deleted there alone", async () => {
    await using fixture = new Fixture()
    const { sources } = fixture
    sources.put({ name: "docs", seeds: "a.example" }, "file")
    expect(() => sources.put({ name: "docs", seeds: "b.example" })).toThrow(SourceOfFileError)
    expect(() => sources.delete("docs")).toThrow(SourceOfFileError)
    expect(sources.get("docs")?.source.seeds).toEqual(["https://a.example/"])
    expect(sources.delete("docs", { origin: "file" })).toBe(true)
    expect(sources.delete("docs", { origin: "file" })).toBe(false)
  })

  test("that is wrong is refused with every field that is", async () => {
    await using fixture = new Fixture()
    const put = () => fixture.sources.put({ name: "docs", seeds: [], limits: { pages: "many" } })
    expect(put).toThrow(SourceError)
    expect(put).toThrow("seeds must not be empty\nlimits.pages must be a whole number")
    expect(fixture.sources.list()).toEqual([])
  })

  test("cancels its jobs when it is deleted; its pages are removed only when that is asked for", async () => {
    await using fixture = new Fixture()
    const { sources, jobs } = fixture
    for (const name of ["kept", "emptied"]) sources.put({ name, seeds: `${name}.example` })
    const job = sources.run("kept")
    sources.delete("kept")
    expect(jobs.get(job?.id ?? 0)?.state).toBe("cancelled")
    // It has no pages that could stay: what is known of its addresses goes.
    expect(sources.removals()).toEqual(["kept"])
    sources.removed("kept")
    sources.delete("emptied", { removePages: true })
    expect(sources.removals()).toEqual(["emptied"])
    sources.put({ name: "emptied", seeds: "emptied.example" })
    expect(sources.removals()).toEqual([])
  })
})

describe("a one-off crawl", () => {
  const crawl = (fixture: Fixture, url: string) =>
    fixture.jobs.enqueue(defineSource({ seeds: [url] }), { trigger: "command" })

  test("is listed after the declared sources, until it is declared itself", async () => {
    await using fixture = new Fixture()
    const { sources } = fixture
    sources.put({ name: "docs", seeds: "docs.example" })
    sources.run("docs")
    crawl(fixture, "http://127.0.0.1:9/")
    const handbook = defineSource({ name: HANDBOOK_SOURCE, seeds: ["http://127.0.0.1/docs/"] })
    fixture.jobs.enqueue(handbook)
    expect(sources.list().map(({ source }) => source.name)).toEqual(["docs"])
    expect(sources.listAll().map(({ source, origin }) => [source.name, origin])).toEqual([
      ["docs", "api"],
      ["127.0.0.1", "one-off"],
    ])
    expect(sources.getListed("127.0.0.1")).toMatchObject({ paused: false, nextRun: null })
    expect(sources.get("127.0.0.1")).toBeNull()
    expect(sources.getListed(HANDBOOK_SOURCE)).toBeNull()
    sources.put({ name: "127.0.0.1", seeds: "http://127.0.0.1:9/" })
    expect(sources.listAll().map(({ origin }) => origin)).toEqual(["api", "api"])
  })

  test("that is deleted is gone from the list at once, with its addresses, until it is crawled again", async () => {
    await using fixture = new Fixture()
    const { sources, jobs, db, engine } = fixture
    const { id } = crawl(fixture, "http://127.0.0.1:9/")
    expect(findableNames(db)).toEqual(["127.0.0.1"])
    expect(sources.delete("127.0.0.1")).toBe(true)
    expect(findableNames(db)).toEqual([])
    expect(jobs.get(id)?.state).toBe("cancelled")
    expect(sources.listAll()).toEqual([])
    expect(sources.delete("127.0.0.1")).toBe(false)
    await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    expect([sources.listAll(), knowsAny(db, "127.0.0.1")]).toEqual([[], false])
    crawl(fixture, "http://127.0.0.1:9/")
    expect(sources.listAll()).toHaveLength(1)
  })

  test("is what a declared source becomes that is deleted while its pages stay", async () => {
    await using fixture = new Fixture()
    const { sources, jobs, db } = fixture
    sources.put({ name: "docs", seeds: "https://docs.example/" })
    const job = sources.run("docs")!
    new KnownAddresses(db).record(job, [
      { url: toPageUrl("https://docs.example/")!, outcome: "indexed", detail: null, hash: "1" },
    ])
    expect(sources.delete("docs")).toBe(true)
    expect(sources.removals()).toEqual([])
    expect(sources.listAll()).toMatchObject([{ source: { name: "docs" }, origin: "one-off" }])
    expect(sources.delete("docs", { removePages: true })).toBe(true)
    expect([sources.removals(), sources.listAll()]).toEqual([["docs"], []])
    expect(jobs.get(job.id)?.state).toBe("cancelled")
  })
})

describe("a run that is asked for", () => {
  test("is not doubled while one is queued; a paused one goes on", async () => {
    await using fixture = new Fixture()
    const { sources, jobs } = fixture
    sources.put({ name: "docs", seeds: "a.example" })
    const first = sources.run("docs")
    expect(first).toMatchObject({ state: "queued", trigger: "api", visits: "all", source: { name: "docs" } })
    sources.put({ name: "docs", seeds: "b.example" })
    expect(sources.run("docs")?.id).toBe(first?.id)
    jobs.cancel(first?.id ?? 0)
    const second = sources.run("docs")
    expect(second?.id).not.toBe(first?.id)
    jobs.pause(second?.id ?? 0)
    expect(sources.run("docs")).toMatchObject({ id: second?.id, state: "queued" })
    expect(sources.run("other")).toBeNull()
  })
})
