import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore, transaction } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"

import { openAccounts } from "./accounts.ts"
import { type CallEntry, CallLog, MOST_QUERY_CHARS } from "./call-log.ts"
import { FeedbackStore } from "./feedback-store.ts"
import { USE_DAYS } from "./key-use.ts"
import { PageRequestStore } from "./page-request-store.ts"
import { openCollections, unknownCollection } from "./reach/collections.ts"
import { accountSettings } from "./settings.ts"

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 31, 12)

let dir: string
let db: StateStore
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW })
  dir = mkdtempSync(join(tmpdir(), "fossick-stores-"))
  db = await openStateStore(dir)
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
  rmSync(dir, { recursive: true })
})

const call = (more: Partial<CallEntry>): CallEntry => ({
  at: NOW,
  requestId: "r",
  endpoint: "search",
  depth: "basic",
  seconds: 0.25,
  credits: 1,
  keyId: "a",
  keyHint: "wxyz",
  project: "",
  session: "",
  human: "",
  query: null,
  ...more,
})

describe("the call log", () => {
  test("lists calls unchanged, newest first, filtered by time, endpoint, project and key", async () => {
    const log = new CallLog(db)
    const first = call({
      requestId: "1",
      at: NOW - 2,
      project: "pumps",
      session: "s",
      human: "h",
      query: "how?",
    })
    const others = [
      call({ requestId: "2", at: NOW - 1, endpoint: "crawl", keyId: "b" }),
      call({ requestId: "3", endpoint: "map", project: "pumps" }),
      call({ requestId: "4" }),
    ]
    for (const one of [first, ...others]) await log.add(one)
    const ids = async (filter: Partial<Parameters<CallLog["list"]>[0]>) =>
      (await log.list({ limit: 10, ...filter })).map(({ requestId }) => requestId).join("")
    expect((await log.list({ limit: 10 })).at(-1)).toEqual(first)
    expect(await ids({})).toBe("4321")
    expect(await ids({ limit: 2 })).toBe("43")
    expect(await ids({ from: NOW - 1 })).toBe("432")
    expect(await ids({ before: NOW - 1 })).toBe("1")
    expect(await ids({ from: NOW - 2, before: NOW })).toBe("21")
    expect(await ids({ endpoints: ["crawl", "map"] })).toBe("32")
    expect(await ids({ endpoints: [] })).toBe("")
    expect(await ids({ project: "pumps" })).toBe("31")
    // An empty project name cannot be requested.
    expect(await ids({ project: "" })).toBe("")
    expect(await ids({ keyId: "a", endpoints: ["search"] })).toBe("41")
  })

  test("shortens a long question", async () => {
    const log = new CallLog(db)
    await log.add(call({ query: "x".repeat(MOST_QUERY_CHARS + 1) }))
    expect((await log.list({ limit: 1 }))[0]!.query).toBe("x".repeat(MOST_QUERY_CHARS))
  })

  test("counts what each key used by day and month, and knows when it was used last", async () => {
    const log = new CallLog(db)
    const at = (days: number) => NOW - days * DAY
    await log.add(call({ at: at(40), credits: 9 }))
    await log.add(call({ at: at(1), endpoint: "crawl", credits: 5 }))
    await log.add(call({ credits: 2 }))
    await log.add(call({ credits: 2 }))
    await log.add(call({ keyId: "b", credits: 0 }))
    const none = { calls: 0, credits: 0 }
    const endpoints = { search: none, extract: none, crawl: none, map: none, research: none }
    const search = { calls: 2, credits: 4 }
    expect(await log.use({ days: 2, by: "day", keyId: null })).toEqual([
      { time: "2026-01-31", keyId: "a", ...search, endpoints: { ...endpoints, search } },
      {
        time: "2026-01-31",
        keyId: "b",
        calls: 1,
        credits: 0,
        endpoints: { ...endpoints, search: { calls: 1, credits: 0 } },
      },
      {
        time: "2026-01-30",
        keyId: "a",
        calls: 1,
        credits: 5,
        endpoints: { ...endpoints, crawl: { calls: 1, credits: 5 } },
      },
    ])
    expect((await log.use({ days: 1, by: "day", keyId: "b" })).map(({ keyId }) => keyId)).toEqual(["b"])
    expect((await log.use({ days: 1, by: "day", keyId: null })).map(({ time }) => time)).toEqual([
      "2026-01-31",
      "2026-01-31",
    ])
    expect(await log.use({ days: 60, by: "month", keyId: "a" })).toMatchObject([
      { time: "2026-01", calls: 3, credits: 9, endpoints: { search, crawl: { calls: 1, credits: 5 } } },
      { time: "2025-12", calls: 1, credits: 9 },
    ])
    expect(await log.lastUse(["a", "nobody"])).toEqual(
      new Map([
        ["a", NOW],
        ["b", Date.UTC(2026, 0, 31)],
      ]),
    )
    // The last use is rounded to the day once the call itself is deleted, until that day is too long ago.
    expect(await log.prune(NOW + 1, 2)).toBe(2)
    expect(await log.prune(NOW + 1, 10)).toBe(3)
    expect(await log.list({ limit: 1 })).toEqual([])
    expect((await log.lastUse(["a"])).get("a")).toBe(Date.UTC(2026, 0, 31))
    vi.setSystemTime(NOW + USE_DAYS * DAY)
    await log.prune(0, 1)
    expect((await log.lastUse(["a"])).has("a")).toBe(true)
    vi.setSystemTime(NOW + (USE_DAYS + 1) * DAY)
    await log.prune(0, 1)
    expect((await log.lastUse(["a"])).size).toBe(0)
  })
})

test("the size of a call in the log grows with caller-chosen text", async () => {
  const log = new CallLog(db)
  await log.add(call({ requestId: "1" }))
  const { bytes } = await log.stored.all()
  await log.add(
    call({ requestId: "2", project: "p".repeat(10), session: "s".repeat(20), query: "q".repeat(400) }),
  )
  expect(await log.stored.all()).toEqual({ entries: 2, bytes: 2 * bytes + 430 })
})

test("callers' data is deleted after its days, counted from when the accounts are opened, and each part has its own version", async () => {
  const [log, feedback, pages] = [new CallLog(db), new FeedbackStore(db), new PageRequestStore(db)]
  for (const [name, at] of [
    ["old", NOW - 31 * DAY],
    ["new", NOW - 29 * DAY],
  ] as const) {
    await log.add(call({ requestId: name, at }))
    await feedback.add({ id: name, at, keyId: "a", requestId: "r", sessionId: "", fields: { text: "good" } })
    await pages.add({ at, keyId: "a", url: "", question: name, comment: "" })
  }
  const problems: unknown[] = []
  const config = { ...readSettings(accountSettings, {}), apiKey: "", logDays: 30 }
  await using _ = await openAccounts(db, config, (error) => problems.push(error))
  const left = async () => [
    (await log.list({ limit: 9 })).map(({ requestId }) => requestId),
    (await feedback.list({ limit: 9, offset: 0 })).map(({ id }) => id),
    (await pages.list({ limit: 9, offset: 0 })).map(({ question }) => question),
  ]
  await expect.poll(left).toEqual([["new"], ["new"], ["new"]])
  expect(problems).toEqual([])
  const parts = await statement(db, "select part from schema_version").all()
  expect(parts.map(({ part }) => part)).toEqual(
    expect.arrayContaining(
      "account-secrets audit call-log collections feedback keys ledger page-requests public-keys".split(" "),
    ),
  )
})

test("feedback is listed unchanged, newest first, and deleted from the oldest", async () => {
  const store = new FeedbackStore(db)
  const one = (id: string, at: number) => ({
    id,
    at,
    keyId: "a",
    requestId: "r",
    sessionId: "",
    fields: { rating: 1, text: "good" },
  })
  for (const [id, at] of [
    ["old", 1],
    ["new", 3],
    ["mid", 2],
  ] as const)
    await store.add(one(id, at))
  expect(await store.list({ limit: 2, offset: 0 })).toEqual([one("new", 3), one("mid", 2)])
  expect(await store.list({ limit: 2, offset: 2 })).toEqual([one("old", 1)])
  expect([
    await store.prune(3, 1),
    await store.count(),
    await store.prune(3, 10),
    await store.prune(3, 10),
  ]).toEqual([1, 2, 1, 0])
  expect((await store.list({ limit: 9, offset: 0 })).map(({ id }) => id)).toEqual(["new"])
})

test("missing pages are listed by how many keys ask for them, with the latest wording", async () => {
  const store = new PageRequestStore(db)
  const ask = (at: number, keyId: string, url: string, question: string, comment = "") =>
    store.add({ at, keyId, url, question, comment })
  const page = await ask(1, "a", "https://x.example/", "how?", "please")
  const question = await ask(2, "a", "", "How much?")
  expect(await ask(3, "b", "https://x.example/", "why?")).toBe(page)
  // A key's repeated requests for the same thing count once, whatever the spelling.
  expect(await ask(4, "a", "", "how MUCH?")).toBe(question)
  expect(question).toMatch(/^[0-9a-f]{16}$/)
  expect(await store.list({ limit: 9, offset: 0 })).toEqual([
    { id: page, url: "https://x.example/", question: "why?", comment: "", keys: 2, firstAt: 1, lastAt: 3 },
    { id: question, url: "", question: "how MUCH?", comment: "", keys: 1, firstAt: 2, lastAt: 4 },
  ])
  expect((await store.list({ limit: 1, offset: 1 })).map(({ id }) => id)).toEqual([question])
  expect(await store.count()).toBe(2)
  expect([await store.settle(question), await store.settle(question)]).toEqual([true, false])
  expect([await store.prune(3, 9), await store.prune(4, 9), await store.count()]).toEqual([1, 1, 0])
})

test("missing pages are identified by address, or else by question, across updates", async () => {
  const store = new PageRequestStore(db)
  const ask = (url: string, question: string) => store.add({ at: 1, keyId: "a", url, question, comment: "" })
  const hash = (...wanted: string[]) =>
    createHash("sha256").update(JSON.stringify(wanted)).digest("hex").slice(0, 16)
  expect(await ask("https://x.example/", "how?")).toBe(hash("url", "https://x.example/"))
  expect(await ask("", "How?")).toBe(hash("question", "how?"))
  expect(await store.count()).toBe(2)
})

test("a key can leave fifty thousand entries of feedback; then its oldest are deleted, and nobody else's", async () => {
  const store = new FeedbackStore(db)
  const add = (id: string, at: number, keyId = "busy") =>
    store.add({ id, at, keyId, requestId: "", sessionId: "", fields: {} })
  await transaction(db, async () => {
    await add("other", 0, "other")
    for (let at = 600; at >= 1; at--) await add(String(at), at)
  })
  // Sets the count as if there were that many entries.
  const counted = statement(
    db,
    "update stored_use set entries = ? where store = 'feedback' and key_id = 'busy'",
  )
  await counted.run(49_999)
  await add("601", 601)
  expect(await store.count()).toBe(602)
  await add("602", 602)
  // The oldest hundredth of the key's entries is deleted, rounded up: 501 entries.
  const left = (await store.list({ limit: 200, offset: 0 })).map(({ at }) => at)
  expect(left).toEqual([...Array.from({ length: 101 }, (_, before) => 602 - before), 0])
})

test("a key can request a thousand missing pages; then its oldest are deleted, and nobody else's", async () => {
  const store = new PageRequestStore(db)
  const ask = (keyId: string, at: number) =>
    store.add({ at, keyId, url: "", question: `${keyId} ${at}`, comment: "" })
  await transaction(db, async () => {
    await ask("other", 0)
    for (let at = 1000; at >= 1; at--) await ask("busy", at)
  })
  expect(await store.count()).toBe(1001)
  await ask("busy", 1001)
  const left = (await store.list({ limit: 2000, offset: 0 })).map(({ lastAt }) => lastAt)
  // The oldest hundredth of the key's entries is deleted, rounded up.
  expect(left).toEqual([...Array.from({ length: 990 }, (_, before) => 1001 - before), 0])
})

test("a collection is what it was last set to, and an unknown name gets a suggestion", async () => {
  const collections = openCollections(db)
  await collections.set("staff", ["wiki", "docs"])
  await collections.set("all", ["docs", "shop"])
  await collections.set("staff", ["docs", "hr", "docs"])
  expect(await collections.list()).toEqual([
    { name: "all", sources: ["docs", "shop"] },
    { name: "staff", sources: ["docs", "hr"] },
  ])
  expect(await collections.sourcesOf(["staff", "none", "all"])).toEqual(["docs", "hr", "shop"])
  expect([await collections.has("staff"), await collections.has("staf")]).toEqual([true, false])
  expect(await unknownCollection(collections, ["all", "staff"])).toBeNull()
  expect(await unknownCollection(collections, ["all", "staf", "x"])).toBe(
    'There is no collection "staf"; did you mean "staff"?',
  )
  // Neither of two concurrent calls removes what the other has just written.
  await Promise.all([collections.set("staff", ["docs"]), collections.set("staff", ["wiki"])])
  expect(await collections.sourcesOf(["staff"])).toEqual(["wiki"])
  expect([await collections.delete("all"), await collections.delete("all")]).toEqual([true, false])
  expect((await collections.list()).map(({ name }) => name)).toEqual(["staff"])
})
