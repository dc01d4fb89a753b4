import { describe, expect, test } from "vitest"
import { Jobs, RUNS_WITH_FAILURES } from "./jobs.ts"
import { BEAT_MS } from "../job.ts"
import { runJob } from "../crawl/run-job.ts"
import { defineSource } from "../source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../testing/crawl-fixture.ts"
import { article, html, startTestSite } from "../testing/test-site.ts"

const DAY = 86_400_000
const source = (name: string) => defineSource({ name, seeds: [`https://${name}.example/`] })

describe("a job", () => {
  test("can be paused, resumed and cancelled, but only in the right state", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs } = fixture
    const { id } = await jobs.enqueue(source("a"))
    expect(await jobs.resume(id)).toBe(false)
    expect(await jobs.pause(id)).toBe(true)
    expect(await jobs.pause(id)).toBe(false)
    expect((await jobs.get(id))?.state).toBe("paused")
    expect(await jobs.nextQueued()).toBeNull()
    expect(await jobs.resume(id)).toBe(true)
    expect((await jobs.nextQueued())?.id).toBe(id)
    expect(await jobs.cancel(id)).toBe(true)
    for (const call of ["pause", "resume", "cancel"] as const) expect(await jobs[call](id)).toBe(false)
    for (const call of ["pause", "resume", "cancel"] as const) expect(await jobs[call](99)).toBe(false)
    expect((await jobs.events(id)).map(({ text }) => text)).toEqual(["paused", "resumed", "cancelled"])
  })

  test("that is running changes state through its own process", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs } = fixture
    const { id } = await jobs.enqueue(source("a"))
    await jobs.start(id)
    expect(await jobs.beat(id)).toBeNull()
    expect(await jobs.pause(id)).toBe(true)
    expect((await jobs.get(id))?.state).toBe("running")
    expect(await jobs.beat(id)).toBe("paused")
    await jobs.cancel(id)
    expect(await jobs.beat(id)).toBe("cancelled")
  })

  test("counts as queued when its process is lost, and can be paused; a process that was only slow notices", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs, db } = fixture
    const { id } = await jobs.enqueue(source("a"))
    await jobs.start(id)
    await statement(db, "update job set beat_at = beat_at - ?").run(20 * BEAT_MS)
    expect((await jobs.get(id))?.state).toBe("queued")
    expect(await jobs.list({ state: "running" })).toEqual([])
    expect(await jobs.list({ state: "queued" })).toMatchObject([{ id }])
    expect(await jobs.pause(id)).toBe(true)
    expect((await jobs.get(id))?.state).toBe("paused")
    expect(await jobs.beat(id)).toBe("paused")
  })

  test("is queued again when its process is lost, unless a pause or cancel was requested", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs } = fixture
    const ids: number[] = []
    for (const name of ["a", "b", "c"]) ids.push((await jobs.enqueue(source(name))).id)
    for (const id of ids) await jobs.start(id)
    const [first = 0, second = 0, third = 0] = ids
    await jobs.pause(second)
    await jobs.cancel(third)
    await jobs.recover()
    expect(await Promise.all(ids.map(async (id) => (await jobs.get(id))?.state))).toEqual([
      "queued",
      "paused",
      "cancelled",
    ])
    expect((await jobs.get(first))?.endedAt).toBeNull()
    expect((await jobs.get(second))?.endedAt).not.toBeNull()
    expect((await jobs.events(first)).at(-1)).toMatchObject({
      level: "warn",
      text: "its process was lost: queued",
    })
  })

  test("stops when paused mid-run, continues when resumed, and visits no page twice", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs, db, engine } = fixture
    let pauseAt = "/p3"
    const links = Array.from({ length: 8 }, (_, index) => `/p${index}`)
    await using site = await startTestSite({
      "/": article("Home", { links }),
      ...Object.fromEntries(
        links.map((path) => [
          path,
          async (request, response) => {
            if (path === pauseAt) {
              await jobs.pause(1)
              pauseAt = ""
              await new Promise((resolve) => setTimeout(resolve, 2 * BEAT_MS))
            }
            html(article(`Page ${path}`))(request, response)
          },
        ]),
      ),
    })
    const { id } = await jobs.enqueue(defineSource({ seeds: [site.url("/")], rendering: "http" }))
    const config = testConfig({ FOSSICK_FETCH_CONCURRENCY: "1" })
    const run = () =>
      runJob(id, { db, jobs, engine, config, signal: new AbortController().signal, whenAborted: "queued" })
    expect(await run()).toMatchObject({ state: "paused", endedAt: expect.any(Date) as unknown })
    expect((await jobs.get(id))?.queued).toBeGreaterThan(0)
    await jobs.resume(id)
    expect(await run()).toMatchObject({ state: "finished", queued: 0, outcomes: { indexed: 9 } })
    const visited = site.requests.filter((path) => links.includes(path))
    expect(visited.sort()).toEqual(links)
  })

  test("keeps the newest lines of its log, and a note that it ended", async () => {
    await using fixture = await CrawlFixture.open()
    const { jobs } = fixture
    const { id } = await jobs.enqueue(source("a"))
    for (let line = 0; line < 600; line++) await jobs.log(id, "info", `line ${line}`)
    const events = await jobs.events(id)
    expect(events).toHaveLength(500)
    expect([events[0]?.text, events.at(-1)?.text]).toEqual(["line 100", "line 599"])
    expect((await jobs.events(id, 2)).map(({ text }) => text)).toEqual(["line 598", "line 599"])
    await jobs.note(id, "limit of 10 pages reached")
    await jobs.note(id, "3 pages wait")
    expect((await jobs.get(id))?.note).toBe("limit of 10 pages reached; 3 pages wait")
    await jobs.log(77, "info", "of no job")
    expect(await jobs.events(77)).toEqual([])
  })
})

test("old finished jobs are deleted, except the last of each source", async () => {
  using folder = temporaryFolder()
  const db = await openStateStore(folder.path)
  try {
    let now = Date.UTC(2026, 0, 1)
    const jobs = new Jobs(db, () => now)
    const run = async (name: string) => {
      const { id } = await jobs.enqueue(source(name))
      await jobs.start(id)
      await jobs.end(id, "finished")
      return id
    }
    const old = await run("a")
    await statement(
      db,
      `insert into crawl_url (job, url, host, depth, priority, due, outcome) values (?, 'https://a.example/x', 'a', 0, 0, 0, 'failed:dns')`,
    ).run(old)
    const onlyOne = await run("b")
    const paused = (await jobs.enqueue(source("c"))).id
    await jobs.pause(paused)
    now += 100 * DAY
    const newer = await run("a")
    expect(await jobs.forget(now - 90 * DAY)).toBe(1)
    expect((await jobs.list()).map(({ id }) => id)).toEqual([newer, paused, onlyOne].sort((a, b) => b - a))
    expect(await jobs.failures(old, 10)).toEqual([])
    expect(await jobs.events(old)).toEqual([])
  } finally {
    db.close()
  }
})

test("failed addresses are kept for a source's latest runs, and their count for all runs", async () => {
  const db = emptyState()
  const jobs = new Jobs(db)
  const run = async (name: string) => {
    const { id } = await jobs.enqueue(source(name))
    await jobs.start(id)
    await statement(
      db,
      `insert into crawl_url (job, url, host, depth, priority, due, outcome) values (?, 'https://a.example/x', 'a', 0, 0, 0, 'failed:dns')`,
    ).run(id)
    await statement(db, "insert into job_outcome values (?, 'failed:dns', 1)").run(id)
    await jobs.end(id, "finished")
    return id
  }
  const other = await run("b")
  const runs: number[] = []
  while (runs.length < RUNS_WITH_FAILURES + 3) runs.push(await run("a"))
  const kept = async (ids: readonly number[]) => {
    const failures = await Promise.all(ids.map((id) => jobs.failures(id, 10)))
    return ids.filter((_, at) => failures[at]!.length > 0)
  }
  expect(await kept(runs)).toEqual(runs.slice(3))
  expect(await kept([other])).toEqual([other])
  expect((await jobs.get(runs[0]!))?.outcomes).toEqual({ "failed:dns": 1 })
})
