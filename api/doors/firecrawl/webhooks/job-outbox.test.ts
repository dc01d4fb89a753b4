import { expect, test } from "vitest"

import type { Clock } from "#base/clock.ts"
import type { PageUrl } from "#engine"

import { memoryState } from "../../../testing/serve-app.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import { readBatch } from "../jobs/crawl-request.ts"
import { JobStore } from "../jobs/job-store.ts"
import { JobOutbox } from "./job-outbox.ts"

const ADDRESS = "https://example.com/a" as PageUrl
const OWNER = { keyId: "somebody", project: "", session: "", human: "" }

/** A store that writes immediately, with a job that reports these events. */
async function withJob(events: readonly string[], clock: Clock = Date.now) {
  const db = memoryState()
  const store = new JobStore(db, { run: async (work) => work() }, 1_000_000, { hasRoom: async () => true })
  const outbox = new JobOutbox(db, clock)
  const webhook = { url: "https://hook.example/", events }
  const { request } = readBatch(new FieldReader({ urls: [ADDRESS], webhook }), 2)
  await store.add("1", OWNER, request, new Date())
  /** All messages to send, each marked as delivered immediately. */
  const told = async () => {
    const all = []
    for (;;) {
      const [message] = await outbox.due(new Set(), 1)
      if (message === undefined) return all
      all.push(message)
      await outbox.settle(message.id, { error: null, status: 204 })
    }
  }
  return { store, outbox, told }
}

test("job events are sent in order, with the position of each document", async () => {
  const { store, told } = await withJob(["started", "page", "completed"])
  await store.begin(new Date())
  const job = (await store.get("1"))!
  await store.addFailure(job, {
    id: "f",
    url: ADDRESS,
    code: "SCRAPE_SITE_ERROR",
    error: "404",
    isRobots: false,
    at: new Date(),
  })
  await store.addDocument(job, ADDRESS, { metadata: {}, markdown: "found" })
  await store.end("1", { state: "completed", credits: 1, error: null }, new Date())
  const messages = await told()
  expect(messages.map(({ event, place }) => [event, place])).toEqual([
    ["started", null],
    ["page", 1],
    ["completed", null],
  ])
  expect(await store.document("1", 1)).toMatchObject({ url: ADDRESS })
  expect(new Set(messages.map(({ id }) => id)).size).toBe(3)
})

test("a job that yielded reports its start once", async () => {
  const { store, told } = await withJob(["started", "completed"])
  await store.giveWay((await store.begin(new Date()))!, { kind: "batch", left: 1 })
  await store.begin(new Date())
  await store.end("1", { state: "completed", credits: 0, error: null }, new Date())
  expect((await told()).map(({ event }) => event)).toEqual(["started", "completed"])
})

test("a job lost with its process reports its failure, and only requested events are sent", async () => {
  const { store, told } = await withJob(["failed"])
  await store.begin(new Date())
  await store.addDocument((await store.get("1"))!, ADDRESS, { metadata: {} })
  await store.recover(new Date())
  expect((await told()).map(({ event }) => event)).toEqual(["failed"])
})

test("an undelivered message waits, a permanently refused one is dropped, and both are deleted with their job", async () => {
  let aheadMs = 0
  const { store, outbox } = await withJob(["started", "page"], () => Date.now() + aheadMs)
  await store.begin(new Date())
  await store.addDocument((await store.get("1"))!, ADDRESS, { metadata: {} })
  const due = (served: readonly string[] = []) => outbox.due(new Set(), 9, served)
  const [first] = await due(["another"])
  expect(first).toMatchObject({ job: "1", key: OWNER.keyId, event: "started" })
  expect(await due([OWNER.keyId])).toEqual([])
  await outbox.settle(first!.id, { error: "answered 500", status: 500, final: false })
  // The other messages wait behind the first: receivers get messages in order.
  expect(await due()).toEqual([])
  expect(await outbox.count({ state: "waiting" })).toBe(2)
  aheadMs = 60_000
  expect((await due()).map(({ id }) => id)).toEqual([first!.id])
  await outbox.settle(first!.id, { error: "answered 410", status: 410, final: true })
  expect((await due()).map(({ event }) => event)).toEqual(["page"])
  await store.recover(new Date(1000))
  await store.forget(new Date(1001))
  expect(await outbox.count()).toBe(0)
})
