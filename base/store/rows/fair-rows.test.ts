import { expect, test } from "vitest"

import { fairLevel, keepShares } from "./fair-rows.ts"
import { prepareOnce } from "../state-store.ts"
import { emptyState } from "../testing/empty-state.ts"

test.each([
  ["nothing goes while there is room", [3, 4], 10, 8, 8],
  ["nobody has more than one may", [3, 40], 100, 20, 20],
  ["whoever has most gives", [2, 3, 90], 20, 50, 15],
  ["those who have much share what is left", [2, 90, 90], 20, 50, 9],
  ["everybody keeps one", [1, 1, 1, 5], 2, 1, 1],
  ["an empty log needs no room", [], 10, 5, 5],
])("%s", (_, counts, most, mostOfOne, level) => {
  expect(fairLevel(counts, most, mostOfOne)).toBe(level)
})

test("the oldest rows of whoever has more than a share go, and no others", () => {
  using db = emptyState()
  db.exec("create table said (at integer primary key, who text not null) strict")
  const add = db.prepare("insert into said values (?, ?)")
  add.run(1, "quiet")
  for (let at = 2; at <= 9; at++) add.run(at, "loud")
  add.run(10, "other")
  keepShares(prepareOnce(db), { table: "said", owner: "who", order: "at", most: 6, mostOfOne: 5 })
  expect(
    db
      .prepare("select at from said order by at")
      .all()
      .map(({ at }) => Number(at)),
  ).toEqual([1, 6, 7, 8, 9, 10])
})
