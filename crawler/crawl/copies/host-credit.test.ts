import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { HostCredit } from "./host-credit.ts"

const DAY = 86_400_000

test("a host has twenty requests, of which half are for checks, twenty more for each page spared, and as many again after a month", () => {
  const db = emptyState()
  const credit = new HostCredit(db, "site", 0)
  const taken = (of: HostCredit, now: number, isCheck = true) => {
    let count = 0
    while (count < 2000 && of.take("site.example", now, isCheck)) count += 1
    return count
  }
  expect(taken(credit, 0, false)).toBe(10)
  expect(taken(credit, 0)).toBe(10)
  credit.earn("site.example")
  expect(taken(credit, 0)).toBe(20)
  for (let spared = 0; spared < 100; spared += 1) credit.earn("site.example")
  expect(taken(credit, DAY)).toBe(1000)
  expect(taken(new HostCredit(db, "other", DAY), DAY)).toBe(20)
  expect(taken(new HostCredit(db, "site", 20 * DAY), 20 * DAY)).toBe(0)
  expect(taken(new HostCredit(db, "site", 32 * DAY), 32 * DAY)).toBe(20)
})
