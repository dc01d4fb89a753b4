import { afterEach, beforeEach, expect, test } from "vitest"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { serveAccounts, type ServedAccounts } from "../../../testing/serve-accounts.ts"
import { Unsettled } from "./unsettled.ts"
import { statement } from "#base/store/testing/statement.ts"

// Tests SQLite's real errors on a full disk: the file is not allowed to grow any further.

let folder: ReturnType<typeof temporaryFolder>
let app: ServedAccounts

beforeEach(async () => {
  folder = temporaryFolder()
  app = await serveAccounts({ dir: folder.path })
})
afterEach(async () => {
  await app[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const search = (key: string) => app.call("/search", key, { query: "bees" })

/** Leaves no free byte in the file: these calls use up the free space on existing pages. */
async function fillDisk(): Promise<void> {
  await app.db.script("pragma max_page_count = 1")
  const filler = await app.key()
  for (let calls = 0; app.accounts.billing.waiting === 0; calls++) {
    expect((await search(filler)).status).toBe(200)
    expect(calls).toBeLessThan(500)
  }
}

const makeRoom = () => app.db.script("pragma max_page_count = 1000000")
const usageOf = async (key: string) => {
  const { body } = await app.call("/usage", key)
  return (body as { key: { usage: number } }).key.usage
}

test("searches continue, and are counted once there is space", async () => {
  const key = await app.key()
  expect((await search(key)).status).toBe(200)
  await fillDisk()
  const waiting = app.accounts.billing.waiting
  for (let calls = 0; calls < 20; calls++) expect((await search(key)).status).toBe(200)
  expect(app.accounts.billing.waiting).toBe(waiting + 20)
  expect(await usageOf(key)).toBe(1)

  await makeRoom()
  await expect.poll(() => app.accounts.billing.waiting).toBe(0)
  expect(await usageOf(key)).toBe(21)
  const { body } = await app.call("/logs", await app.key({ role: "admin" }), { limit: 100 })
  expect(JSON.stringify(body)).toContain("search")
})

test("a limit still holds to the credit", async () => {
  const key = await app.key({ creditLimit: { credits: 5, per: "month" } })
  expect((await search(key)).status).toBe(200)
  await fillDisk()
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await search(key)).status))
  expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  expect(statuses.filter((status) => status === 432)).toHaveLength(8)
  await makeRoom()
  expect((await search(key)).status).toBe(432)
  expect(await usageOf(key)).toBe(5)
})

test("calls that must be stored are refused, with the reason", async () => {
  const key = await app.key()
  await fillDisk()
  // This is more data than fits on the existing pages of the file.
  const { status, body } = await app.call("/research", key, { input: "bees and honey ".repeat(1000) })
  expect(status).toBe(503)
  expect(JSON.stringify(body)).toContain("The server's disk is full")
  expect(JSON.stringify(body)).not.toContain(folder.path)
})

test("a stop counts waiting calls if there is space by then", async () => {
  const key = await app.key()
  await fillDisk()
  expect((await search(key)).status).toBe(200)
  await makeRoom()
  await app[Symbol.asyncDispose]()
  app = await serveAccounts({ dir: folder.path })
  const [row] = await statement(app.db, "select sum(calls) as calls from credit_use").all()
  expect(Number(row!["calls"])).toBe((await statement(app.db, "select id from call_log").all()).length)
  expect(app.accounts.billing.waiting).toBe(0)
  expect(
    await statement(app.db, "select 1 from credit_use where key_id = ?").all(
      (await app.accounts.keys.verify(key))!.id,
    ),
  ).toHaveLength(1)
})

test("waiting calls are limited by key, by credits, and in total", () => {
  const unsettled = new Unsettled()
  const { most, mostOfKey, mostCreditsOfKey } = unsettled
  const add = (keyId: string, credits: number) => unsettled.add("request", { keyId, credits })
  for (let calls = 0; calls < mostOfKey; calls++) add("busy", 1)
  expect(() => add("busy", 1)).toThrow("disk is full")
  expect(() => unsettled.assertRoom("busy")).toThrow("disk is full")
  add("dear", mostCreditsOfKey)
  expect(() => add("dear", 0)).toThrow("disk is full")
  for (let calls = unsettled.size; calls < most; calls++) add(`key-${calls % 100}`, 0)
  expect(() => add("new", 1)).toThrow("disk is full")
  expect(unsettled.credits("busy")).toBe(mostOfKey)

  unsettled.settled(unsettled.next(mostOfKey))
  unsettled.assertRoom("busy")
  expect(unsettled.credits("busy")).toBe(0)
  expect(unsettled.credits()).toBe(mostCreditsOfKey)
})
