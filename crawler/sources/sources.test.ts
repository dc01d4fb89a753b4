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

/** Sources with a clock set by the test. */
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
  test("is stored as written, and filled with defaults when read", async () => {
    await using fixture = await Fixture.open()
    const entry = await fixture.sources.put({ name: "docs", seeds: "docs.example.com", exclude: "*.pdf" })
    expect(entry).toMatchObject({ origin: "api", paused: false, nextRun: null })
    expect(entry.spec).toEqual({ name: "docs", seeds: ["https://docs.example.com/"], exclude: ["*.pdf"] })
    expect(entry.source).toMatchObject({
      scope: "host",
      limits: { pages: 10_000, depth: 10 },
      schedule: null,
    })
    expect(await fixture.sources.get("docs")).toEqual(entry)
    expect(await fixture.sources.list()).toEqual([entry])
    expect(await fixture.sources.get("other")).toBeNull()
  })

  test("keeps its creation date when it is changed", async () => {
    await using fixture = await Fixture.open()
    await fixture.sources.put({ name: "docs", seeds: "a.example" })
    fixture.now += HOUR
    expect(await fixture.sources.put({ name: "docs", seeds: "b.example" })).toMatchObject({
      createdAt: new Date(MIDNIGHT),
      updatedAt: new Date(MIDNIGHT + HOUR),
    })
    fixture.now += HOUR
    expect((await fixture.sources.put({ name: "docs", seeds: "b.example" })).updatedAt).toEqual(
      new Date(MIDNIGHT + HOUR),
    )
  })

  test("from the file can be changed and deleted only there", async () => {
    await using fixture = await Fixture.open()
    const { sources } = fixture
    await sources.put({ name: "docs", seeds: "a.example" }, "file")
    await expect(() => sources.put({ name: "docs", seeds: "b.example" })).rejects.toThrow(SourceOfFileError)
    await expect(() => sources.delete("docs")).rejects.toThrow(SourceOfFileError)
    expect((await sources.get("docs"))?.source.seeds).toEqual(["https://a.example/"])
    expect(await sources.delete("docs", { origin: "file" })).toBe(true)
    expect(await sources.delete("docs", { origin: "file" })).toBe(false)
  })

  test("with errors is rejected with every invalid field", async () => {
    await using fixture = await Fixture.open()
    const put = () => fixture.sources.put({ name: "docs", seeds: [], limits: { pages: "many" } })
    await expect(put).rejects.toThrow(SourceError)
    await expect(put).rejects.toThrow("seeds must not be empty\nlimits.pages must be a whole number")
    expect(await fixture.sources.list()).toEqual([])
  })

  test("cancels its jobs when deleted; its pages are removed only on request", async () => {
    await using fixture = await Fixture.open()
    const { sources, jobs } = fixture
    for (const name of ["kept", "emptied"]) await sources.put({ name, seeds: `${name}.example` })
    const job = await sources.run("kept")
    await sources.delete("kept")
    expect((await jobs.get(job?.id ?? 0))?.state).toBe("cancelled")
    // The source has no pages to keep, so the records of its addresses are deleted.
    expect(await sources.removals()).toEqual(["kept"])
    await sources.removed("kept")
    await sources.delete("emptied", { removePages: true })
    expect(await sources.removals()).toEqual(["emptied"])
    await sources.put({ name: "emptied", seeds: "emptied.example" })
    expect(await sources.removals()).toEqual([])
  })
})

describe("a one-off crawl", () => {
  const crawl = (fixture: Fixture, url: string) =>
    fixture.jobs.enqueue(defineSource({ seeds: [url] }), { trigger: "command" })

  test("is listed after the declared sources, until it is declared", async () => {
    await using fixture = await Fixture.open()
    const { sources } = fixture
    await sources.put({ name: "docs", seeds: "docs.example" })
    await sources.run("docs")
    await crawl(fixture, "http://127.0.0.1:9/")
    const handbook = defineSource({ name: HANDBOOK_SOURCE, seeds: ["http://127.0.0.1/docs/"] })
    await fixture.jobs.enqueue(handbook)
    expect((await sources.list()).map(({ source }) => source.name)).toEqual(["docs"])
    expect((await sources.listAll()).map(({ source, origin }) => [source.name, origin])).toEqual([
      ["docs", "api"],
      ["127.0.0.1", "one-off"],
    ])
    expect(await sources.getListed("127.0.0.1")).toMatchObject({ paused: false, nextRun: null })
    expect(await sources.get("127.0.0.1")).toBeNull()
    expect(await sources.getListed(HANDBOOK_SOURCE)).toBeNull()
    await sources.put({ name: "127.0.0.1", seeds: "http://127.0.0.1:9/" })
    expect((await sources.listAll()).map(({ origin }) => origin)).toEqual(["api", "api"])
  })

  test("disappears from the list at once when deleted, with its addresses, until it is crawled again", async () => {
    await using fixture = await Fixture.open()
    const { sources, jobs, db, engine } = fixture
    const { id } = await crawl(fixture, "http://127.0.0.1:9/")
    expect(await findableNames(db)).toEqual(["127.0.0.1"])
    expect(await sources.delete("127.0.0.1")).toBe(true)
    expect(await findableNames(db)).toEqual([])
    expect((await jobs.get(id))?.state).toBe("cancelled")
    expect(await sources.listAll()).toEqual([])
    expect(await sources.delete("127.0.0.1")).toBe(false)
    await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    expect([await sources.listAll(), await knowsAny(db, "127.0.0.1")]).toEqual([[], false])
    await crawl(fixture, "http://127.0.0.1:9/")
    expect(await sources.listAll()).toHaveLength(1)
  })

  test("remains when a declared source is deleted while its pages stay", async () => {
    await using fixture = await Fixture.open()
    const { sources, jobs, db } = fixture
    await sources.put({ name: "docs", seeds: "https://docs.example/" })
    const job = (await sources.run("docs"))!
    await new KnownAddresses(db).record(job, [
      { url: toPageUrl("https://docs.example/")!, outcome: "indexed", detail: null, hash: "1" },
    ])
    expect(await sources.delete("docs")).toBe(true)
    expect(await sources.removals()).toEqual([])
    expect(await sources.listAll()).toMatchObject([{ source: { name: "docs" }, origin: "one-off" }])
    expect(await sources.delete("docs", { removePages: true })).toBe(true)
    expect([await sources.removals(), await sources.listAll()]).toEqual([["docs"], []])
    expect((await jobs.get(job.id))?.state).toBe("cancelled")
  })
})

describe("a requested run", () => {
  test("is not duplicated while one is queued, and continues a paused one", async () => {
    await using fixture = await Fixture.open()
    const { sources, jobs } = fixture
    await sources.put({ name: "docs", seeds: "a.example" })
    const first = await sources.run("docs")
    expect(first).toMatchObject({ state: "queued", trigger: "api", visits: "all", source: { name: "docs" } })
    await sources.put({ name: "docs", seeds: "b.example" })
    expect((await sources.run("docs"))?.id).toBe(first?.id)
    await jobs.cancel(first?.id ?? 0)
    const second = await sources.run("docs")
    expect(second?.id).not.toBe(first?.id)
    await jobs.pause(second?.id ?? 0)
    expect(await sources.run("docs")).toMatchObject({ id: second?.id, state: "queued" })
    expect(await sources.run("other")).toBeNull()
  })

  test("requested twice at once is one run, whatever it visits", async () => {
    await using fixture = await Fixture.open()
    const { sources, jobs } = fixture
    await sources.put({ name: "docs", seeds: "a.example" })
    const asked = await Promise.all([sources.run("docs", { visits: "failed" }), sources.run("docs")])
    expect(new Set(asked.map((job) => job?.id)).size).toBe(1)
    expect(await jobs.count()).toBe(1)
  })
})
