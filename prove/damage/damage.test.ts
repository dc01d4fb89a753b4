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

const WHOLE = { scale: 1, seed: 3, tell: () => {} }

test("a damaged file is named or repaired, and nothing wrong is served silently", async () => {
  const only = /^data\/(?:index\/pages\.lance\/data\/.*cut in half|state\.db, removed)$/
  const cases = await damageCases(stores, WHOLE, only)
  const says = (words: string) => expect.stringContaining(words) as string
  expect(cases).toMatchObject([
    { said: says("pages.lance"), faults: [] },
    { wentOn: says("keys are lost, and a message says how to restore them"), faults: [] },
  ])
})

test(
  "an appliance with a read-only data folder still answers, names the problem, and recovers",
  { tags: ["mounts"] },
  async () => {
    const cases = await damageCases(stores, WHOLE, /read-only from the start/)
    expect(cases).toHaveLength(1)
    expect(cases.flatMap(({ faults }) => faults)).toEqual([])
  },
)

test("an appliance whose clock is set over summer time finds, crawls and knows its keys", async () => {
  const cases = await damageCases(stores, WHOLE, /start of summer time/)
  expect(cases).toMatchObject([{ wentOn: "all found, all crawled", faults: [] }])
})
