import { expect, test } from "vitest"

import { garbageCollector } from "../process/garbage-collector.ts"
import { ownCopy } from "./own-copy.ts"

test("a copy has the same text", () => {
  for (const text of [
    "",
    "pump",
    "twelve-chars",
    "thirteen-char",
    "Wärmepumpenheizungsanlage",
    "𝒳😀\ud800x".repeat(5),
  ])
    expect(ownCopy(text)).toBe(text)
})

test("a kept word does not keep its page in memory", () => {
  const collect = garbageCollector()
  const held = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = held()
  const words = Array.from({ length: 100 }, (_, at) => {
    const page = Buffer.from(`longlonglongword${at} and more `.repeat(10_000)).toString()
    return ownCopy(page.slice(0, 16))
  })
  // The pages are 26 MB in total.
  expect(held() - before).toBeLessThan(10_000_000)
  expect(words[99]).toBe("longlonglongword")
})
