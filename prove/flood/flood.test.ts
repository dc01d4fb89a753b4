import { describe, expect, test } from "vitest"

import { FakeEngine, hit } from "../../api/testing/fake-engine.ts"
import { SEARCH_KEY, serveApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { faultsOf } from "./flood.ts"
import { FLOODS, trial } from "./floods.ts"

describe("another caller gets answers without errors during a flood of", () => {
  test.each(FLOODS)("%s", async (flood) => {
    await using app = await serveApp({ engine: new FakeEngine([hit()]), config: { keylessPerMinute: 100 } })
    const target = { url: app.url, key: TEST_KEY, floodKey: SEARCH_KEY }
    for (const hasKey of [false, true]) {
      const tried = await trial(target, flood, hasKey, { connections: 30, turnMs: 200, turns: 1 })
      expect(faultsOf(tried, false)).toEqual([])
      expect(tried.flooded.search.length).toBeGreaterThan(0)
    }
    // The attacker is gone, and has left nothing behind.
    const bound = async (name: string) => {
      const response = await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${TEST_KEY}` } })
      const value = new RegExp(`^fossick_bound_used\\{bound="${name}"\\} (\\d+)$`, "m").exec(
        await response.text(),
      )
      return Number(value?.[1])
    }
    for (const name of ["bodies", "requests-ahead", "event-streams", "memory-unsent", "searches-waiting"])
      await expect.poll(() => bound(name)).toBe(0)
  })
})

test("errors, missing answers and slow answers are faults", () => {
  const fared = (ms: number, wrong: string[] = []) => ({ search: [ms], healthz: [ms], wrong })
  const about = { flood: "idle", hasKey: true } as const
  expect(faultsOf({ ...about, alone: fared(10), flooded: fared(19) }, true)).toEqual([])
  expect(faultsOf({ ...about, alone: fared(10), flooded: fared(21) }, true)).toEqual([
    "idle, with a key: /search took 2.10 times as long (p99)",
    "idle, with a key: /healthz took 2.10 times as long (p99)",
  ])
  expect(
    faultsOf({ ...about, alone: fared(10), flooded: fared(10, ["/search was answered 500"]) }, true),
  ).toEqual(["idle, with a key: /search was answered 500"])
  expect(
    faultsOf({ ...about, alone: fared(10), flooded: { search: [], healthz: [1], wrong: [] } }, false),
  ).toEqual(["idle, with a key: /search was never answered"])
})
