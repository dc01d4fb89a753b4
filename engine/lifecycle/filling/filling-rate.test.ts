import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { FillingRate, secondsLeft, toldRate } from "./filling-rate.ts"
import { fillingText } from "./filling-text.ts"

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-filling-rate-"))
})
afterAll(() => rm(dir, { recursive: true }))

test("the rate covers the last minute, and falls when nothing happens", async () => {
  let now = 0
  const rate = new FillingRate(path.join(dir, "rate.json"), () => now)
  rate.begin()
  expect(rate.perSecond).toBeNull()
  for (; now < 120_000; now += 500) rate.count(now < 60_000 ? 10 : 50)
  expect(rate.perSecond).toBeCloseTo(100, -1)
  // For half a minute, a crawl takes precedence.
  now += 30_000
  expect(rate.perSecond).toBeCloseTo(50, -1)
  now += 60_000
  expect(rate.perSecond).toBe(0)
  await rate.end()
})

test("a new fill does not start with the previous rate", async () => {
  let now = 0
  const rate = new FillingRate(path.join(dir, "fresh.json"), () => now)
  for (; now < 10_000; now += 1000) rate.count(100)
  expect(rate.perSecond).toBeCloseTo(100, -1)
  await rate.end()
  expect(rate.perSecond).toBeNull()
  now += 1000
  rate.begin()
  expect(rate.perSecond).toBeNull()
})

test("other processes can read the rate, until the fill is over or the writer is gone", async () => {
  const file = path.join(dir, "told.json")
  let now = 0
  const rate = new FillingRate(file, () => now)
  for (; now < 10_000; now += 1000) rate.count(100)
  await expect.poll(() => toldRate(file)).toBeGreaterThan(90)
  expect(await toldRate(file, () => Date.now() + 60_000)).toBeNull()
  await rate.end()
  expect(existsSync(file)).toBe(false)
  expect(await toldRate(file)).toBeNull()
  await writeFile(file, '{"perSecond": "many", "at')
  expect(await toldRate(file)).toBeNull()
})

test("the remaining time comes from the rate, and is never guessed", () => {
  const stats = { pagesWithoutVectors: 900, passagesWithoutVectors: 9000, vectorsPerSecond: 36 }
  expect(secondsLeft(stats)).toBe(250)
  expect(secondsLeft({ ...stats, vectorsPerSecond: null })).toBeNull()
  expect(secondsLeft({ ...stats, vectorsPerSecond: 0 })).toBeNull()
  expect(secondsLeft({ passagesWithoutVectors: 0, vectorsPerSecond: null })).toBe(0)
  expect(fillingText(stats)).toBe(
    "900 pages are waiting for vectors (9000 passages, 36 a second, about 4 min left)",
  )
  expect(fillingText({ pagesWithoutVectors: 1, passagesWithoutVectors: 1, vectorsPerSecond: null })).toBe(
    "1 page is waiting for vectors (1 passage)",
  )
})
