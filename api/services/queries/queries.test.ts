import { TimeGuard } from "#base/store/clock/trusted-time.ts"
import { statement } from "#base/store/testing/statement.ts"
import { parseQueryText } from "#engine/text/query-text.ts"
import { expect, test } from "vitest"

import { WriteQueue } from "../../identity/accounts/billing/write-queue.ts"
import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { tidyHourly } from "../../identity/accounts/tidying.ts"
import { hit, FakeEngine } from "../../testing/fake-engine.ts"
import { serveAccounts } from "../../testing/serve-accounts.ts"
import { memoryState } from "../../testing/serve-app.ts"
import { missedQuestions } from "./missed.ts"
import { QueryLog } from "./query-log.ts"

const DAY = 24 * 60 * 60 * 1000
const ALL = { from: 0, before: Number.MAX_SAFE_INTEGER, limit: 10, offset: 0 }

test("searches over a socket are recorded with the id of their key, and shown in a report", async () => {
  using db = memoryState()
  const queries = new QueryLog(db, 7)
  const engine = new FakeEngine([hit({ score: 0.2 })])
  await using app = await serveAccounts({ engine, queries })
  const [one, other] = [await app.key(), await app.key()]
  for (const key of [one, other]) await app.call("/search", key, { query: "Pump  repair" })
  await app.call("/search", one, { query: "pump repair" })
  await app.call("/search", one, { query: "not even asked", max_results: 0 })
  await using empty = await serveAccounts({ engine: new FakeEngine(), queries })
  await empty.call("/search", await empty.key(), { query: "nothing" })
  // A response does not wait for its log entry.
  await expect
    .poll(() => queries.report("top", ALL))
    .toMatchObject({
      total: 2,
      queries: [
        { question: "pump repair", count: 3, keys: 2, results: 1, topScore: 0.2 },
        { question: "nothing", count: 1, keys: 1, results: 0, topScore: 0 },
      ],
    })
  // With only doubtful results, a question counts as unanswered.
  expect((await queries.report("zero", ALL)).queries.map((line) => line.question)).toEqual([
    "pump repair",
    "nothing",
  ])
  expect((await queries.report("low", ALL)).queries.map((line) => line.question)).toEqual(["pump repair"])
  const rows = JSON.stringify(await statement(db, "select * from asked_query").all())
  expect(rows).not.toContain(one)
  expect(await queries.clear()).toBe(4)
  expect((await queries.report("top", ALL)).total).toBe(0)
})

test("a question counts as missed if the index has no answer, but not if a scope or an outage hid it", async () => {
  const query = { text: parseQueryText("pump"), limit: 1 }
  const [nothing, doubtful, good] = [[], [{ score: 0.13 }], [{ score: 0.9 }]]
  const whole = { hasOtherPages: false }
  let isBeyond = true
  const looked: unknown[] = []
  const isMissed = missedQuestions({
    async answersBeyond(asked) {
      looked.push(asked)
      return isBeyond
    },
  })
  for (const results of [nothing, doubtful]) {
    const asked = { query, results, isLimited: false, degraded: whole }
    expect(await isMissed(asked)).toBe(true)
    expect(await isMissed({ ...asked, degraded: { hasOtherPages: true } })).toBe(false)
    expect(await isMissed({ ...asked, isLimited: true })).toBe(false)
    isBeyond = false
    expect(await isMissed({ ...asked, isLimited: true })).toBe(true)
    isBeyond = true
  }
  expect(looked).toHaveLength(4)
  expect(await isMissed({ query, results: good, isLimited: true, degraded: whole })).toBe(false)
  const broken = missedQuestions({ answersBeyond: () => Promise.reject(new Error("away")) })
  expect(await broken({ query, results: nothing, isLimited: true, degraded: whole })).toBe(true)
})

test("searches that end together are recorded once each, and not after all were deleted", async () => {
  using db = memoryState()
  const queries = new QueryLog(db, 7)
  const question = { keyId: "k", question: "pump", depth: "basic", results: 1, topScore: 0.9, seconds: 1 }
  const noted: Promise<void>[] = []
  // Some entries arrive while others are being written, at every stage of the write.
  for (let at = 1; at <= 40; at++) {
    noted.push(queries.note({ ...question, at: Date.now() }))
    await Promise.resolve()
  }
  await Promise.all(noted)
  expect((await queries.report("top", ALL)).queries).toMatchObject([{ count: 40 }])
  const last = queries.note({ ...question, at: Date.now() })
  expect(await queries.clear()).toBe(41)
  await last
  expect((await queries.report("top", ALL)).total).toBe(0)
  void queries.note({ ...question, at: Date.now() })
  await queries[Symbol.asyncDispose]()
  expect(await statement(db, "select count(*) as n from asked_query").get()).toEqual({ n: 1 })
})

test("nothing is noted unless the operator wants it", async () => {
  using db = memoryState()
  const queries = new QueryLog(db, 0)
  await using app = await serveAccounts({ engine: new FakeEngine([hit()]), queries })
  await app.call("/search", await app.key(), { query: "pump" })
  expect(await statement(db, "select count(*) as n from asked_query").get()).toEqual({ n: 0 })
})

test("the slowest answers come first, within the days that are kept", async () => {
  using db = memoryState()
  const queries = new QueryLog(db, 7)
  const now = Date.now()
  const note = (question: string, at: number, seconds: number) =>
    queries.note({ at, keyId: "k", question, depth: "basic", results: 1, topScore: 0.9, seconds })
  await note("old", now - 8 * DAY, 9)
  await note("quick", now - DAY, 0.1)
  await note("slow", now - 2 * DAY, 3)
  await note("slow", now - DAY, 0.2)
  expect(
    (await queries.report("slow", ALL)).queries.map(({ question, seconds }) => [question, seconds]),
  ).toEqual([
    ["slow", 3],
    ["quick", 0.1],
  ])
  expect((await queries.report("top", { ...ALL, from: now - 1.5 * DAY })).queries).toMatchObject([
    { count: 1 },
    { count: 1 },
  ])
})

test("questions past their days are deleted at the start and from time to time, however few are asked", async () => {
  using db = memoryState()
  const writes = new WriteQueue(db)
  const left = () => statement(db, "select question from asked_query").all()
  const now = Date.now()
  const note = (log: QueryLog, question: string, at: number) =>
    log.note({ at, keyId: "k", question, depth: "basic", results: 1, topScore: 0.9, seconds: 1 })
  const queries = new QueryLog(db, 7)
  await note(queries, "old", now - 8 * DAY)
  await note(queries, "new", now - DAY)
  using opened = new DisposableStack()
  opened.use(tidyHourly([queries], { writes, guard: new TimeGuard(db), onProblem: () => {}, everyMs: 20 }))
  await expect.poll(left).toEqual([{ question: "new" }])
  await note(queries, "older", now - 9 * DAY)
  await expect.poll(left).toEqual([{ question: "new" }])
  // Stored questions are deleted when the log is switched off.
  opened.use(tidyHourly([new QueryLog(db, 0)], { writes, guard: new TimeGuard(db), onProblem: () => {} }))
  await expect.poll(left).toEqual([])
})

test("a question is suggested only to keys with the same scope as several that asked it, once it was answered", async () => {
  using db = memoryState()
  const queries = new QueryLog(db, 7)
  const engine = new FakeEngine([hit({ score: 0.8, source: "docs" })])
  await using app = await serveAccounts({ engine, queries, sourceNames: async () => ["docs", "sales"] })
  const limited = () => app.key({ scope: readScope({ sources: ["docs"] }) })
  const suggested = async (typed: string, key: string, more = "") => {
    const { body } = await app.call(`/suggest?q=${encodeURIComponent(typed)}${more}`, key)
    return (body as { questions?: readonly string[] }).questions
  }
  const [first, second, third] = [await limited(), await limited(), await limited()]
  for (const key of [first, first, second])
    await app.call("/search", key, { query: "How are <b>pumps</b> cleaned?" })
  // Only two keys asked this question, one of them twice.
  expect(await suggested("how", third)).toBeUndefined()
  await app.call("/search", third, { query: "how are  <b>Pumps</b> cleaned?" })
  const key = await limited()
  await expect.poll(() => suggested("HOW  are <b", key)).toEqual(["how are <b>Pumps</b> cleaned?"])
  expect(await suggested("ho", await limited())).toBeUndefined()
  expect(await suggested("pumps", await limited())).toBeUndefined()
  expect(await suggested("how", await limited(), "&source=docs")).toBeUndefined()
  // Keys with a wider or narrower scope don't see the question.
  expect(await suggested("how", await app.key())).toBeUndefined()
  expect(await suggested("how", await app.key({ scope: readScope({ sources: ["sales"] }) }))).toBeUndefined()
  await using empty = await serveAccounts({ engine: new FakeEngine(), queries })
  for (let i = 0; i < 3; i += 1)
    await empty.call("/search", await empty.key(), { query: "unanswered question" })
  expect(await queries.alike("", "unanswered", 3)).toEqual([])
  await queries.clear()
  expect(await suggested("how", await limited())).toBeUndefined()
})
