import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { Degraded } from "#base/flow/degraded.ts"
import { PostgresError } from "#base/store/postgres/postgres-error.ts"
import type { StateStore } from "#base/store/state-port.ts"
import { until } from "#base/testing/until.ts"

import { asContinuing } from "./continuing.ts"
import { REMEMBERED_MS, StateOutage } from "./state-outage.ts"

/** A state that answers, refuses, or stays silent. */
let how: "answering" | "refusing" | "silent"
let asked: number
let outage: StateOutage
const reported: unknown[] = []
const AWAY = new PostgresError({ code: "ECONNREFUSED", message: "" })

const state = async <T>(value: T): Promise<T> => {
  asked += 1
  if (how === "silent") await until(() => how !== "silent")
  if (how === "refusing") throw AWAY
  return value
}
const store = {
  native: () => ({
    ask: () => state({ rows: [], changes: 0 }),
    async *iterate() {
      yield await state({})
    },
  }),
} as unknown as Pick<StateStore, "native">

beforeEach(() => {
  how = "answering"
  asked = 0
  reported.length = 0
  outage = new StateOutage({ stores: [store], onChange: (why) => reported.push(why), slowMs: 1, lookMs: 1 })
})
afterEach(() => {
  vi.useRealTimers()
  how = "answering"
  outage[Symbol.dispose]()
})

test.each(["refusing", "silent"] as const)(
  "while the server is %s, reads get the last value and are marked as degraded",
  async (kind) => {
    const read = outage.remembered(async (name: string) => await state(`${name} as it is`))
    expect(await asContinuing(true, () => read("a"))).toBe("a as it is")
    how = kind
    const degraded = new Degraded()
    expect(await degraded.collect(() => asContinuing(true, () => read("a")))).toBe("a as it is")
    expect([degraded.parts, outage.isAway, outage.isBridged]).toEqual([["state"], true, true])
    await expect(asContinuing(true, () => read("b"))).rejects.toThrow("cannot be reached")

    how = "answering"
    await until(() => !outage.isAway)
    expect(reported).toEqual([expect.any(PostgresError), null])
    expect([outage.isBridged, outage.wasAwayWithin(60_000), outage.wasAwayWithin(0)]).toEqual([
      false,
      true,
      false,
    ])
  },
)

test("reads do not ask a server that is known to be away", async () => {
  const read = outage.remembered(async () => await state(1))
  await asContinuing(true, read)
  how = "refusing"
  await asContinuing(true, read)
  await until(() => reported.length > 0)
  const before = asked
  for (let calls = 0; calls < 20; calls++) expect(await asContinuing(true, read)).toBe(1)
  expect(asked).toBe(before)
})

test("other calls always ask the server, and fail while it is away", async () => {
  const read = outage.remembered(async () => await state(1))
  const without = outage.without(async () => await state(1), 2)
  expect(await read()).toBe(1)
  how = "refusing"
  await expect(read()).rejects.toBe(AWAY)
  await expect(without()).rejects.toBe(AWAY)
  expect(outage.isAway).toBe(false)
  // Values read by other calls are remembered for calls that continue.
  expect(await asContinuing(true, read)).toBe(1)
})

test("missing parts are named, and only an outage leaves them out", async () => {
  const facts = outage.without(async (value: unknown) => {
    if (value instanceof Error) throw value
    return await state(value)
  }, "none")
  expect(await asContinuing(true, () => facts("some"))).toBe("some")
  await expect(asContinuing(true, () => facts(new Error("a mistake")))).rejects.toThrow("a mistake")
  how = "refusing"
  const degraded = new Degraded()
  expect(await degraded.collect(() => asContinuing(true, () => facts("some")))).toBe("none")
  expect(degraded.parts).toEqual(["state"])
})

test("values are forgotten after their time, or when the server no longer has them", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  let isValid = true
  const key = outage.remembered(
    async () => await state(isValid ? "key" : null),
    (found) => found !== null,
  )
  expect(await key()).toBe("key")
  how = "refusing"
  vi.advanceTimersByTime(REMEMBERED_MS)
  expect(await asContinuing(true, key)).toBe("key")
  vi.advanceTimersByTime(1)
  await expect(asContinuing(true, key)).rejects.toBe(AWAY)
  vi.advanceTimersByTime(REMEMBERED_MS)
  expect(outage.isBridged).toBe(false)

  how = "answering"
  await until(() => !outage.isAway)
  expect(await key()).toBe("key")
  isValid = false
  expect(await key()).toBeNull()
  how = "refusing"
  await expect(asContinuing(true, key)).rejects.toBe(AWAY)
})

test("a call waits for a slow answer while the server answers other calls", async () => {
  const slow = Promise.withResolvers<string>()
  const answer = asContinuing(true, () => outage.ask(() => slow.promise))
  await until(() => asked > 0)
  slow.resolve("late")
  expect(await answer).toBe("late")
  expect([outage.isAway, reported]).toEqual([false, []])
})

test("a single broken connection is not reported as an outage", async () => {
  await expect(asContinuing(true, () => outage.ask(() => Promise.reject(AWAY)))).rejects.toBe(AWAY)
  await until(() => !outage.isAway)
  expect(reported).toEqual([])
})
