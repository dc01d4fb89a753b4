import { describe, expect, test } from "vitest"
import { CrawlFixture } from "../testing/crawl-fixture.ts"
import { Ticker } from "../jobs/tasks/ticker.ts"
import { CrawlTasks } from "./crawl-tasks.ts"
import { Sources } from "./sources.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(`${text}Z`)
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16))

/** An appliance whose clock the test sets. */
class Fixture extends CrawlFixture {
  now = at("2026-05-01T12:00")
  chance = 0
  readonly sources = new Sources(
    this.db,
    this.jobs,
    () => this.now,
    () => this.chance,
  )

  readonly #ticker = new Ticker(
    [new CrawlTasks(this.sources, this.jobs)],
    () => this.now,
    () => this.chance,
  )

  /** Does the work that the crawler process does every second. */
  async tick() {
    return await Promise.all(
      (await this.#ticker.tick()).map(async ({ name, run, isLeftOut }) => ({
        name,
        isLeftOut,
        job: (await this.jobs.get(run))!,
      })),
    )
  }

  async declare(schedule: object | string, name = "docs") {
    return await this.sources.put({ name, seeds: `${name}.example`, schedule })
  }

  /** Advances time as the crawler process would see it, and ends each run before the next. @returns when runs were requested */
  async pass(ms: number, step = 10 * MINUTE): Promise<string[]> {
    const runs: number[] = []
    for (const end = this.now + ms; this.now < end;) {
      this.now += step
      for (const { job, isLeftOut } of await this.tick()) {
        if (isLeftOut) continue
        runs.push(this.now)
        await this.jobs.start(job.id)
        await this.jobs.end(job.id, "finished")
      }
    }
    return iso(runs)
  }
}

describe("a scheduled source", () => {
  test("runs at its times, visiting the due pages", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("15 3 * * *")
    expect(await fixture.tick()).toEqual([])
    fixture.now = at("2026-05-02T03:15")
    expect(await fixture.tick()).toMatchObject([
      { name: "docs", isLeftOut: false, job: { trigger: "schedule", visits: "due", state: "queued" } },
    ])
    expect((await fixture.sources.get("docs"))?.nextRun).toEqual(new Date("2026-05-03T03:15Z"))
  })

  test("with an interval of six hours runs four times a day, the first time at once", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare({ everyHours: 6 })
    expect(await fixture.pass(DAY)).toEqual([
      "2026-05-01T12:10",
      "2026-05-01T18:10",
      "2026-05-02T00:10",
      "2026-05-02T06:10",
    ])
  })

  test("makes up for missed runs with a single one, and then keeps to its times", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("0 * * * *")
    expect(await fixture.pass(2 * HOUR)).toHaveLength(2)
    fixture.now = at("2026-05-04T09:25")
    expect(await fixture.pass(2 * HOUR)).toEqual(["2026-05-04T09:35", "2026-05-04T10:05", "2026-05-04T11:05"])
  })

  test("does not overlap with itself: the run is skipped, and noted in the log of the current one", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("0 * * * *")
    fixture.now += HOUR
    const [first] = await fixture.tick()
    fixture.now += HOUR
    expect(await fixture.tick()).toMatchObject([{ isLeftOut: true, job: { id: first?.job.id } }])
    expect(await fixture.jobs.events(first?.job.id ?? 0)).toMatchObject([
      {
        level: "warn",
        text: "the run due at 2026-05-01T14:00:00.000Z was skipped, because this one is still running",
      },
    ])
    await fixture.jobs.pause(first?.job.id ?? 0)
    fixture.now += HOUR
    expect(await fixture.tick()).toMatchObject([{ isLeftOut: true }])
    await fixture.jobs.cancel(first?.job.id ?? 0)
    fixture.now += HOUR
    expect(await fixture.tick()).toMatchObject([{ isLeftOut: false }])
    expect(await fixture.jobs.list()).toHaveLength(2)
  })

  test.each([{ everyHours: 6 }, { everyHours: 6, jitterMinutes: 20 }])(
    "treats a manual run started while one is due as the scheduled one",
    async (schedule) => {
      await using fixture = await Fixture.open()
      fixture.chance = 0.5
      await fixture.declare(schedule)
      await fixture.sources.run("docs")
      fixture.now += 10 * MINUTE
      expect(await fixture.tick()).toEqual([])
      expect((await fixture.sources.get("docs"))?.nextRun?.getTime()).toBeGreaterThan(fixture.now)
    },
  )

  test("keeps its times when a manual run comes in between", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("15 3 * * *")
    await fixture.sources.run("docs")
    expect((await fixture.sources.get("docs"))?.nextRun).toEqual(new Date("2026-05-02T03:15Z"))
  })

  test("continues a manual run that was interrupted", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("0 * * * *")
    const job = await fixture.sources.run("docs", { trigger: "run" })
    await fixture.jobs.pause(job?.id ?? 0)
    fixture.now += HOUR
    expect(await fixture.tick()).toMatchObject([{ isLeftOut: false, job: { id: job?.id, state: "queued" } }])
  })

  test("is not blocked by an abandoned crawl from the command line", async () => {
    await using fixture = await Fixture.open()
    const { source } = await fixture.declare("0 * * * *")
    const { id } = await fixture.jobs.enqueue({ ...source, limits: { ...source.limits, pages: 5 } })
    await fixture.jobs.pause(id)
    fixture.now += HOUR
    expect(await fixture.tick()).toMatchObject([{ isLeftOut: false }])
  })

  test("starts late by at most its jitter", async () => {
    await using fixture = await Fixture.open()
    const late: number[] = []
    for (const [index, chance] of [0, 0.25, 0.5, 0.999].entries()) {
      fixture.chance = chance
      const { nextRun } = await fixture.declare({ cron: "0 3 * * *", jitterMinutes: 40 }, `s${index}`)
      late.push(((nextRun?.getTime() ?? 0) - at("2026-05-02T03:00")) / MINUTE)
    }
    expect(late.map(Math.round)).toEqual([0, 10, 20, 40])
    expect(Math.max(...late)).toBeLessThan(40)
    // The first of the next runs uses the jitter that has already been drawn.
    expect(iso((await fixture.sources.nextRuns("s2", 3)).map(Number))).toEqual([
      "2026-05-02T03:20",
      "2026-05-03T03:00",
      "2026-05-04T03:00",
    ])
  })

  test("does not run while paused, and missed runs are not made up for", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare("0 * * * *")
    expect(await fixture.sources.pause("docs")).toBe(true)
    expect(await fixture.sources.nextRuns("docs", 3)).toEqual([])
    expect(await fixture.pass(DAY)).toEqual([])
    // Changing the schedule in the meantime does not resume the source.
    await fixture.declare("30 * * * *")
    expect(await fixture.pass(DAY)).toEqual([])
    expect(await fixture.sources.run("docs")).toMatchObject({ state: "queued", visits: "all" })
    await fixture.jobs.cancel(1)
    await fixture.sources.resume("docs")
    expect((await fixture.sources.nextRuns("docs", 2)).map(Number)).toEqual([
      fixture.now + HOUR / 2,
      fixture.now + (3 * HOUR) / 2,
    ])
    expect(await fixture.sources.pause("other")).toBe(false)
  })

  test("keeps its next run when other settings change, and gets a new one when its times change", async () => {
    await using fixture = await Fixture.open()
    fixture.chance = 0.5
    const { nextRun } = await fixture.declare({ cron: "0 3 * * *", jitterMinutes: 60 })
    fixture.chance = 0.9
    const { sources } = fixture
    const same = { name: "docs", seeds: "docs.example", schedule: { cron: "0 3 * * *", jitterMinutes: 60 } }
    expect((await sources.put({ ...same, limits: { pages: 5 } })).nextRun).toEqual(nextRun)
    expect((await sources.put({ ...same, schedule: "0 5 * * *" })).nextRun).toEqual(
      new Date("2026-05-02T05:00Z"),
    )
    expect((await sources.put({ ...same, schedule: null })).nextRun).toBeNull()
    // The source has not run yet, so with a schedule of one run every two hours it runs at once.
    expect((await sources.put({ ...same, schedule: { everyHours: 2 } })).nextRun?.getTime()).toBe(fixture.now)
  })

  test("waits behind runs that were requested", async () => {
    await using fixture = await Fixture.open()
    await fixture.declare({ everyHours: 1 }, "a")
    await fixture.declare({ everyHours: 1 }, "b")
    await fixture.tick()
    await fixture.sources.put({ name: "c", seeds: "c.example" })
    await fixture.sources.run("c")
    const order: string[] = []
    for (let job = await fixture.jobs.nextQueued(); job; job = await fixture.jobs.nextQueued()) {
      order.push(job.source.name)
      await fixture.jobs.cancel(job.id)
    }
    expect(order).toEqual(["c", "a", "b"])
  })
})
