import { expect, test } from "vitest"

import { damageCases } from "./damage.ts"

test("a damaged file of an appliance is named, or heals, and nothing wrong is served silently", async () => {
  const cases = await damageCases({ scale: 0.02, seed: 3, tell: () => {} })
  expect(cases.length).toBeGreaterThan(0)
  expect(cases.flatMap(({ faults }) => faults)).toEqual([])
})
