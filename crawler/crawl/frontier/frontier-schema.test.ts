import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { SCHEMA_WORDS, type SchemaWords } from "#base/store/query/schema-words.ts"
import { statement } from "#base/store/testing/statement.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { at, PAGE, sourceOf } from "../../testing/visited.ts"
import { Frontier } from "./frontier.ts"
import { FRONTIER_OF_JOBS, FRONTIER_STEPS } from "./frontier-schema.ts"
import { openCount, outcomesOf } from "./job-addresses.ts"
import { KnownAddresses } from "./known-addresses.ts"

test("a deleted job takes its addresses and their counts with it", async () => {
  const db = emptyState()
  const source = sourceOf("site")
  const { id } = await new Jobs(db).enqueue(source)
  const manners = () => ({ concurrency: 1, delayMs: 0 })
  const frontier = await Frontier.open(db, { id, source }, new KnownAddresses(db), manners)
  await frontier.add([at("/a"), at("/b")], { how: "link", on: at("/"), depth: 1 })
  await frontier.record([{ url: at("/a"), ...PAGE, detail: null }])
  expect([await openCount(db, id), await outcomesOf(db, id)]).toEqual([1, { indexed: 1 }])
  await statement(db, "delete from job where id = ?").run(id)
  expect([await openCount(db, id), await outcomesOf(db, id)]).toEqual([0, {}])
})

test("a server without a jobs table yet gets the foreign keys to it later", async () => {
  const [first] = FRONTIER_STEPS as readonly ((words: SchemaWords) => string)[]
  expect(first!(SCHEMA_WORDS.postgres)).not.toContain("references")
  using file = new DatabaseSync(":memory:")
  file.exec(first!(SCHEMA_WORDS.sqlite))
  const owed = ["job_outcome", "crawl_url"]
  const references = (table: string) =>
    file
      .prepare(`pragma foreign_key_list(${table})`)
      .all()
      .map(({ table: of, from, to, on_delete: then }) => [of, from, to, then])
  expect(owed.map(references)).toEqual(owed.map(() => [["job", "job", "id", "CASCADE"]]))
  expect(FRONTIER_OF_JOBS.split("; ")).toEqual(
    owed.map((table) => `alter table ${table} add foreign key (job) references job (id) on delete cascade`),
  )
})
