import { expect, onTestFinished, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { migrate, type StateStore } from "#base/store/state-store.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"

import { startReceiver } from "./testing/receiver.ts"
import { migrateTraces, noteTraceOf, traceOf } from "./trace-parents.ts"
import { traceSettings } from "./trace-settings.ts"
import { startTracing, traced, traceparent } from "./tracing.ts"

async function tracing() {
  const receiver = await startReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return await startTracing("fossick-test", {
    ...readSettings(traceSettings, {}),
    tracesUrl: receiver.url,
  })
}

function state(prepare: (db: StateStore) => void = migrateTraces) {
  const db = emptyState()
  onTestFinished(() => db.close())
  prepare(db)
  return db
}

test("without tracing, nothing is recorded or looked up", async () => {
  const db = state()
  await noteTraceOf(db, 1)
  expect(await traceOf(db, 1)).toBeUndefined()
  await using _ = await tracing()
  // There is no current step.
  await noteTraceOf(db, 1)
  expect(await traceOf(db, 1)).toBeUndefined()
})

test("a run continues the trace of the last call that requested it", async () => {
  const db = state()
  {
    await using _ = await tracing()
    const noted = await traced("call", {}, async () => {
      await noteTraceOf(db, 1)
      await noteTraceOf(db, 2)
      return Promise.resolve(traceparent())
    })
    expect(noted).toMatch(/^00-/)
    expect([await traceOf(db, 1), await traceOf(db, 2), await traceOf(db, 3)]).toEqual([
      noted,
      noted,
      undefined,
    ])
    const again = await traced("call", {}, async () => {
      await noteTraceOf(db, 1)
      return Promise.resolve(traceparent())
    })
    expect(again).not.toBe(noted)
    expect([await traceOf(db, 1), await traceOf(db, 2)]).toEqual([again, noted])
  }
  // The process that runs the job does not record traces.
  expect(await traceOf(db, 1)).toBeUndefined()
})

test("the callers of a thousand runs are remembered, and a process that looks first finds none", async () => {
  const db = state()
  await using _ = await tracing()
  expect(await traceOf(db, 1)).toBeUndefined()
  await traced("call", {}, async () => {
    for (const job of [1, 2, 3, 1002]) await noteTraceOf(db, job)
    return Promise.resolve()
  })
  expect(
    await Promise.all([1, 2, 3, 1002].map(async (job) => (await traceOf(db, job)) !== undefined)),
  ).toEqual([false, false, true, true])
})

test("callers recorded by a newer version are left alone, and the newer part is named", async () => {
  const db = state((newer) => migrate(newer, "traces", [() => "select 1", () => "select 2"]))
  migrateTraces(db)
  await using _ = await tracing()
  await expect(() => traceOf(db, 1)).rejects.toThrow(/newer Fossick \(traces 2, this one knows 1\)/)
})
