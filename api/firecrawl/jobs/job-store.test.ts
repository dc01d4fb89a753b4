import { pino } from "pino"
import { describe, expect, test } from "vitest"

import type { PageUrl } from "#engine"
import { crawlerSettings } from "#crawler/settings.ts"
import { readSettings } from "#base/settings.ts"

import { openAccounts } from "../../accounts/accounts.ts"
import { apiSettings } from "../../settings.ts"
import { memoryState, NO_PAGES } from "../../testing/serve-app.ts"
import { FieldReader } from "../../wire/fields.ts"
import { openFirecrawlJobs } from "../open-firecrawl.ts"
import { readBatch } from "./crawl-request.ts"
import { RESTARTED } from "./job-store.ts"

const ADDRESS = "https://example.com/a" as PageUrl

/** Jobs over accounts in memory, with the store of an earlier process if one is given. */
function opened(db = memoryState(), crawlJobsMb = 1024) {
  const config = { ...readSettings(apiSettings, {}), crawlJobsMb }
  const accounts = openAccounts(db, config, () => {})
  const log = pino({ level: "silent" })
  const jobs = openFirecrawlJobs(db, config, {
    accounts,
    knowledge: NO_PAGES,
    chatModel: null,
    sending: readSettings(crawlerSettings, {}),
    userAgent: "test",
    log,
  })
  const key = accounts.keys.verify(accounts.keys.create({ role: "search" }))!
  const owner = { keyId: key.id, project: "", session: "", human: "" }
  const { request } = readBatch(new FieldReader({ urls: [ADDRESS] }), 2)
  return { db, accounts, jobs, key, owner, request }
}

describe("a job that was under way when its process ended", () => {
  test("has failed, and keeps what it had found", async () => {
    const { db, jobs, owner, request } = opened()
    await jobs.store.add("1", owner, request, new Date())
    await jobs.store.begin("1")
    await jobs.store.addDocument(jobs.store.get("1")!, ADDRESS, { metadata: {}, markdown: "found" })
    const next = opened(db)
    await next.jobs.store.recover(new Date())
    expect(next.jobs.store.get("1")).toMatchObject({ state: "failed", error: RESTARTED, completed: 1 })
    const [document] = [...next.jobs.store.documents("1", 0)].map(({ text }) => JSON.parse(text) as unknown)
    expect(document).toEqual({ metadata: {}, markdown: "found" })
  })

  test("is forgotten with its documents", async () => {
    const { jobs, owner, request } = opened()
    await jobs.store.add("1", owner, request, new Date())
    await jobs.store.begin("1")
    await jobs.store.addDocument(jobs.store.get("1")!, ADDRESS, { metadata: {} })
    await jobs.store.recover(new Date(1000))
    await jobs.store.forget(new Date(1001))
    expect([jobs.store.get("1"), jobs.store.stored.all().entries]).toEqual([null, 0])
  })
})

test("what jobs keep is bounded, a quarter of it for one key", async () => {
  const { jobs, owner, key, request } = opened(undefined, 4)
  await jobs.store.add("1", owner, request, new Date())
  await jobs.store.begin("1")
  const job = jobs.store.get("1")!
  await jobs.store.addDocument(job, ADDRESS, { metadata: {}, markdown: "x".repeat(900_000) })
  expect(jobs.store.hasRoom(key.id)).toBe(true)
  await jobs.store.addDocument(job, ADDRESS, { metadata: {}, markdown: "x".repeat(200_000) })
  expect([jobs.store.hasRoom(key.id), jobs.store.hasRoom("another")]).toEqual([false, true])
})

test("those that wait longest come first, and are counted for their key and for all", async () => {
  const { jobs, owner, key, request } = opened()
  const add = (id: string, keyId: string, at: number) =>
    jobs.store.add(id, { ...owner, keyId }, request, new Date(at))
  await add("late", key.id, 3)
  await add("first", "another", 1)
  await add("second", key.id, 2)
  await add("begun", key.id, 0)
  await jobs.store.begin("begun")
  expect(jobs.store.waiting(2).map(({ id }) => id)).toEqual(["first", "second"])
  expect(jobs.store.waitingCounts(key.id)).toEqual({ all: 3, ofKey: 2 })
  expect(jobs.store.open(key.id).map(({ id }) => id)).toEqual(["begun", "second", "late"])
})
