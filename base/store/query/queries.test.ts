import type { Generated } from "kysely"
import { expect, test } from "vitest"
import { emptyState } from "../testing/empty-state.ts"
import { miscounted, recount } from "../rows/counts.ts"
import { migrate, type Step } from "../state-store.ts"
import { once } from "./once.ts"
import { type Queries, queriesOf } from "./queries.ts"
import { greater, isLike, lesser, listed, listedIn, listedNumbers, noTurn, storeTime } from "./words.ts"

interface KiteTables {
  kite: {
    id: Generated<number>
    name: string
    length: number | null
    share: number | null
    data: Uint8Array | null
  }
  tally: { name: string; n: number }
}

const STEPS: readonly Step[] = [
  ({ id, text, integer, real, blob, strict, keyed, trigger, own }) => `
    create table kite (
      id ${id}, name ${text} not null unique, length ${integer}, share ${real}, data ${blob}
    ) ${strict};
    create table tally (name ${text} primary key, n ${integer} not null) ${keyed};
    ${trigger({
      name: "kite_added",
      on: "insert",
      table: "kite",
      when: "new.length > 0 and not exists (select 1 from tally where name = 'none')",
      does: [
        `insert into tally values ('kites', 1) on conflict (name) do update set n = ${own("tally", "n")} + 1`,
      ],
    })};
    ${trigger({ name: "kite_gone", on: "delete", table: "kite", does: ["update tally set n = n - 1"] })}`,
  ({ integer }) => `alter table kite add column flown ${integer} not null default 0`,
]

async function kites(...rows: readonly (readonly [name: string, length: number | null])[]) {
  const db = emptyState()
  migrate(db, "kites", STEPS)
  const q = queriesOf<KiteTables>(db)
  if (rows.length > 0)
    await q
      .insertInto("kite")
      .values(rows.map(([name, length]) => ({ name, length })))
      .execute()
  return { db, q, [Symbol.dispose]: () => db.close() }
}

test("rows have the types that their tables declare", async () => {
  using state = await kites()
  const { q } = state
  const data = new Uint8Array([0, 1, 255])
  const { id } = await q
    .insertInto("kite")
    .values({ name: "Größe 🙂 o'clock", length: 2 ** 53 - 1, share: 0.1, data })
    .returning("id")
    .executeTakeFirstOrThrow()
  const row = await q.selectFrom("kite").selectAll().where("id", "=", id).executeTakeFirst()
  expect(row).toMatchObject({ name: "Größe 🙂 o'clock", length: 2 ** 53 - 1, share: 0.1 })
  expect([...row!.data!]).toEqual([...data])
  expect(await q.selectFrom("kite").selectAll().where("id", "=", -1).executeTakeFirst()).toBeUndefined()
})

test("rows are inserted, updated or left alone on conflict, and changes are counted", async () => {
  using state = await kites(["a", 1])
  const { q } = state
  const more = (name: string, length: number) =>
    q
      .insertInto("kite")
      .values({ name, length })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet((eb) => ({ length: eb("kite.length", "+", eb.ref("excluded.length")) })),
      )
      .execute()
  await more("a", 2)
  await more("b", 5)
  const ignored = await q
    .insertInto("kite")
    .values([{ name: "a" }, { name: "c" }])
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  expect(ignored.numInsertedOrUpdatedRows).toBe(1n)
  const { numUpdatedRows } = await q
    .updateTable("kite")
    .set((eb) => ({ length: eb.fn.coalesce("length", eb.val(9)) }))
    .executeTakeFirst()
  expect(numUpdatedRows).toBe(3n)
  expect(await q.selectFrom("kite").select(["name", "length"]).orderBy("name").execute()).toEqual([
    { name: "a", length: 3 },
    { name: "b", length: 5 },
    { name: "c", length: 9 },
  ])
  expect((await q.deleteFrom("kite").where("name", "=", "nobody").executeTakeFirst()).numDeletedRows).toBe(0n)
  expect(await q.deleteFrom("kite").where("length", ">", 4).returning("name").execute()).toHaveLength(2)
})

test("triggers fire on both stores", async () => {
  using state = await kites(["a", 1], ["b", 2], ["c", 0])
  const { q } = state
  const n = async () => (await q.selectFrom("tally").select("n").executeTakeFirst())?.n
  expect(await n()).toBe(2)
  await q.deleteFrom("kite").where("name", "=", "a").execute()
  expect(await n()).toBe(1)
})

test("a number kept by a trigger is recounted", async () => {
  using state = await kites(["a", 1], ["b", 2])
  const { db, q } = state
  const count = {
    of: "tally",
    is: "select n from tally",
    should: "select count(*) as n from kite",
    mend: "update tally set n = (select count(*) from kite); update kite set length = 5",
  }
  expect(await miscounted(db, count)).toBe(0)
  await q.updateTable("tally").set({ n: 7 }).execute()
  expect(await miscounted(db, count)).toBe(2)
  await recount(db, count)
  expect([await miscounted(db, count), await miscounted(db, { ...count, of: "gone" })]).toEqual([0, 0])
})

test("expressions that differ between the stores mean the same on both", async () => {
  using state = await kites(["a", 1], ["B", 2], ["c", null])
  const { q } = state
  const among = async (query: { execute(): Promise<{ name: string }[]> }) =>
    (await query.execute()).map(({ name }) => name)
  const all = q.selectFrom("kite").select("name").orderBy("name")
  expect(await among(all)).toEqual(["B", "a", "c"])
  expect(await among(all.where("name", "in", listed(["c", "B"])))).toEqual(["B", "c"])
  expect(await among(all.where("name", "not in", listed([])))).toEqual(["B", "a", "c"])
  expect(await among(all.where("length", "in", listedNumbers([2, 3])))).toEqual(["B"])
  expect(await among(all.where("name", "like", "b%"))).toEqual(["B"])
  expect(await among(all.where("name", "not like", "b%"))).toEqual(["a", "c"])
  expect(await among(all.where((eb) => isLike(eb.ref("name"), "b%")))).toEqual(["B"])
  expect(await among(all.where("length", "is distinct from", 2))).toEqual(["a", "c"])
  expect(await among(all.where("length", "is not distinct from", null))).toEqual(["c"])
  const { n, least, most, now } = await q
    .selectFrom("kite")
    .select((eb) => [
      eb.fn.countAll<number>().as("n"),
      lesser(eb.fn.min<number | null>("length"), eb.val(0)).as("least"),
      greater(eb.fn.min<number | null>("length"), eb.val(5)).as("most"),
      storeTime().as("now"),
    ])
    .executeTakeFirstOrThrow()
  expect([n, least, most]).toEqual([3, 0, 5])
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
})

test("each row is taken by one update only", async () => {
  using state = await kites(["a", 1], ["b", 2])
  const { q } = state
  const take = () =>
    q
      .updateTable("kite")
      .set({ length: 0 })
      .where("id", "=", (eb) =>
        eb
          .selectFrom("kite")
          .select("id")
          .where("length", ">", 0)
          .orderBy("id")
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returning("name")
      .executeTakeFirst()
  expect([await take(), await take(), await take()]).toEqual([{ name: "a" }, { name: "b" }, undefined])
  await q.updateTable("kite").set({ length: 7 }).modifyEnd(noTurn).execute()
  expect(await q.selectFrom("kite").select("length").distinct().execute()).toEqual([{ length: 7 }])
})

const longer = once((queries: Queries<KiteTables>, { length, limit }: { length: number; limit: number }) =>
  queries.selectFrom("kite").select("name").where("length", ">=", length).orderBy("name").limit(limit),
)
const cut = once((queries: Queries<KiteTables>, { name, by }: { name: string; by: number }) =>
  queries
    .updateTable("kite")
    .set((eb) => ({ length: eb("length", "-", by) }))
    .where("name", "=", name),
)

test("a query that was built once runs with other values, and on other stores", async () => {
  using state = await kites(["a", 1], ["b", 2], ["c", 3])
  using other = await kites(["x", 9])
  expect(await longer.all(state.db, { length: 2, limit: 9 })).toEqual([{ name: "b" }, { name: "c" }])
  expect(await longer.get(state.db, { length: 1, limit: 1 })).toEqual({ name: "a" })
  expect(await longer.get(state.db, { length: 4, limit: 1 })).toBeUndefined()
  expect(await longer.all(other.db, { length: 2, limit: 9 })).toEqual([{ name: "x" }])
  expect(await cut.run(state.db, { name: "c", by: 3 })).toBe(1)
  expect(await cut.run(state.db, { name: "nobody", by: 3 })).toBe(0)
  expect(await Array.fromAsync(longer.iterate(state.db, { length: 0, limit: 9 }))).toHaveLength(3)
  const named = once((queries: Queries<KiteTables>, { names }: { names: string }) =>
    queries.selectFrom("kite").select("name").where("name", "in", listedIn(names)),
  )
  expect(await named.all(state.db, { names: JSON.stringify(["c", "x"]) })).toEqual([{ name: "c" }])
  const constant = once((queries: Queries<KiteTables>) =>
    queries.selectFrom("kite").select("name").where("name", "in", ["b", "it's"]).limit(9),
  )
  expect(await constant.all(state.db, {})).toEqual([{ name: "b" }])
  const looking = once((queries: Queries<KiteTables>, { length }: { length: number }) =>
    queries
      .selectFrom("kite")
      .select("name")
      .where("length", "=", length + 1),
  )
  await expect(looking.all(state.db, { length: 1 })).rejects.toThrow("length is not known")
})

test("queries are part of the transaction that awaits them", async () => {
  using state = await kites(["a", 1])
  const { db, q } = state
  const names = () => q.selectFrom("kite").select("name").orderBy("name").execute()
  await expect(
    db.transaction(async () => {
      await q.insertInto("kite").values({ name: "lost" }).execute()
      expect(await cut.run(db, { name: "a", by: 1 })).toBe(1)
      expect(await names()).toHaveLength(2)
      await q.insertInto("kite").values({ name: "lost" }).execute()
    }),
  ).rejects.toThrow(/unique/i)
  expect(await q.selectFrom("kite").select(["name", "length"]).execute()).toEqual([{ name: "a", length: 1 }])
  await db.transaction(() => q.insertInto("kite").values({ name: "kept" }).execute())
  expect(await names()).toEqual([{ name: "a" }, { name: "kept" }])
})

test("rows arrive one after another while others are written", async () => {
  using state = await kites(
    ...Array.from({ length: 1201 }, (_, i) => [`n${String(i).padStart(4, "0")}`, 1] as const),
  )
  const { q } = state
  let seen = 0
  for await (const { name } of q.selectFrom("kite").select("name").orderBy("name").stream()) {
    if (seen === 3) await q.updateTable("kite").set({ length: 2 }).where("name", "=", name).execute()
    seen += 1
  }
  expect(seen).toBe(1201)
})
