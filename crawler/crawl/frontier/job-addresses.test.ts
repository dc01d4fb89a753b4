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
  forgetFailures,
  givenUpHosts,
  hasOpenAt,
  hasPrunableSql,
  openCount,
  outcomesOf,
  pruneAddresses,
  visitsByJob,
  waitingAddress,
} from "./job-addresses.ts"
import { KnownAddresses, type Visited } from "./known-addresses.ts"

const LINK = { how: "link", on: at("/"), depth: 2 } as const

/** Jobs over one state, each with its frontier. */
function state() {
  const db = emptyState()
  const jobs = new Jobs(db)
  const known = new KnownAddresses(db)
  /** The frontier of a job as it stands, a new one by default. */
  const begin = (name = "site", id = jobs.enqueue(sourceOf(name)).id) => {
    const job = { id, source: sourceOf(name) }
    const frontier = new Frontier(db, job, known, () => ({ concurrency: 9, delayMs: 0 }))
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

test("a job's addresses are counted by how they ended, and told one by one", () => {
  const { db, begin } = state()
  const { id, frontier } = begin()
  const other = begin("other")
  frontier.add(["/a", "/b", "/c", "/d", "/open"].map(at), LINK)
  frontier.record([
    ended("/a", "indexed"),
    ended("/b", "failed:dns", "no such name"),
    ended("/c", "failed:timeout"),
    ended("/d", "skipped:robots"),
  ])
  other.frontier.record([ended("/a", "failed:tls")])
  expect(outcomesOf(db, id)).toEqual({
    indexed: 1,
    "failed:dns": 1,
    "failed:timeout": 1,
    "skipped:robots": 1,
  })
  expect([openCount(db, id), openCount(db, other.id)]).toEqual([1, 0])
  const failures = [
    { url: at("/b"), outcome: "failed:dns", detail: "no such name" },
    { url: at("/c"), outcome: "failed:timeout", detail: null },
  ]
  expect([failuresOf(db, id, 9), failuresOf(db, id, 1)]).toEqual([failures, failures.slice(0, 1)])
  expect(endingOf(db, id, at("/b"))).toEqual({ outcome: "failed:dns", detail: "no such name" })
  expect([endingOf(db, id, at("/open")), endingOf(db, other.id, at("/b"))]).toEqual([null, null])
  expect([hasOpenAt(db, id, "site.example"), hasOpenAt(db, other.id, "site.example")]).toEqual([true, false])
  expect(hasOpenAt(db, id, "else.example")).toBe(false)
  expect(visitsByJob(db)).toEqual(
    new Map([
      [id, { all: 4, failed: 2 }],
      [other.id, { all: 1, failed: 1 }],
    ]),
  )
  expect(visitsByJob(emptyState())).toEqual(new Map())
})

test("addresses by outcome are listed by group and address, and the list goes on where it ended", () => {
  const { db, begin } = state()
  const { id, frontier } = begin()
  frontier.record([
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
  const list = (limit: number, group?: string, path = "") => {
    const after = group === undefined ? null : { group, url: path && at(path) }
    return addressesOf(db, id, groups, { after, limit }).map(
      (one) => `${one.group} ${new URL(one.url).pathname}`,
    )
  }
  const all = ["failed /f1", "failed /f2", "pages /p1", "pages /p2", "skipped /s1"]
  expect(list(9)).toEqual(all)
  expect([list(2), list(3), list(4)]).toEqual([all.slice(0, 2), all.slice(0, 3), all.slice(0, 4)])
  expect(list(9, "failed", "/f1")).toEqual(all.slice(1))
  expect(list(9, "failed", "/f2")).toEqual(all.slice(2))
  expect(list(2, "pages", "/p1")).toEqual(all.slice(3))
  expect(list(9, "skipped", "/s1")).toEqual([])
  expect(addressesOf(db, id, groups, { after: null, limit: 1 })).toEqual([
    { group: "failed", url: at("/f1"), outcome: "failed:dns", detail: "no such name" },
  ])
  expect(addressesOf(db, id + 1, groups, { after: null, limit: 9 })).toEqual([])
})

test("addresses that failed stay with their job, and others go to the run that visited them later", () => {
  const { db, jobs, begin } = state()
  const first = begin()
  const visits = [
    ended("/page", "indexed"),
    ended("/failed", "failed:dns"),
    ended("/skipped", "skipped:robots"),
  ]
  first.frontier.record(visits)
  jobs.end(first.id, "finished")
  const second = begin()
  second.frontier.record(visits)
  const list = (id: number, ...outcomes: Visited["outcome"][]) =>
    addressesOf(db, id, [{ name: "group", outcomes }], { after: null, limit: 9 }).map(({ url }) => url)
  expect([list(first.id, "indexed"), list(second.id, "indexed")]).toEqual([[], [at("/page")]])
  expect([list(first.id, "failed:dns"), list(second.id, "failed:dns")]).toEqual([
    [at("/failed")],
    [at("/failed")],
  ])
  expect(list(first.id, "skipped:robots", "failed:dns")).toEqual([at("/failed")])
})

test("hosts that were given up are told with what was left and why", () => {
  const { db, begin } = state()
  const { id, frontier } = begin()
  const on = (host: string, path: string) => `https://${host}${path}` as PageUrl
  const left = (url: PageUrl, detail: string | null): Visited => ({ url, outcome: "failed:refused", detail })
  frontier.record([
    left(on("a.example", "/1"), "a.example was given up after 9 failures: it\nrefused"),
    left(on("b.example", "/1"), "b.example was given up"),
    left(on("b.example", "/2"), "b.example was given up"),
    left(on("c.example:81", "/"), "c.example:81 was given up: timeout: 9 s"),
    left(on("c.example:81", "/2"), "c.example:81 was given up: timeout: 9 s"),
    left(on("c.example:81", "/3"), "c.example:81 was given up: timeout: 9 s"),
    left(on("d.example", "/"), "it said that a.example was given up"),
    left(on("e.example", "/"), null),
  ])
  expect(givenUpHosts(db, id)).toEqual([
    { host: "c.example:81", left: 3, why: "timeout: 9 s" },
    { host: "b.example", left: 2, why: "it did not answer" },
    { host: "a.example", left: 1, why: "it\nrefused" },
  ])
  expect(givenUpHosts(db, id + 1)).toEqual([])
})

test("an address waits in the latest job that has it open", () => {
  const { db, begin } = state()
  const first = begin()
  const second = begin("other")
  first.frontier.add([at("/a"), at("/b")], LINK)
  second.frontier.revisit([{ url: at("/a"), depth: 4 }])
  const entry = second.frontier.next()!
  second.frontier.postpone(entry, 12_345)
  expect(waitingAddress(db, at("/a"))).toEqual({
    job: second.id,
    depth: 4,
    tries: 1,
    due: 12_345,
    how: null,
    on: null,
  })
  expect(waitingAddress(db, at("/b"))).toEqual({
    job: first.id,
    depth: 2,
    tries: 0,
    due: 0,
    how: "link",
    on: at("/"),
  })
  second.frontier.record([ended("/a", "indexed")])
  expect(waitingAddress(db, at("/a"))?.job).toBe(first.id)
  first.frontier.record([ended("/a", "indexed")])
  expect([waitingAddress(db, at("/a")), waitingAddress(db, at("/none"))]).toEqual([null, null])
})

test("a job that is over forgets all addresses but those that failed, then all, and others keep theirs", () => {
  const { db, begin } = state()
  const { id, frontier } = begin()
  const other = begin("other")
  const many = Array.from({ length: 4100 }, (_, index) => at(`/${index}`))
  frontier.add(many, LINK)
  other.frontier.add(many.slice(0, 9), LINK)
  frontier.record([
    ...many.slice(0, 3).map((url): Visited => ({ url, outcome: "failed:dns", detail: null })),
    ended("/3", "skipped:robots"),
  ])
  const left = () => Number(db.prepare("select count(*) as n from crawl_url where job = ?").get(id)?.["n"])
  const isPrunable = () => Boolean(db.prepare(`select ${hasPrunableSql("?")} as yes`).get(id)?.["yes"])
  pruneAddresses(db, id, "?1 = 0")
  expect([left(), isPrunable()]).toEqual([4100, true])
  pruneAddresses(db, id, `?1 = ${id}`)
  expect([left(), isPrunable(), failuresOf(db, id, 9).length]).toEqual([3, false, 3])
  // As after a loss: the frontier before takes them for known.
  begin("site", id).frontier.add(many, LINK)
  expect(left()).toBe(4100)
  forgetAddresses(db, other.id)
  expect([left(), openCount(db, other.id)]).toEqual([4100, 0])
  forgetAddresses(db, id)
  expect(left()).toBe(0)
})

test("the jobs that a condition names forget all that failed, however much, and others keep theirs", () => {
  const { db, begin } = state()
  const [first, second, other] = ["first", "second", "other"].map((name) => begin(name))
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) => ended(`/${index}`, "failed:dns"))
  first!.frontier.record(failed(4100))
  for (const { frontier } of [second!, other!]) frontier.record(failed(2))
  const left = () => [first!, second!, other!].map(({ id }) => failuresOf(db, id, 9999).length)
  forgetFailures(db, other!.id, "select id from job where id > ?1")
  expect(left()).toEqual([4100, 2, 2])
  forgetFailures(db, other!.id, "select id from job where id < ?1")
  expect(left()).toEqual([0, 0, 2])
})
