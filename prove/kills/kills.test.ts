import { expect, test } from "vitest"

import { killRounds } from "./kills.ts"
import { ChangingSite } from "./site.ts"
import { chance } from "#base/testing/chance.ts"

/** With this seed, all processes are killed while a crawl is writing to the index. */
const SEED = 8

test("an appliance killed at a random moment keeps what it acknowledged", async () => {
  const { tried } = await killRounds({ scale: 0.005, seed: SEED, tell: () => {} })
  // Something was killed in each round.
  const rounds = [...tried].map(([name, { rounds, victims }]) => [name, rounds, [...victims]])
  expect(rounds).toEqual([["index write", 1, [["all", 1]]]])
  expect([...tried.values()].flatMap(({ faults }) => faults)).toEqual([])
})

test("a partial page, and one mixed from two versions, is distinguished from a complete one", async () => {
  await using site = await ChangingSite.start(2)
  const [url, other] = site.urls as [string, string]
  const text = () => (site.bodyOf(new URL(url).pathname) ?? "").replaceAll(/<[^>]*>/g, "\n")
  const before = text()
  expect(site.wholeVersion(url, before)).toBe(1)
  expect(site.wholeVersion(other, before)).toBeNull()
  expect(site.wholeVersion(url, before.slice(0, before.length - 40))).toBeNull()
  while (site.versionOf(url) === 1) site.change(chance(site.versionOf(other)!))
  const half = text().length >> 1
  expect(site.wholeVersion(url, text())).toBe(site.versionOf(url))
  expect(site.wholeVersion(url, before.slice(0, half) + text().slice(half))).toBeNull()
})
