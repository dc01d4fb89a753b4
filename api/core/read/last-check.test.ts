import { expect, test } from "vitest"

import { hit } from "../../testing/fake-engine.ts"
import { lastCheck } from "./last-check.ts"

const page = hit({ source: "open", sharedWith: ["closed"], fetchedAt: new Date("2025-04-01T00:00:00Z") })
const visits = new Map([
  ["open", new Date("2025-05-01T00:00:00Z")],
  ["closed", new Date("2025-06-01T00:00:00Z")],
])
const knowledge = {
  visits: async (_: unknown, sources: readonly string[]) => ({
    checkedAt: sources.flatMap((name) => visits.get(name) ?? []).at(-1) ?? null,
  }),
}

test("the last check is the latest visit by any source of the page, or by any visible source", async () => {
  expect((await lastCheck(page, knowledge)).toISOString()).toBe("2025-06-01T00:00:00.000Z")
  expect((await lastCheck(page, knowledge, ["open", "other"])).toISOString()).toBe("2025-05-01T00:00:00.000Z")
})

test("the last check is the time the text was read if no later visit is known", async () => {
  expect((await lastCheck(page, knowledge, [])).toISOString()).toBe("2025-04-01T00:00:00.000Z")
  const older = { visits: async () => ({ checkedAt: new Date("2020-01-01T00:00:00Z") }) }
  expect((await lastCheck(page, older)).toISOString()).toBe("2025-04-01T00:00:00.000Z")
})
