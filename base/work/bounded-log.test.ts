import { expect, test } from "vitest"

import { SCHEMA_WORDS } from "../store/query/schema-words.ts"
import { emptyState } from "../store/testing/empty-state.ts"
import { statement } from "../store/testing/statement.ts"
import { BoundedLog, fairLevel, type LogFilter, type LogShares } from "./bounded-log.ts"

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

interface Said {
  id: number
  at: number
  who: string
}

/** A log in which `who` has a row at each of these times. */
async function open(said: Readonly<Record<string, readonly number[]>>, shares?: LogShares) {
  const db = emptyState()
  const { id, integer, text, strict } = SCHEMA_WORDS[db.dialect]
  await db.script(`create table said (id ${id}, at ${integer} not null, who ${text} not null) ${strict}`)
  const add = (who: string, at: number) =>
    statement(db, "insert into said (at, who) values (?, ?)").run(at, who)
  for (const [who, times] of Object.entries(said)) for (const at of times) await add(who, at)
  const log = new BoundedLog<Said>(db, { table: "said", owner: "who", ...(shares && { shares }) })
  return {
    log,
    add,
    left: async () => (await log.list({ limit: 99 })).map(({ at }) => at),
    [Symbol.dispose]: () => db[Symbol.dispose](),
  }
}

test("rows are listed newest first, by pages and conditions, and the later of two at the same time first", async () => {
  using said = await open({ a: [1, 3], b: [2, 3] })
  expect((await said.log.list({ limit: 2 })).map(({ at, who }) => `${who}${at}`)).toEqual(["b3", "a3"])
  expect(await said.log.list({ limit: 2, offset: 2 })).toMatchObject([{ at: 2 }, { at: 1 }])
  const filter: LogFilter<Said> = (eb) => [eb("at", ">=", 2), eb("who", "in", ["b", "c"])]
  expect(await said.log.list({ limit: 9 }, filter)).toMatchObject([{ at: 3 }, { at: 2 }])
  expect([await said.log.count(filter), await said.log.count()]).toEqual([2, 4])
})

test("old rows are deleted in batches, and so are the oldest of one owner", async () => {
  using said = await open({ a: [4, 1, 3], b: [2] })
  expect([await said.log.prune(4, 2), await said.left()]).toEqual([2, [4, 3]])
  expect([await said.log.prune(4, 2), await said.log.prune(4, 2)]).toEqual([1, 0])
  await said.add("b", 1)
  await said.add("b", 5)
  await said.log.dropOldest("b", 1)
  expect(await said.left()).toEqual([5, 4])
})

test("the oldest rows of an owner over the limit are deleted on the first write, and then every few writes", async () => {
  using said = await open(
    { quiet: [1], loud: [2, 3, 4, 5, 6, 7, 8, 9], other: [10] },
    { most: 6, mostOfOne: 5, countEvery: 2 },
  )
  await said.log.wrote()
  expect(await said.left()).toEqual([10, 9, 8, 7, 6, 1])
  await said.add("loud", 11)
  await said.log.wrote()
  expect(await said.left()).toHaveLength(7)
  await said.add("loud", 12)
  await said.log.wrote()
  expect(await said.left()).toEqual([12, 11, 10, 9, 8, 1])
})
