import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { SCHEMA_WORDS } from "#base/store/query/schema-words.ts"
import { statement } from "#base/store/testing/statement.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { miscounted, recount } from "#base/store/rows/counts.ts"

import { FakeEngine, hit } from "../../../testing/fake-engine.ts"
import { serveAccounts } from "../../../testing/serve-accounts.ts"
import { MOST_PROJECTS } from "../billing/credit-ledger.ts"
import { apiKey } from "../keys/keys.ts"
import { countStored, storedCount, StoredUse } from "./stored-use.ts"

const MB = 1_000_000

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-stored-"))
})
afterEach(() => rm(dir, { recursive: true }))

test("a table's existing rows are counted, and then each change", async () => {
  const db = new SqliteStore(new DatabaseSync(":memory:"))
  await db.script(
    "create table note (id integer primary key, by text, text text); insert into note values (1, 'a', 'é')",
  )
  const table = { table: "note", key: "by", columns: ["text"] }
  await db.script(countStored(SCHEMA_WORDS[db.dialect], table))
  const stored = new StoredUse(db, table)
  const of = async (key: string) => [(await stored.ofKey(key)).entries, (await stored.ofKey(key)).bytes % 100]
  expect([await of("a"), await stored.all()]).toEqual([[1, 2], await stored.ofKey("a")])
  await db.script(
    "insert into note values (2, 'a', null), (3, 'b', 'abcd'); update note set text = 'x' where id = 1",
  )
  expect([await of("a"), await of("b"), (await stored.all()).entries]).toEqual([[2, 1], [1, 4], 3])
  await db.script("delete from note")
  expect([await stored.ofKey("a"), await stored.all()]).toEqual([
    { entries: 0, bytes: 0 },
    { entries: 0, bytes: 0 },
  ])
  db.close()
})

test("a key, or the total, is full when one more entry would exceed a limit", async () => {
  const db = new SqliteStore(new DatabaseSync(":memory:"))
  await db.script("create table note (id integer primary key, by text, text text)")
  const table = { table: "note", key: "by", columns: ["text"] }
  await db.script(countStored(SCHEMA_WORDS[db.dialect], table))
  await db.script("insert into note values (1, 'a', 'xy'), (2, 'b', 'xyz')")
  const stored = new StoredUse(db, table)
  const [all, ofA] = [await stored.all(), await stored.ofKey("a")]
  expect([all.entries, ofA.entries]).toEqual([2, 1])
  const none = { entries: Infinity, bytes: Infinity }
  /** Whether `more` bytes would not fit if the limits were this far above the current amount, in total or for the key. */
  const isFull = async (what: "all" | "ofKey", entries: number, bytes: number, more?: number) => {
    const had = what === "all" ? all : ofA
    const limit = { entries: had.entries + entries, bytes: had.bytes + bytes }
    return await stored.isFull("a", { all: none, ofKey: none, [what]: limit }, more)
  }
  // The size of a row is 200 bytes plus the size of its texts.
  for (const what of ["all", "ofKey"] as const)
    expect([
      await isFull(what, 1, 200),
      await isFull(what, 0, 1000),
      await isFull(what, 1, 199),
      await isFull(what, 1, 205, 5),
      await isFull(what, 1, 204, 5),
    ]).toEqual([false, true, true, false, true])
  // An amount equal to its limit is allowed: nothing has to be deleted.
  const removed: string[] = []
  await stored.makeRoom("a", { all, ofKey: ofA }, async (keyId) => void removed.push(keyId))
  expect(removed).toEqual([])
  db.close()
})

test("a wrong count is found and corrected, for one key and for all", async () => {
  const db = new SqliteStore(new DatabaseSync(":memory:"))
  await db.script(
    "create table note (id integer primary key, by text, text text); create table other (by text, text text)",
  )
  const [table, other] = ["note", "other"].map((name) => ({ table: name, key: "by", columns: ["text"] }))
  for (const one of [table!, other!]) await db.script(countStored(SCHEMA_WORDS[db.dialect], one))
  await db.script(
    "insert into note values (1, 'a', 'é'), (2, 'b', 'abcd'), (3, null, 'x'); insert into other values ('a', 'y')",
  )
  const count = storedCount(table!)
  const all = () => statement(db, "select * from stored_use order by store, key_id").all()
  const right = await all()
  expect(await miscounted(db, count)).toBe(0)
  for (const [wrong, rows] of [
    ["update stored_use set bytes = bytes + 1 where store = 'note' and key_id = 'a'", 2],
    ["update stored_use set entries = 9 where store = 'note' and key_id = '*'", 2],
    ["delete from stored_use where store = 'note' and key_id = ''", 1],
    ["insert into stored_use values ('note', 'gone', 1, 200)", 1],
  ] as const) {
    await db.script(wrong)
    expect([wrong, await miscounted(db, count)]).toEqual([wrong, rows])
    await recount(db, count)
    expect([await miscounted(db, count), await all()]).toEqual([0, right])
  }
  // A row of zeros, left by an emptied table, is not an error.
  await db.script("delete from note")
  expect(await miscounted(db, count)).toBe(0)
  // The counts of another table are not an error either.
  await db.script("update stored_use set entries = 9 where store = 'other'")
  expect([await miscounted(db, count), await miscounted(db, storedCount(other!))]).toEqual([0, 4])
  db.close()
})

test("stored data is reported by table, with its limit if it has one", async () => {
  await using app = await serveAccounts({ dir, config: { feedbackMb: 1, logMb: 2 } })
  const key = await app.key()
  await app.call("/feedback", key, { request_id: "one", response_delivered: "good" })
  await app.call("/search", key, { query: "pumps" })
  await expect.poll(async () => (await app.accounts.callLog.stored.all()).entries).toBeGreaterThan(0)
  const told = await app.accounts.stored()
  expect([...told].map(([table, { most }]) => [table, most])).toEqual([
    ["calls", 2 * MB],
    ["feedback", MB],
    ["page-requests", null],
    ["keys", null],
  ])
  const { callLog, feedback } = app.accounts
  expect(told.get("calls")!.bytes).toBe((await callLog.stored.all()).bytes)
  expect(told.get("feedback")!.bytes).toBe((await feedback.stored.all()).bytes)
  expect(told.get("keys")!.bytes).toBeGreaterThan(0)
})

describe("a key that stores without end", () => {
  test("loses its own oldest feedback, and nobody else's", async () => {
    await using app = await serveAccounts({ dir, config: { feedbackMb: 1 } })
    const [flooder, other] = [await app.key(), await app.key()]
    const tell = (key: string, request_id: string, text: string) =>
      app.call("/feedback", key, { request_id, response_delivered: text })
    expect((await tell(other, "kept", "good")).status).toBe(200)
    for (let i = 0; i < 100; i++) {
      const { status } = await tell(flooder, `r${i}`, "x".repeat(49_000))
      expect(status).toBe(200)
    }
    const { feedback } = app.accounts
    expect((await feedback.stored.all()).bytes).toBeLessThan(MB)
    const ids = (await feedback.list({ limit: 200, offset: 0 })).map(({ requestId }) => requestId)
    expect(ids).toHaveLength(11)
    expect(ids).toEqual(expect.arrayContaining(["kept", "r99", "r90"]))
    const many = await Promise.all(Array.from({ length: 8 }, () => app.key()))
    for (const key of many) for (let i = 0; i < 6; i++) await tell(key, "r", "x".repeat(49_000))
    expect((await feedback.stored.all()).bytes).toBeLessThanOrEqual(MB)
    expect((await feedback.list({ limit: 200, offset: 0 })).map(({ requestId }) => requestId)).toContain(
      "kept",
    )
    // The reported size is 7 MB. How much disk space a server uses for that is a separate matter.
    if (!existsSync(join(dir, "state.db"))) return
    using db = new DatabaseSync(join(dir, "state.db"), { readOnly: true })
    const { bytes } = db
      .prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size")
      .get() as { bytes: number }
    expect(bytes).toBeLessThan(3 * MB)
  })

  test("loses its own oldest calls, and nobody else's", async () => {
    await using app = await serveAccounts({ dir, config: { logMb: 1 } })
    const { callLog, writes } = app.accounts
    // Entries older than the log's retention period are deleted.
    const start = Date.now() - 60_000
    const add = (keyId: string, after: number) =>
      callLog.add({
        at: start + after,
        requestId: randomUUID(),
        endpoint: "search",
        depth: "basic",
        seconds: 0.1,
        credits: 1,
        keyId,
        keyHint: "abcd",
        project: "p".repeat(200),
        session: "s".repeat(200),
        human: "",
        query: "q".repeat(100_000),
      })
    await writes.run(() => add("quiet", 1))
    await writes.run(async () => {
      for (let after = 2; after < 2000; after++) await add("loud", after)
    })
    expect((await callLog.stored.all()).bytes).toBeLessThanOrEqual(MB)
    expect(await callLog.list({ limit: 1 })).toMatchObject([{ at: start + 1999, query: "q".repeat(4000) }])
    expect(await callLog.list({ limit: 10, keyId: "quiet" })).toHaveLength(1)
    expect((await callLog.stored.ofKey("loud")).entries).toBeGreaterThan(200)
  })

  test("cannot exceed its number of keys, and handed-out credits still count after deletion", async () => {
    await using app = await serveAccounts({ dir, config: { keysPerKey: 5 } })
    const { keys, ledger, writes } = app.accounts
    const text = await app.key({ mayMakeKeys: true, creditLimit: { credits: 1000, per: "total" } })
    const maker = (await keys.verify(text))!
    const make = (count: number) =>
      app.call("/generate-keys", text, { permission_level: "user", key_limit: 10, count })
    expect((await make(4)).status).toBe(200)
    expect(await make(2)).toMatchObject({
      status: 403,
      body: { detail: { error: expect.stringContaining("FOSSICK_KEYS_PER_KEY") } },
    })
    await app.db.script(
      "update api_keys set created_at = '2020-01-01T00:00:00.000Z', expires_at = '2020-01-02T00:00:00.000Z' where made_by is not null",
    )
    const left = await ledger.left(maker)
    expect(await writes.run(() => keys.prune(Date.now(), 100))).toBe(4)
    expect([left, await ledger.left(maker), (await keys.list()).length]).toEqual([960, 960, 1])
    expect((await make(5)).status).toBe(200)
  })

  test("cannot make keys with more restrictions than there is room for", async () => {
    await using app = await serveAccounts({ dir })
    const text = await app.key({ mayMakeKeys: true })
    const domains = Array.from({ length: 300 }, (_, i) => `${"a".repeat(60)}.${"b".repeat(60)}.${i}.example`)
    const make = () => app.call("/generate-keys", text, { permission_level: "user", count: 200, domains })
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await make()).status)
    expect(statuses).toEqual([200, 403, 403])
    expect((await app.accounts.keys.stored.all()).bytes).toBeLessThan(16 * MB)
  })

  test("cannot name more projects in a month than are counted", async () => {
    await using app = await serveAccounts({ dir, engine: new FakeEngine([hit()]) })
    const { keys, ledger, writes } = app.accounts
    const text = await app.key()
    const { id } = (await keys.verify(text))!
    const search = async (project: string) =>
      app.call("/search", text, { query: "pumps" }, { "X-Project-ID": project })
    expect((await search("first")).status).toBe(200)
    await writes.run(async () => {
      for (let i = 1; i < MOST_PROJECTS; i++) {
        const call = { requestId: "", key: apiKey({ id, role: "search" }), project: `p${i}` }
        await ledger.settle({ ...call, endpoint: "search" }, { credits: 1 })
      }
    })
    expect(await search("one more")).toMatchObject({
      status: 400,
      body: { detail: { error: expect.stringContaining("X-Project-ID") } },
    })
    expect((await search("first")).status).toBe(200)
    expect((await search("")).status).toBe(200)
  })

  test("cannot request more research than there is room for, and files are deleted with their task", async () => {
    const gate = Promise.withResolvers<void>()
    class SlowEngine extends FakeEngine {
      override async search(...given: Parameters<FakeEngine["search"]>) {
        await gate.promise
        return super.search(...given)
      }
    }
    await using app = await serveAccounts({ dir, engine: new SlowEngine([hit()]), config: { researchMb: 4 } })
    const key = await app.key()
    const data = Buffer.from("A pump moves water. ".repeat(7500)).toString("base64")
    const ask = (as = key) =>
      app.call("/research", as, { input: "pumps", files: [{ name: "a.txt", data, type: "base64" }] })
    const statuses = []
    for (let i = 0; i < 8; i++) statuses.push((await ask()).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 432, 432])
    expect((await ask()).body.detail.error).toContain("FOSSICK_RESEARCH_MB")
    const other = await ask(await app.key())
    expect(other.status).toBe(200)
    gate.resolve()
    await expect
      .poll(() =>
        statement(
          app.db,
          "select count(*) as n, count(*) filter (where length(request) < 1000) as small from research_task where ended_at > 0",
        ).get(),
      )
      .toEqual({ n: 7, small: 7 })
    expect((await ask()).status).toBe(200)
  })
})
