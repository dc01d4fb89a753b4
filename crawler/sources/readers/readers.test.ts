import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { type PageReaders, readersLabel } from "#engine/index/page/readers.ts"
import { aPage } from "#engine/testing/pages.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { Sources } from "../sources.ts"
import { hasOldRules, pruneRules } from "./prune-rules.ts"
import { ReaderRules } from "./reader-rules.ts"
import { fixReaders, forgetReadersNow, readersNow } from "./readers-now.ts"

const forGroup = (name: string): PageReaders[] => [{ source: "wiki", allow: [[`group:${name}`]], deny: [] }]

test("the meaning of a page's readers label is known once it is registered", async () => {
  const db = emptyState()
  const rules = new ReaderRules(db)
  expect((await readersNow(db)).rules.size).toBe(0)
  const pages = ["hr", "it", "hr"].map((name, i) => aPage(`/${i}`, { readers: forGroup(name) }))
  await rules.register([...pages, aPage("/open")])
  await new ReaderRules(db).register(pages)
  forgetReadersNow(db)
  const { rules: known } = await readersNow(db)
  expect(Object.fromEntries(known)).toEqual({
    [readersLabel(forGroup("hr"))!]: forGroup("hr"),
    [readersLabel(forGroup("it"))!]: forGroup("it"),
  })
  forgetReadersNow(db)
  expect((await readersNow(db)).rules).toBe(known)
  await rules.register([aPage("/new", { readers: forGroup("law") })])
  forgetReadersNow(db)
  expect((await readersNow(db)).rules.get(readersLabel(forGroup("law"))!)).toEqual(forGroup("law"))
})

test("a label is forgotten a month after its last page is gone, and not before", async () => {
  const db = emptyState()
  let now = Date.UTC(2026, 0, 1)
  const clock = () => now
  const rules = new ReaderRules(db, clock)
  const page = (name: string) => aPage(`/${name}`, { readers: forGroup(name) })
  const label = (name: string) => readersLabel(forGroup(name))!
  const engine = { pagesByReaders: async () => [{ sources: ["wiki"], label: label("held"), pages: 1 }] }
  const known = async () => {
    forgetReadersNow(db)
    return Array.from((await readersNow(db)).rules.values(), ([one]) => one!.allow[0]![0]!).toSorted()
  }
  await rules.register(["held", "left", "again"].map(page))
  expect(await known()).toHaveLength(3)
  now += 40 * 24 * 3_600_000
  // A page with this rule is about to be written.
  await rules.register([page("again")])
  expect(await hasOldRules(db, clock)).toBe(true)
  await pruneRules(db, engine, clock)
  expect(await known()).toEqual(["group:again", "group:held"])
  expect(await hasOldRules(db, clock)).toBe(false)
})

test("readers set for a process count alongside those in the state", async () => {
  const db = emptyState()
  const staff = { allow: [["group:staff"]], deny: [] }
  await readersNow(db)
  fixReaders(db, new Map([["peer/hall", staff]]))
  expect((await readersNow(db)).sources.get("peer/hall")).toEqual(staff)
  const sources = new Sources(db, new Jobs(db))
  await sources.put({ name: "hr", seeds: ["https://hr.example/"], readers: { deny: ["group:guests"] } })
  expect([...(await readersNow(db)).sources.keys()]).toEqual(["hr", "peer/hall"])
})

test("a source's invalid readers are rejected by field", async () => {
  const db = emptyState()
  const sources = new Sources(db, new Jobs(db))
  const declare = (more: object) => sources.put({ name: "hr", seeds: ["https://hr.example/"], ...more })
  const wrong = "must be user:NAME, group:NAME or signed-in"
  await expect(declare({ readers: { allow: ["group:hr", "hr"] } })).rejects.toThrow(
    `readers.allow[1] ${wrong}`,
  )
  await expect(declare({ readers: { deny: "everybody" } })).rejects.toThrow(`readers.deny[0] ${wrong}`)
  await expect(declare({ readers: {} })).rejects.toThrow("readers must not be empty")
  await expect(declare({ folderReaders: "posix" })).rejects.toThrow(
    "folderReaders has no effect without folder",
  )
  const { source } = await declare({ readers: { allow: "group:hr" } })
  expect(source.readers).toEqual({ allow: ["group:hr"] })
})

test("a source's readers apply as soon as they are declared, and until its pages are gone", async () => {
  const db = emptyState()
  const sources = new Sources(db, new Jobs(db))
  const declare = (readers?: object) => sources.put({ name: "hr", seeds: ["https://hr.example/"], readers })
  const known = async () => Object.fromEntries((await readersNow(db)).sources)
  await declare({ allow: ["group:hr"], deny: ["user:intern@example.com"] })
  const readers = { allow: [["group:hr"]], deny: ["user:intern@example.com"] }
  expect(await known()).toEqual({ hr: readers })
  await sources.removePages("hr")
  await sources.removed("hr")
  expect(await known()).toEqual({ hr: readers })
  await declare()
  expect(await known()).toEqual({})
  await declare({ allow: [] })
  expect(await known()).toEqual({ hr: { allow: [[]], deny: [] } })
  await sources.delete("hr", { removePages: true })
  expect(await known()).toEqual({ hr: { allow: [[]], deny: [] } })
  await sources.removed("hr")
  forgetReadersNow(db)
  expect(await known()).toEqual({})
})
