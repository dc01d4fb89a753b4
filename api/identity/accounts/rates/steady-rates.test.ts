import { expect, test } from "vitest"

import { PostgresError } from "#base/store/postgres/postgres-error.ts"

import { asContinuing } from "../../../server/outage/continuing.ts"
import { RateCounter } from "./rate-limits.ts"
import { SteadyRates } from "./steady-rates.ts"

const THREE = { search: { calls: 3, seconds: 60 } }
const AWAY = new PostgresError({ code: "ECONNREFUSED", message: "" })

function ratesOf() {
  const outage = { isAway: false, wasAway: false }
  const shared = new RateCounter()
  const rates = new SteadyRates(shared, {
    isCovered: true,
    ask: (load) => (outage.isAway ? Promise.reject(AWAY) : load()),
    wasAwayWithin: () => outage.wasAway,
  })
  return { rates, shared, outage }
}

test("calls before, during and after an outage count together", async () => {
  const { rates, shared, outage } = ratesOf()
  const take = () => asContinuing(true, () => rates.take("key", "search", THREE))
  expect(await take()).toBeNull()
  outage.isAway = outage.wasAway = true
  expect([await take(), await take()]).toEqual([null, null])
  const refused = await take()
  expect(refused!.retryAfter).toBeGreaterThan(0)
  outage.isAway = false
  // The shared rates have counted only the first call.
  expect(await take()).toEqual(refused)
  expect(await shared.take("key", "search", THREE)).toBeNull()
  expect(await asContinuing(true, () => rates.take("other", "search", THREE))).toBeNull()
})

test("without an outage the shared rates alone decide", async () => {
  const { rates, shared } = ratesOf()
  for (let calls = 0; calls < 3; calls++) expect(await rates.take("key", "search", THREE)).toBeNull()
  expect(await rates.take("key", "search", THREE)).not.toBeNull()
  // Another process used up the limit.
  for (let calls = 0; calls < 3; calls++) await shared.take("another", "search", THREE)
  expect(await rates.take("another", "search", THREE)).not.toBeNull()
  expect(await rates.take("another", "usage", THREE)).toBeNull()
})

test("a call that does not continue fails with the error of the state", async () => {
  const { rates, outage } = ratesOf()
  outage.isAway = true
  await expect(rates.take("key", "search", THREE)).rejects.toBe(AWAY)
})
