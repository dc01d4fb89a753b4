import { sql } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import { statement } from "#base/store/testing/statement.ts"
import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import type { PageUrl } from "#engine"
import { Jobs } from "../../jobs/jobs.ts"
import { at, sourceOf } from "../../testing/visited.ts"
import { Frontier } from "./frontier.ts"
import {
  addressesOf,
  endingOf,
  failuresOf,
  forgetAddresses,
  givenUpHosts,
  hasOpenAt,
  hasPrunable,
  openCount,
  outcomesOf,
  pruneAddresses,
  visitsByJob,
  waitingAddress,
} from "./job-addresses.ts"
import { KnownAddresses, type Visited } from "./known-addresses.ts"

const LINK = { how: "link", on: at("/"), depth: 2 } as const

/** Jobs in one state, each with its frontier. */
function state() {
  const db = emptyState()
  const jobs = new Jobs(db)
  const known = new KnownAddresses(db)
  /** The frontier of a job in its current state, by default a new one. */
  const begin = async (name = "site", of?: number) => {
    const id = of ?? (await jobs.enqueue(sourceOf(name))).id
    const job = { id, source: sourceOf(name) }
    const frontier = await Frontier.open(db, job, known, () => ({ concurrency: 9, delayMs: 0 }))
    return { id, frontier }
  }
  return { db, jobs, begin }
}

const ended = (path: string, outcome: Visited["outcome"], detail: string | null = null): Visited => ({
  url: at(path),
  outcome,
  detail,
  ...(outcome === "indexed" ? { hash: "h" } : {}),
})

test("a job's addresses are counted by outcome, and listed one by one", async () => {
  const { db, begin } = state()
  const { id, frontier } = await begin()
  const other = await begin("other")
  await frontier.add(["/a", "/b", "/c", "/d", "/open"].map(at), LINK)
  await frontier.record([
    ended("/a", "indexed"),
    ended("/b", "failed:dns", "no such name"),
    ended("/c", "failed:timeout"),
    ended("/d", "skipped:robots"),
  ])
  await other.frontier.record([ended("/a", "failed:tls")])
  expect(await outcomesOf(db, id)).toEqual({
    indexed: 1,
    "failed:dns": 1,
    "failed:timeout": 1,
    "skipped:robots": 1,
  })
  expect([await openCount(db, id), await openCount(db, other.id)]).toEqual([1, 0])
  const failures = [
    { url: at("/b"), outcome: "failed:dns", detail: "no such name" },
    { url: at("/c"), outcome: "failed:timeout", detail: null },
  ]
  expect([await failuresOf(db, id, 9), await failuresOf(db, id, 1)]).toEqual([failures, failures.slice(0, 1)])
  expect(await endingOf(db, id, at("/b"))).toEqual({ outcome: "failed:dns", detail: "no such name" })
  expect([await endingOf(db, id, at("/open")), await endingOf(db, other.id, at("/b"))]).toEqual([null, null])
  expect([await hasOpenAt(db, id, "site.example"), await hasOpenAt(db, other.id, "site.example")]).toEqual([
    true,
    false,
  ])
  expect(await hasOpenAt(db, id, "else.example")).toBe(false)
  expect(await visitsByJob(db)).toEqual(
    new Map([
      [id, { all: 4, failed: 2 }],
      [other.id, { all: 1, failed: 1 }],
    ]),
  )
  expect(await visitsByJob(emptyState())).toEqual(new Map())
})

test("addresses with an outcome are listed by group and address, page by page", async () => {
  const { db, begin } = state()
  const { id, frontier } = await begin()
  await frontier.record([
    ended("/p1", "indexed"),
    ended("/p2", "unchanged"),
    ended("/f1", "failed:dns", "no such name"),
    ended("/f2", "failed:timeout"),
    ended("/s1", "skipped:robots"),
  ])
  const groups = [
    { name: "pages", outcomes: ["indexed", "unchanged"] },
    { name: "failed", outcomes: ["failed:dns", "failed:timeout"] },
    { name: "skipped", outcomes: ["skipped:robots"] },
  ] as const
  const list = async (limit: number, group?: string, path = "") => {
    const after = group === undefined ? null : { group, url: path && at(path) }
    return (await addressesOf(db, id, groups, { after, limit })).map(
      (one) => `${one.group} ${new URL(one.url).pathname}`,
    )
  }
  const all = ["failed /f1", "failed /f2", "pages /p1", "pages /p2", "skipped /s1"]
  expect(await list(9)).toEqual(all)
  expect([await list(2), await list(3), await list(4)]).toEqual([
    all.slice(0, 2),
    all.slice(0, 3),
    all.slice(0, 4),
  ])
  expect(await list(9, "failed", "/f1")).toEqual(all.slice(1))
  expect(await list(9, "failed", "/f2")).toEqual(all.slice(2))
  expect(await list(2, "pages", "/p1")).toEqual(all.slice(3))
  expect(await list(9, "skipped", "/s1")).toEqual([])
  expect(await addressesOf(db, id, groups, { after: null, limit: 1 })).toEqual([
    { group: "failed", url: at("/f1"), outcome: "failed:dns", detail: "no such name" },
  ])
  expect(await addressesOf(db, id + 1, groups, { after: null, limit: 9 })).toEqual([])
})

test("addresses that failed stay with their job, and others go to the run that visited them later", async () => {
  const { db, jobs, begin } = state()
  const first = await begin()
  const visits = [
    ended("/page", "indexed"),
    ended("/failed", "failed:dns"),
    ended("/skipped", "skipped:robots"),
  ]
  await first.frontier.record(visits)
  await jobs.end(first.id, "finished")
  const second = await begin()
  await second.frontier.record(visits)
  const list = async (id: number, ...outcomes: Visited["outcome"][]) =>
    (await addressesOf(db, id, [{ name: "group", outcomes }], { after: null, limit: 9 })).map(
      ({ url }) => url,
    )
  expect([await list(first.id, "indexed"), await list(second.id, "indexed")]).toEqual([[], [at("/page")]])
  expect([await list(first.id, "failed:dns"), await list(second.id, "failed:dns")]).toEqual([
    [at("/failed")],
    [at("/failed")],
  ])
  expect(await list(first.id, "skipped:robots", "failed:dns")).toEqual([at("/failed")])
})

test("hosts that were given up are listed with what was left and why", async () => {
  const { db, begin } = state()
  const { id, frontier } = await begin()
  const on = (host: string, path: string) => `https://${host}${path}` as PageUrl
  const left = (url: PageUrl, detail: string | null): Visited => ({ url, outcome: "failed:refused", detail })
  await frontier.record([
    left(on("a.example", "/1"), "a.example was given up after 9 failures: it\nrefused"),
    left(on("b.example", "/1"), "b.example was given up"),
    left(on("b.example", "/2"), "b.example was given up"),
    left(on("c.example:81", "/"), "c.example:81 was given up: timeout: 9 s"),
    left(on("c.example:81", "/2"), "c.example:81 was given up: timeout: 9 s"),
    left(on("c.example:81", "/3"), "c.example:81 was given up: timeout: 9 s"),
    left(on("d.example", "/"), "it said that a.example was given up"),
    left(on("e.example", "/"), null),
  ])
  expect(await givenUpHosts(db, id)).toEqual([
    { host: "c.example:81", left: 3, why: "timeout: 9 s" },
    { host: "b.example", left: 2, why: "it did not answer" },
    { host: "a.example", left: 1, why: "it\nrefused" },
  ])
  expect(await givenUpHosts(db, id + 1)).toEqual([])
})

test("an address waits in the latest job that has it open", async () => {
  const { db, begin } = state()
  const first = await begin()
  const second = await begin("other")
  await first.frontier.add([at("/a"), at("/b")], LINK)
  await second.frontier.revisit([{ url: at("/a"), depth: 4 }])
  const entry = (await second.frontier.next())!
  await second.frontier.postpone(entry, 12_345)
  expect(await waitingAddress(db, at("/a"))).toEqual({
    job: second.id,
    depth: 4,
    tries: 1,
    due: 12_345,
    how: null,
    on: null,
  })
  expect(await waitingAddress(db, at("/b"))).toEqual({
    job: first.id,
    depth: 2,
    tries: 0,
    due: 0,
    how: "link",
    on: at("/"),
  })
  await second.frontier.record([ended("/a", "indexed")])
  expect((await waitingAddress(db, at("/a")))?.job).toBe(first.id)
  await first.frontier.record([ended("/a", "indexed")])
  expect([await waitingAddress(db, at("/a")), await waitingAddress(db, at("/none"))]).toEqual([null, null])
})

test("a finished job forgets all addresses except failures, then all, and others keep theirs", async () => {
  const { db, begin } = state()
  const { id, frontier } = await begin()
  const other = await begin("other")
  const many = Array.from({ length: 4100 }, (_, index) => at(`/${index}`))
  await frontier.add(many, LINK)
  await other.frontier.add(many.slice(0, 9), LINK)
  await frontier.record([
    ...many.slice(0, 3).map((url): Visited => ({ url, outcome: "failed:dns", detail: null })),
    ended("/3", "skipped:robots"),
  ])
  const left = async () =>
    Number((await statement(db, "select count(*) as n from crawl_url where job = ?").get(id))?.["n"])
  const isPrunable = async () =>
    (
      await sql<{ yes: number }>`select ${hasPrunable(sql`cast(${id} as bigint)`)} as yes`.execute(
        queriesOf(db),
      )
    ).rows[0]!.yes === 1
  await pruneAddresses(db, id, sql`1 = 0`)
  expect([await left(), await isPrunable()]).toEqual([4100, true])
  await pruneAddresses(db, id, sql`1 = 1`)
  expect([await left(), await isPrunable(), (await failuresOf(db, id, 9)).length]).toEqual([3, false, 3])
  // A new frontier for the same job, as after a process is lost: the earlier one remembers the addresses as known.
  const again = await begin("site", id)
  await again.frontier.add(many, LINK)
  expect(await left()).toBe(4100)
  await forgetAddresses(db, sql`select id from job where id = ${other.id}`)
  expect([await left(), await openCount(db, other.id)]).toEqual([4100, 0])
  await forgetAddresses(db, sql`select id from job where id = ${id}`)
  expect(await left()).toBe(0)
})

test("the jobs matching a condition forget all failures, however many, and others keep theirs", async () => {
  const { db, begin } = state()
  const [first, second, other] = [await begin("first"), await begin("second"), await begin("other")]
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) => ended(`/${index}`, "failed:dns"))
  await first.frontier.record(failed(4100))
  for (const { frontier } of [second, other]) await frontier.record(failed(2))
  const left = () =>
    Promise.all([first, second, other].map(async ({ id }) => (await failuresOf(db, id, 9999)).length))
  await forgetAddresses(db, sql`select id from job where id > ${other.id}`)
  expect(await left()).toEqual([4100, 2, 2])
  await forgetAddresses(db, sql`select id from job where id < ${other.id}`)
  expect(await left()).toEqual([0, 0, 2])
})
