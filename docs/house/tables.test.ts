import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT, roomOf, sourceFiles } from "./imports.ts"
import { sqlOf, tablesOf, tableUses } from "./tables.ts"

/** Files that name the tables of another room anyway, each with the reason. */
const ALLOWED = new Set([
  // The names of deleted sources are stored only in this table, and removals are a layer above sources.
  "crawler/sources/source-names.ts: removal",
])

const files = sourceFiles()
const owners = tablesOf(files)

describe("the database tables", () => {
  test("are all found by this test", () => {
    expect(Object.fromEntries(owners)).toMatchObject({
      job: new Set(["crawler/jobs"]),
      known_address: new Set(["crawler/crawl/frontier"]),
      api_keys: new Set(["api/identity/accounts"]),
    })
    expect(owners.size).toBeGreaterThan(35)
    const uses = tableUses(files, new Set(owners.keys()))
    expect(uses).toContainEqual({ table: "known_address", file: "crawler/crawl/frontier/source-pages.ts" })
    expect(uses).toContainEqual({ table: "job", file: "crawler/jobs/job-in-sql.ts" })
    expect(uses.length).toBeGreaterThan(60)
  })

  test("are found in SQL and not in prose", () => {
    const text = `
      // delete from job
      const words = "the update from job to job"
      db.prepare("select 1 from job").get()`
    expect(sqlOf(text)).toEqual(['"select 1 from job"'])
  })

  test("that calls can fill are bounded, as documented in the handbook", () => {
    const bounds = readFileSync(join(ROOT, "docs/bounds.md"), "utf8")
    const ofCalls = [...owners].filter(([, rooms]) => [...rooms].some((room) => room.startsWith("api/")))
    expect(ofCalls.length).toBeGreaterThan(30)
    expect(ofCalls.map(([table]) => table).filter((table) => !bounds.includes(`\`${table}\``))).toEqual([])
  })

  test("are each created by one room", () => {
    expect([...owners].filter(([, rooms]) => rooms.size > 1)).toEqual([])
  })

  test("appear only in their own room's SQL", () => {
    const strangers = tableUses(files, new Set(owners.keys()))
      .filter(({ table, file }) => !owners.get(table)?.has(roomOf(file)))
      .map(({ table, file }) => `${file}: ${table}`)
    expect(strangers.filter((one) => !ALLOWED.has(one))).toEqual([])
    expect([...ALLOWED].filter((one) => !strangers.includes(one))).toEqual([])
  })
})
