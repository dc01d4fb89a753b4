import { expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"

import { accountSettings } from "./settings.ts"

const read = (env: Readonly<Record<string, string>>) => readSettings(accountSettings, env)

test("the secret for person ids is empty or hard to guess, and a wrong one is not repeated", () => {
  expect(read({}).humanIdSecret).toBe("")
  const strong = "hK3vQz81pLx0TnRw"
  expect(read({ FOSSICK_HUMAN_ID_SECRET: strong }).humanIdSecret).toBe(strong)
  const weak = () => read({ FOSSICK_HUMAN_ID_SECRET: "secret" })
  expect(weak).toThrow("FOSSICK_HUMAN_ID_SECRET")
  expect(weak).not.toThrow(/"secret"/)
})

test("nothing is limited by default except the callers of public keys", () => {
  const { rateLimits, publicRateLimits, planCredits, logQueries, queryLogDays } = read({})
  expect([rateLimits, planCredits, logQueries, queryLogDays]).toEqual([{}, 0, false, 0])
  expect(publicRateLimits).toEqual({
    search: { calls: 120, seconds: 60 },
    suggest: { calls: 300, seconds: 60 },
  })
  expect(() => read({ FOSSICK_RATE_LIMITS: "search=0/m" })).toThrow("FOSSICK_RATE_LIMITS must be a list")
})
