import { type Expression, sql, type SqlBool } from "kysely"
import { expect, test } from "vitest"
import { emptyState } from "../store/testing/empty-state.ts"
import { SCHEMA_WORDS } from "../store/query/schema-words.ts"
import { dueIndex, Outbox, outboxColumns } from "./outbox.ts"
import { type Attempt, GIVE_UP_MS } from "./retries.ts"

const HOUR = 3_600_000
const YEARS = 10 * 365 * 24 * HOUR
const NONE = new Set<string>()
const TAKEN: Attempt = { error: null, status: 204 }
const REFUSED: Attempt = { error: "answered 500", status: 500, final: false }

async function open({ inOrder = false, maySend }: { inOrder?: boolean; maySend?: Expression<SqlBool> } = {}) {
  const db = emptyState()
  const now = { ms: Date.UTC(2026, 0, 1) }
  const words = SCHEMA_WORDS[db.dialect]
  await db.script(
    `create table letter (${outboxColumns(words)}, text ${words.text} not null) ${words.strict}; ${dueIndex("letter")}`,
  )
  const own = (row: Record<string, unknown>) => ({ text: String(row["text"]) })
  const outbox = new Outbox(db, {
    table: "letter",
    own,
    inOrder,
    ...(maySend && { maySend }),
    clock: () => now.ms,
  })
  return {
    outbox,
    now,
    /** Texts of the due messages. */
    due: async (busy: readonly string[] = [], served: readonly string[] = []) =>
      (await outbox.due(new Set(busy), 9, served)).map(({ text }) => text),
    settleFirst: async (attempt: Attempt) => await outbox.settle((await outbox.due(NONE, 1))[0]!.id, attempt),
    latest: async () => (await outbox.list({ limit: 1 }))[0]!,
    [Symbol.dispose]: () => db[Symbol.dispose](),
  }
}

test("one message at a time goes to each receiver that is not busy, the oldest first", async () => {
  using state = await open()
  for (const [receiver, text] of [
    ["a", "1"],
    ["a", "2"],
    ["b", "3"],
  ] as const)
    await state.outbox.put(receiver, { text })
  expect(await state.due()).toEqual(["1", "3"])
  expect(await state.due(["b"])).toEqual(["1"])
  expect(await state.outbox.due(NONE, 1)).toMatchObject([{ receiver: "a", key: null, attempts: 0 }])
  await state.settleFirst(TAKEN)
  expect(await state.due()).toEqual(["2", "3"])
})

test("a key at its limit gets no more, while another key and the appliance do", async () => {
  using state = await open()
  await state.outbox.put("a", { text: "1" }, "loud")
  await state.outbox.put("b", { text: "2" }, "quiet")
  await state.outbox.put("c", { text: "3" })
  expect(await state.due([], ["loud"])).toEqual(["2", "3"])
})

test("messages that may not be sent now wait", async () => {
  using state = await open({ maySend: sql<SqlBool>`text <> 'paused'` })
  await state.outbox.put("a", { text: "paused" })
  await state.outbox.put("a", { text: "open" })
  expect(await state.due()).toEqual(["open"])
})

test.each([
  ["passes by", false, ["2"]],
  ["waits behind", true, []],
])("a later message %s a postponed one, as the outbox defines", async (_, inOrder, due) => {
  using state = await open({ inOrder })
  await state.outbox.put("a", { text: "1" })
  await state.outbox.put("a", { text: "2" })
  await state.settleFirst(REFUSED)
  expect(await state.due()).toEqual(due)
  state.now.ms += 10_000
  expect(await state.due()).toEqual(["1"])
})

test("a message is retried with growing pauses, given up after a day, and sent again on request", async () => {
  using state = await open()
  const { outbox, now } = state
  await outbox.put("a", { text: "1" })
  const since = now.ms
  const pauses: number[] = []
  for (
    await state.settleFirst(REFUSED);
    (await state.latest()).state === "waiting";
    await state.settleFirst(REFUSED)
  ) {
    const { nextAttemptAt, lastAttemptAt } = await state.latest()
    expect(await state.due()).toEqual([])
    pauses.push(nextAttemptAt!.getTime() - lastAttemptAt!.getTime())
    now.ms = nextAttemptAt!.getTime()
  }
  expect(now.ms - since).toBe(GIVE_UP_MS)
  expect(pauses.length).toBeGreaterThan(8)
  const allButLast = pauses.slice(0, -1)
  expect(allButLast.toSorted((a, b) => a - b)).toEqual(allButLast)
  expect(await state.latest()).toMatchObject({
    state: "given-up",
    nextAttemptAt: null,
    attempts: pauses.length + 1,
    lastStatus: 500,
    lastError: "answered 500",
  })
  expect([await outbox.retry((await state.latest()).id), await outbox.retry("none")]).toEqual([true, false])
  await state.settleFirst(TAKEN)
  expect(await state.latest()).toMatchObject({ state: "delivered", lastStatus: 204, lastError: null })
})

test("the receiver's requested pause is used if it is longer, and a permanent refusal ends the attempts", async () => {
  using state = await open()
  await state.outbox.put("a", { text: "1" })
  await state.settleFirst({ ...REFUSED, retryAfterMs: HOUR })
  expect((await state.latest()).nextAttemptAt!.getTime()).toBe(state.now.ms + HOUR)
  state.now.ms += HOUR
  await state.settleFirst({ ...REFUSED, final: true })
  expect(await state.latest()).toMatchObject({ state: "given-up", attempts: 2 })
})

test("a clock that was ahead delays no message, and the message has a day from then", async () => {
  using state = await open()
  const { now } = state
  now.ms += YEARS
  await state.outbox.put("a", { text: "1" })
  await state.settleFirst(REFUSED)
  expect(await state.due()).toEqual([])
  now.ms -= YEARS
  expect(await state.due()).toEqual(["1"])
  await state.settleFirst(REFUSED)
  expect(await state.latest()).toMatchObject({ state: "waiting", attempts: 2 })
  now.ms += GIVE_UP_MS
  await state.settleFirst(REFUSED)
  expect(await state.latest()).toMatchObject({ state: "given-up", nextAttemptAt: null })
})

test("finished messages are listed and counted by their columns for a week", async () => {
  using state = await open()
  const { outbox, now } = state
  for (const text of ["1", "2"]) await outbox.put("a", { text })
  await state.settleFirst(TAKEN)
  expect(await outbox.list({ limit: 1, offset: 1 })).toMatchObject([{ text: "1", state: "delivered" }])
  expect(await outbox.list({ limit: 9 }, { state: "waiting", text: undefined })).toMatchObject([
    { text: "2" },
  ])
  expect([await outbox.count(), await outbox.count({ state: "delivered" })]).toEqual([2, 1])
  now.ms += 6 * 24 * HOUR
  await outbox.prune()
  expect(await outbox.count()).toBe(2)
  now.ms += 2 * 24 * HOUR
  await outbox.prune()
  expect((await outbox.list({ limit: 9 })).map(({ text }) => text)).toEqual(["2"])
})
