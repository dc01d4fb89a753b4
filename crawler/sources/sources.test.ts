import { describe, expect, test } from "vitest"
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
    expect(sources.removals()).toEqual([])
    sources.delete("emptied", { removePages: true })
    expect(sources.removals()).toEqual(["emptied"])
    sources.put({ name: "emptied", seeds: "emptied.example" })
    expect(sources.removals()).toEqual([])
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
