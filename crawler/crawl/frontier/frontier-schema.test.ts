import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { SCHEMA_VERSION } from "#base/store/state-store.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { at, PAGE, sourceOf } from "../../testing/visited.ts"
import { Frontier } from "./frontier.ts"
import { FRONTIER_OF_JOBS, migrateFrontier } from "./frontier-schema.ts"
import { openCount, outcomesOf } from "./job-addresses.ts"
import { KnownAddresses } from "./known-addresses.ts"

test("a job that is removed takes its addresses and their counts with it", async () => {
  const db = emptyState()
  const source = sourceOf("site")
  const { id } = await new Jobs(db).enqueue(source)
  const manners = () => ({ concurrency: 1, delayMs: 0 })
  const frontier = await Frontier.open(db, { id, source }, new KnownAddresses(db), manners)
  await frontier.add([at("/a"), at("/b")], { how: "link", on: at("/"), depth: 1 })
  await frontier.record([{ url: at("/a"), ...PAGE, detail: null }])
  expect([await openCount(db, id), await outcomesOf(db, id)]).toEqual([1, { indexed: 1 }])
  await db.prepare("delete from job where id = ?").run(id)
  expect([await openCount(db, id), await outcomesOf(db, id)]).toEqual([0, {}])
})

test("a server, which has no table of jobs yet, is told later that these tables belong to it", async () => {
  using memory = new DatabaseSync(":memory:")
  memory.exec(SCHEMA_VERSION)
  const store = new SqliteStore(memory)
  const bound = (name: keyof SqliteStore) => ({ value: (store[name] as () => unknown).bind(store) })
  const server = Object.create(PostgresStore.prototype, {
    exec: bound("exec"),
    prepare: bound("prepare"),
    transaction: bound("transaction"),
    first: bound("first"),
    patiently: bound("patiently"),
    keepStep: { value: () => Promise.resolve() },
  }) as PostgresStore
  migrateFrontier(server)
  await store.ready()
  const owed = ["job_outcome", "crawl_url"]
  const references = (table: string) => memory.prepare(`pragma foreign_key_list(${table})`).all()
  expect(owed.map(references)).toEqual([[], []])
  expect(FRONTIER_OF_JOBS.split("; ")).toEqual(
    owed.map((table) => `alter table ${table} add foreign key (job) references job (id) on delete cascade`),
  )
})
