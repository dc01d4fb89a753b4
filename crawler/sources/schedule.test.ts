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

/** An appliance whose clock is turned by hand. */
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

  /** What the crawler process does every second. */
  tick() {
    return this.#ticker
      .tick()
      .map(({ name, run, isLeftOut }) => ({ name, isLeftOut, job: this.jobs.get(run)! }))
  }

  declare(schedule: object | string, name = "docs") {
    return this.sources.put({ name, seeds: `${name}.example`, schedule })
  }

  /** Lets time pass as the crawler process does, and ends each run before the next. @returns when runs were asked for. */
  pass(ms: number, step = 10 * MINUTE): string[] {
    const runs: number[] = []
    for (const end = this.now + ms; this.now < end;) {
      this.now += step
      for (const { job, isLeftOut } of this.tick()) {
        if (isLeftOut) continue
        runs.push(this.now)
        this.jobs.start(job.id)
        this.jobs.end(job.id, "finished")
      }
    }
    return iso(runs)
  }
}

describe("a scheduled source", () => {
  test("runs at its times, visiting what is due", async () => {
    await using fixture = new Fixture()
    fixture.declare("15 3 * * *")
    expect(fixture.tick()).toEqual([])
    fixture.now = at("2026-05-02T03:15")
    expect(fixture.tick()).toMatchObject([
      { name: "docs", isLeftOut: false, job: { trigger: "schedule", visits: "due", state: "queued" } },
    ])
    expect(fixture.sources.get("docs")?.nextRun).toEqual(new Date("2026-05-03T03:15Z"))
  })

  test("every six hours runs four times a day, the first time at once", async () => {
    await using fixture = new Fixture()
    fixture.declare({ everyHours: 6 })
    expect(fixture.pass(DAY)).toEqual([
      "2026-05-01T12:10",
      "2026-05-01T18:10",
      "2026-05-02T00:10",
      "2026-05-02T06:10",
    ])
  })

  test("makes up for the runs of a downtime with one, and then keeps to its times", async () => {
    await using fixture = new Fixture()
    fixture.declare("0 * * * *")
    expect(fixture.pass(2 * HOUR)).toHaveLength(2)
    fixture.now = at("2026-05-04T09:25")
    expect(fixture.pass(2 * HOUR)).toEqual(["2026-05-04T09:35", "2026-05-04T10:05", "2026-05-04T11:05"])
  })

  test("does not overlap with itself: the run is left out, and the log of the one under way says so", async () => {
    await using fixture = new Fixture()
    fixture.declare("0 * * * *")
    fixture.now += HOUR
    const [first] = fixture.tick()
    fixture.now += HOUR
    expect(fixture.tick()).toMatchObject([{ isLeftOut: true, job: { id: first?.job.id } }])
    expect(fixture.jobs.events(first?.job.id ?? 0)).toMatchObject([
      {
        level: "warn",
        text: "the run due at 2026-05-01T14:00:00.000Z was left out, since this one is not over",
      },
    ])
    fixture.jobs.pause(first?.job.id ?? 0)
    fixture.now += HOUR
    expect(fixture.tick()).toMatchObject([{ isLeftOut: true }])
    fixture.jobs.cancel(first?.job.id ?? 0)
    fixture.now += HOUR
    expect(fixture.tick()).toMatchObject([{ isLeftOut: false }])
    expect(fixture.jobs.list()).toHaveLength(2)
  })

  test.each([{ everyHours: 6 }, { everyHours: 6, jitterMinutes: 20 }])(
    "takes a run that someone asks for while one is due as the scheduled one",
    async (schedule) => {
      await using fixture = new Fixture()
      fixture.chance = 0.5
      fixture.declare(schedule)
      fixture.sources.run("docs")
      fixture.now += 10 * MINUTE
      expect(fixture.tick()).toEqual([])
      expect(fixture.sources.get("docs")?.nextRun?.getTime()).toBeGreaterThan(fixture.now)
    },
  )

  test("keeps its times when someone asks for a run between them", async () => {
    await using fixture = new Fixture()
    fixture.declare("15 3 * * *")
    fixture.sources.run("docs")
    expect(fixture.sources.get("docs")?.nextRun).toEqual(new Date("2026-05-02T03:15Z"))
  })

  test("goes on with a run that was begun by hand and interrupted", async () => {
    await using fixture = new Fixture()
    fixture.declare("0 * * * *")
    const job = fixture.sources.run("docs", { trigger: "run" })
    fixture.jobs.pause(job?.id ?? 0)
    fixture.now += HOUR
    expect(fixture.tick()).toMatchObject([{ isLeftOut: false, job: { id: job?.id, state: "queued" } }])
  })

  test("is not held up by a crawl of a command that was interrupted and forgotten", async () => {
    await using fixture = new Fixture()
    const { source } = fixture.declare("0 * * * *")
    const { id } = fixture.jobs.enqueue({ ...source, limits: { ...source.limits, pages: 5 } })
    fixture.jobs.pause(id)
    fixture.now += HOUR
    expect(fixture.tick()).toMatchObject([{ isLeftOut: false }])
  })

  test("starts late by its jitter at most", async () => {
    await using fixture = new Fixture()
    const late: number[] = []
    for (const [index, chance] of [0, 0.25, 0.5, 0.999].entries()) {
      fixture.chance = chance
      const { nextRun } = fixture.declare({ cron: "0 3 * * *", jitterMinutes: 40 }, `s${index}`)
      late.push(((nextRun?.getTime() ?? 0) - at("2026-05-02T03:00")) / MINUTE)
    }
    expect(late.map(Math.round)).toEqual([0, 10, 20, 40])
    expect(Math.max(...late)).toBeLessThan(40)
    // The first of the next runs is the one that is drawn already.
    expect(iso(fixture.sources.nextRuns("s2", 3).map(Number))).toEqual([
      "2026-05-02T03:20",
      "2026-05-03T03:00",
      "2026-05-04T03:00",
    ])
  })

  test("that is paused does not run; what it missed is not made up for", async () => {
    await using fixture = new Fixture()
    fixture.declare("0 * * * *")
    expect(fixture.sources.pause("docs")).toBe(true)
    expect(fixture.sources.nextRuns("docs", 3)).toEqual([])
    expect(fixture.pass(DAY)).toEqual([])
    // Changing it meanwhile does not wake it.
    fixture.declare("30 * * * *")
    expect(fixture.pass(DAY)).toEqual([])
    expect(fixture.sources.run("docs")).toMatchObject({ state: "queued", visits: "all" })
    fixture.jobs.cancel(1)
    fixture.sources.resume("docs")
    expect(fixture.sources.nextRuns("docs", 2).map(Number)).toEqual([
      fixture.now + HOUR / 2,
      fixture.now + (3 * HOUR) / 2,
    ])
    expect(fixture.sources.pause("other")).toBe(false)
  })

  test("keeps its next run when something else of it changes, and has a new one when its times do", async () => {
    await using fixture = new Fixture()
    fixture.chance = 0.5
    const { nextRun } = fixture.declare({ cron: "0 3 * * *", jitterMinutes: 60 })
    fixture.chance = 0.9
    const { sources } = fixture
    const same = { name: "docs", seeds: "docs.example", schedule: { cron: "0 3 * * *", jitterMinutes: 60 } }
    expect(sources.put({ ...same, limits: { pages: 5 } }).nextRun).toEqual(nextRun)
    expect(sources.put({ ...same, schedule: "0 5 * * *" }).nextRun).toEqual(new Date("2026-05-02T05:00Z"))
    expect(sources.put({ ...same, schedule: null }).nextRun).toBeNull()
    // It has not run yet, so every two hours begins at once.
    expect(sources.put({ ...same, schedule: { everyHours: 2 } }).nextRun?.getTime()).toBe(fixture.now)
  })

  test("waits behind what somebody asked for", async () => {
    await using fixture = new Fixture()
    fixture.declare({ everyHours: 1 }, "a")
    fixture.declare({ everyHours: 1 }, "b")
    fixture.tick()
    fixture.sources.put({ name: "c", seeds: "c.example" })
    fixture.sources.run("c")
    const order: string[] = []
    for (let job = fixture.jobs.nextQueued(); job; job = fixture.jobs.nextQueued()) {
      order.push(job.source.name)
      fixture.jobs.cancel(job.id)
    }
    expect(order).toEqual(["c", "a", "b"])
  })
})
