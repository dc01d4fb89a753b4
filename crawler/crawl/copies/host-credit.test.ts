import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { HostCredit } from "./host-credit.ts"

const DAY = 86_400_000

test("a host gets twenty requests, half for checks, twenty more for each page spared, and the same again after a month", async () => {
  const db = emptyState()
  const credit = await HostCredit.open(db, "site", 0)
  const taken = async (of: HostCredit, now: number, isCheck = true) => {
    let count = 0
    while (count < 2000 && (await of.take("site.example", now, isCheck))) count += 1
    return count
  }
  expect(await taken(credit, 0, false)).toBe(10)
  expect(await taken(credit, 0)).toBe(10)
  await credit.earn("site.example")
  expect(await taken(credit, 0)).toBe(20)
  for (let spared = 0; spared < 100; spared += 1) await credit.earn("site.example")
  expect(await taken(credit, DAY)).toBe(1000)
  expect(await taken(await HostCredit.open(db, "other", DAY), DAY)).toBe(20)
  expect(await taken(await HostCredit.open(db, "site", 20 * DAY), 20 * DAY)).toBe(0)
  expect(await taken(await HostCredit.open(db, "site", 32 * DAY), 32 * DAY)).toBe(20)
})
