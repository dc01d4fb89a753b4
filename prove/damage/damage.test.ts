import { afterAll, beforeAll, expect, test } from "vitest"

import { settingsOf } from "../proof.ts"
import { damageCases } from "./damage.ts"
import { Stores } from "./stores.ts"

let stores: Stores
beforeAll(async () => {
  stores = await Stores.fill(settingsOf({ scale: 0 }))
})
afterAll(async () => {
  await stores?.[Symbol.asyncDispose]()
})

test("a damaged file of an appliance is named, or heals, and nothing wrong is served silently", async () => {
  const cases = await damageCases(stores, { scale: 0.015, seed: 3, tell: () => {} })
  expect(cases.length).toBeGreaterThan(0)
  expect(cases.flatMap(({ faults }) => faults)).toEqual([])
})

test(
  "an appliance whose data folder cannot be written to reads on, names it, and goes on once it can",
  { tags: ["mounts"] },
  async () => {
    const cases = await damageCases(
      stores,
      { scale: 1, seed: 3, tell: () => {} },
      "read-only from the start on",
    )
    expect(cases).toHaveLength(1)
    expect(cases.flatMap(({ faults }) => faults)).toEqual([])
  },
)

test("an appliance whose clock is set over summer time finds, crawls and knows its keys", async () => {
  const cases = await damageCases(stores, { scale: 1, seed: 3, tell: () => {} }, "beginning of summer time")
  expect(cases).toMatchObject([{ wentOn: "all found, all crawled", faults: [] }])
})
