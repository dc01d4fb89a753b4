import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { at, sourceOf } from "../../testing/visited.ts"
import { Frontier } from "./frontier.ts"
import { KnownAddresses } from "./known-addresses.ts"
import { Suspects } from "./suspects.ts"

const LOST = "the crawler's process was lost each time it read the page"

/** A job with some pages to visit, and the processes that read them. */
function crawl(...paths: readonly string[]) {
  const db = emptyState()
  const jobs = new Jobs(db)
  const known = new KnownAddresses(db)
  const source = sourceOf("site")
  const job = { id: jobs.enqueue(source).id, source }
  const frontier = new Frontier(db, job, known, () => ({ concurrency: 1, delayMs: 0 }))
  frontier.add(paths.map(at), { how: "seed", on: null, depth: 0 })
  return { db, known, frontier, job, next: (of = job) => new Suspects(db, of, known) }
}

test("a page over which a process was lost is read alone, and after the third not at all", () => {
  const { next } = crawl("/a", "/b", "/c")
  let process = next()
  expect([process.isSuspect(at("/a")), process.verdict(at("/a"))]).toEqual([false, null])
  process.begin(at("/a"))
  process.begin(at("/b"))
  for (const strikes of [1, 2]) {
    process = next()
    expect([strikes, process.isSuspect(at("/a")), process.verdict(at("/a"))]).toEqual([strikes, true, null])
    process.begin(at("/a"))
  }
  process = next()
  expect([process.verdict(at("/a")), process.verdict(at("/b")), process.verdict(at("/c"))]).toEqual([
    LOST,
    null,
    null,
  ])
  expect([process.isSuspect(at("/b")), process.isSuspect(at("/c"))]).toEqual([true, false])
})

test("a page whose reading ended is not to blame, as soon as the next begins", () => {
  const { next } = crawl("/a", "/b", "/c")
  const process = next()
  process.begin(at("/a"))
  process.end(at("/a"))
  process.end(at("/c"))
  process.begin(at("/b"))
  const after = next()
  expect(["/a", "/b", "/c"].map((path) => after.isSuspect(at(path)))).toEqual([false, true, false])
})

test("what ended once is begun anew by another reading", () => {
  const { db, next } = crawl("/a", "/b")
  const process = next()
  const reading = () =>
    db
      .prepare("select url from crawl_url where reading = 1 order by url")
      .all()
      .map(({ url }) => url)
  process.begin(at("/a"))
  process.end(at("/a"))
  process.begin(at("/b"))
  process.begin(at("/a"))
  process.begin(at("/b"))
  expect(reading()).toEqual([at("/a"), at("/b")])
  process.forget(at("/a"))
  process.end(at("/a"))
  process.begin(at("/b"))
  expect(reading()).toEqual([at("/a"), at("/b")])
})

test("a process that stops in good order blames nothing, of its own job", () => {
  const { db, next, known, job } = crawl("/a", "/b")
  const other = { ...job, source: sourceOf("other") }
  const jobs = new Jobs(db)
  other.id = jobs.enqueue(other.source).id
  new Frontier(db, other, known, () => ({ concurrency: 1, delayMs: 0 })).add([at("/a")], {
    how: "seed",
    on: null,
    depth: 0,
  })
  const [process, another] = [next(), next(other)]
  process.begin(at("/a"))
  process.end(at("/a"))
  another.begin(at("/a"))
  process.release()
  process.begin(at("/b"))
  process.release()
  expect([next().isSuspect(at("/a")), next().isSuspect(at("/b")), next(other).isSuspect(at("/a"))]).toEqual([
    false,
    false,
    true,
  ])
})

test("a page with an outcome is no suspect, whoever forgets it", () => {
  const { frontier, next } = crawl("/a", "/b")
  next().begin(at("/a"))
  const process = next()
  process.forget(at("/a"))
  expect(process.isSuspect(at("/a"))).toBe(false)
  process.begin(at("/b"))
  frontier.record([{ url: at("/b"), outcome: "indexed", detail: null, hash: "h" }])
  expect(next().isSuspect(at("/b"))).toBe(false)
})

test("a page that an earlier run left out has one more chance, read alone", () => {
  const { known, job, next } = crawl("/a", "/b")
  known.record({ ...job, id: 99 }, [
    { url: at("/a"), outcome: "failed:crashed", detail: LOST },
    { url: at("/b"), outcome: "failed:timeout", detail: "no answer" },
  ])
  const process = next()
  expect([process.isSuspect(at("/a")), process.verdict(at("/a")), process.isSuspect(at("/b"))]).toEqual([
    true,
    null,
    false,
  ])
  process.begin(at("/a"))
  expect(next().verdict(at("/a"))).toBe(LOST)
})
