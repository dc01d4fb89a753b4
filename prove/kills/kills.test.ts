import { expect, test } from "vitest"

import { killRounds } from "./kills.ts"
import { ChangingSite } from "./site.ts"
import { chance } from "#base/testing/chance.ts"

test("an appliance that is killed at moments of chance keeps what it acknowledged", async () => {
  const { tried } = await killRounds({ scale: 0.01, seed: 1, tell: () => {} })
  expect([...tried.values()].reduce((sum, { rounds }) => sum + rounds, 0)).toBe(2)
  // In each round something was killed.
  const killed = [...tried.values()].flatMap(({ victims }) => [...victims.values()])
  expect(killed.reduce((sum, times) => sum + times, 0)).toBe(2)
  expect([...tried.values()].flatMap(({ faults }) => faults)).toEqual([])
})

test("half a page, and one of two versions, is told from a whole one", async () => {
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
