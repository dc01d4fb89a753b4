import { setImmediate } from "node:timers/promises"

import { expect, test } from "vitest"

import { countedDegraded, Degraded, degradedCounts, degradedText, leaveOut } from "./degraded.ts"

test("an answer records the parts left out of its own work, not of others'", async () => {
  const [one, other, complete] = [new Degraded(), new Degraded(), new Degraded()]
  const late = async (part: Parameters<typeof leaveOut>[0]) => {
    await setImmediate()
    leaveOut(part)
  }
  await Promise.all([
    one.collect(async () => {
      await late("reranker")
      await other.collect(() => late("peers"))
      await late("meaning")
    }),
    complete.collect(() => setImmediate()),
  ])
  leaveOut("index")
  expect([one.parts, other.parts, complete.parts]).toEqual([["meaning", "reranker"], ["peers"], []])
  expect([one, other, complete].map(({ hasOtherPages }) => hasOtherPages)).toEqual([true, true, false])
  expect(degradedText(one.parts)).toBe(
    "Part of the appliance was busy or out of order: pages were judged by their words alone; pages were ranked without the reranker.",
  )
  expect(degradedText([])).toBeNull()
})

test("an answer is counted once for each part, unless nobody waits for it", () => {
  const before = degradedCounts().get("coverage")!
  for (const isWanted of [true, false]) {
    countedDegraded(() => isWanted).collect(() => {
      leaveOut("coverage")
      leaveOut("coverage")
    })
  }
  expect(degradedCounts().get("coverage")).toBe(before + 1)
})
