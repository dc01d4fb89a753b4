import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { originOf, readSettings } from "#base/settings.ts"
import { transaction } from "#base/store/state-store.ts"
import { Jobs, Sources } from "#crawler"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { firstSourceFile, readFirstSource } from "#engine/lifecycle/filling/first-source.ts"
import { engineSettings } from "#engine/settings.ts"

import { openAdmin } from "../admin/open-admin.ts"
import { History } from "../history/history.ts"
import { QuestionMeter } from "../history/question-meter.ts"
import {
  type Answer,
  answerOf,
  expectDocumented,
  SEARCH_KEY,
  type ServedApp,
  serveApp,
  TEST_KEY,
} from "../../testing/serve-app.ts"

// Tests the calls with which an operator monitors and maintains the appliance, over HTTP.

let opened: AsyncDisposableStack
let app: ServedApp
let folder: Awaited<ReturnType<typeof openDataFolder>>
let now: number
let history: History

beforeEach(async () => {
  vi.stubEnv("FOSSICK_API_KEY", "a-secret-that-is-never-shown-17")
  vi.stubEnv("FOSSICK_MAX_RESULTS", "12")
  opened = new AsyncDisposableStack()
  folder = await openDataFolder(opened)
  const { db, dir, engine } = folder
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const questions = new QuestionMeter()
  now = Date.now()
  history = await History.open({ db, engine, dataDir: dir, questions, clock: () => now })
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "manual", seeds: ["https://manual.example/"] })
  app = opened.use(
    await serveApp({
      engine,
      questions,
      admin: () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig, history }),
    }),
  )
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await opened.disposeAsync()
})

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await answerOf(
    await fetch(`${app.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TEST_KEY}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  expectDocumented(method, path.split("?")[0]!, answer)
  return answer
}

test("a prioritised source is visible to the process that makes vectors, and an unknown name is rejected", async () => {
  expect((await call("GET", "/admin/vectors")).body).toEqual({
    order: ["changed", "asked", "first", "new"],
    first_source: null,
  })
  const { status, body } = await call("POST", "/admin/vectors/first", { source: "manual" })
  expect([status, body.first_source]).toEqual([200, "manual"])
  expect(await readFirstSource(firstSourceFile(folder.dir))).toBe("manual")
  const refused = await call("POST", "/admin/vectors/first", { source: "nothing" })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain("must be the name of a source")
  expect((await call("POST", "/admin/vectors/first", {})).body.first_source).toBeNull()
  expect(await readFirstSource(firstSourceFile(folder.dir))).toBeNull()
})

test("questions are counted by outcome, stored in steps, and reported with their duration", async () => {
  const search = (key: string, body: object) =>
    app.post("/search", body, {
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    })
  for (const query of ["one", "two", "three"]) await search(SEARCH_KEY, { query })
  await search("no such key", { query: "four" })
  await search(SEARCH_KEY, { query: 5, max_results: "many" })
  // A request is counted a moment after its response arrives.
  await expect
    .poll(async () => {
      const { answered, refused, failed } = await history.now()
      return [answered, refused, failed]
    })
    .toEqual([3, 2, 0])
  now += 60_000
  await history.keep(async (work) => work())
  now += 300_000
  const { body } = await call("GET", "/admin/history?hours=6")
  expect(body.step_seconds).toBe(300)
  const kept = body.points.filter((point: { answered: number }) => point.answered > 0)
  expect(kept).toHaveLength(1)
  expect(kept[0]).toMatchObject({ answered: 3, refused: 2, failed: 0, visits: 0, pages: 0 })
  expect(kept[0].median_ms).toBeGreaterThan(0)
  expect(kept[0].slow_ms).toBeGreaterThanOrEqual(kept[0].median_ms)
  expect(body.points.at(-1)).toMatchObject({ answered: 0, seconds: 300 })
  expect((await call("GET", "/admin/history?hours=1000")).status).toBe(400)
})

test("at most eight days of samples are stored", async () => {
  const stats = async () => ({ ...(await folder.engine.stats()), pages: 3 })
  const known = await stats()
  const { db, dir } = folder
  const long = await History.open({
    db,
    dataDir: dir,
    engine: { stats: async () => known },
    clock: () => now,
  })
  await transaction(db, async () => {
    for (let step = 0; step < 2310; step++) {
      now += 300_000
      await long.keep((work) => work())
    }
  })
  expect(await long.since(0)).toHaveLength(2304)
  const { body } = await call("GET", "/admin/history?hours=192")
  expect(body.points.length).toBeLessThanOrEqual(169)
  expect(body.points[0].pages).toBe(3)
})

test("pages are counted by the age of their last check", async () => {
  expect((await call("GET", "/admin/freshness")).body).toEqual({
    pages: 0,
    within_day: 0,
    within_week: 0,
    within_month: 0,
    oldest_at: null,
  })
})

test("a backup can be requested if there is a plan, and not without one", async () => {
  expect((await call("POST", "/admin/backups/run")).status).toBe(409)
  expect((await call("GET", "/admin/backups")).body).toEqual({ plan: null, runs: [], files: [] })
  const backups = join(folder.dir, "backups")
  await mkdir(backups)
  await writeFile(join(backups, "fossick-2026-05-01T02-30-00Z.tar"), "twelve bytes")
  await writeFile(join(backups, "somebody-elses.tar"), "")
  const schedule = { cron: "30 2 * * *", everyHours: null, timeZone: "UTC", jitterMinutes: 0 }
  await new BackupTable(folder.db).declare({ name: "fossick", folder: backups, keep: 7, schedule })
  const asked = await call("POST", "/admin/backups/run")
  expect([asked.status, asked.body.state]).toEqual([202, "queued"])
  expect((await call("POST", "/admin/backups/run")).body.id).toBe(asked.body.id)
  const { body } = await call("GET", "/admin/backups")
  expect(body.plan).toMatchObject({ folder: backups, keep: 7, schedule: { cron: "30 2 * * *" } })
  expect(body.runs).toHaveLength(1)
  expect(body.files).toEqual([
    {
      path: join(backups, "fossick-2026-05-01T02-30-00Z.tar"),
      bytes: 12,
      made_at: "2026-05-01T02:30:00.000Z",
    },
  ])
})

test("settings are shown with their origin, and secrets are not", async () => {
  const answer = await call("GET", "/admin/settings")
  const of = (name: string) => answer.body.settings.find((setting: { name: string }) => setting.name === name)
  expect(of("FOSSICK_MAX_RESULTS")).toMatchObject({ from: "environment", value: "12", part: "api" })
  expect(of("FOSSICK_API_KEY")).toMatchObject({ from: "environment", value: null, secret: true })
  expect(of("FOSSICK_BODY_LIMIT")).toMatchObject({ from: "default", value: "262144" })
  expect(JSON.stringify(answer.body)).not.toContain("never-shown")
  expect(answer.body.selling).toEqual({ on: false, missing: [] })
  const file = join(folder.dir, "own.env")
  await writeFile(file, "FOSSICK_HOST=0.0.0.0\nFOSSICK_PORT=1")
  const env = { FOSSICK_CONFIG_FILE: file, FOSSICK_PORT: "2" }
  const origins = ["FOSSICK_HOST", "FOSSICK_PORT", "FOSSICK_NAME"] as const
  expect(origins.map((name) => originOf({ name }, env))).toEqual(["file", "environment", "default"])
})

test("every outcome has its kind and its meaning", async () => {
  const { body } = await call("GET", "/admin/outcomes")
  expect(body.outcomes).toContainEqual({
    outcome: "skipped:robots",
    kind: "skipped",
    meaning: "robots.txt disallows them",
  })
  expect(body.outcomes.every(({ meaning }: { meaning: string }) => meaning !== "")).toBe(true)
})
