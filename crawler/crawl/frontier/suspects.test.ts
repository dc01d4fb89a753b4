import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { statement } from "#base/store/testing/statement.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { at, sourceOf } from "../../testing/visited.ts"
import { Frontier } from "./frontier.ts"
import { KnownAddresses } from "./known-addresses.ts"
import { Suspects } from "./suspects.ts"

const LOST = "the crawler's process crashed each time it read the page"

/** A job with some pages to visit, and the processes that read them. */
async function crawl(...paths: readonly string[]) {
  const db = emptyState()
  const jobs = new Jobs(db)
  const known = new KnownAddresses(db)
  const source = sourceOf("site")
  const job = { id: (await jobs.enqueue(source)).id, source }
  const frontier = await Frontier.open(db, job, known, () => ({ concurrency: 1, delayMs: 0 }))
  await frontier.add(paths.map(at), { how: "seed", on: null, depth: 0 })
  return { db, known, frontier, job, next: (of = job) => Suspects.open(db, of, known) }
}

test("a page during which a process died is read alone, and after the third time not at all", async () => {
  const { next } = await crawl("/a", "/b", "/c")
  let process = await next()
  expect([await process.isSuspect(at("/a")), await process.verdict(at("/a"))]).toEqual([false, null])
  await process.begin(at("/a"))
  await process.begin(at("/b"))
  for (const strikes of [1, 2]) {
    process = await next()
    expect([strikes, await process.isSuspect(at("/a")), await process.verdict(at("/a"))]).toEqual([
      strikes,
      true,
      null,
    ])
    await process.begin(at("/a"))
  }
  process = await next()
  expect([
    await process.verdict(at("/a")),
    await process.verdict(at("/b")),
    await process.verdict(at("/c")),
  ]).toEqual([LOST, null, null])
  expect([await process.isSuspect(at("/b")), await process.isSuspect(at("/c"))]).toEqual([true, false])
})

test("a page that was read completely is not to blame once the next begins", async () => {
  const { next } = await crawl("/a", "/b", "/c")
  const process = await next()
  await process.begin(at("/a"))
  process.end(at("/a"))
  process.end(at("/c"))
  await process.begin(at("/b"))
  const after = await next()
  expect(await Promise.all(["/a", "/b", "/c"].map((path) => after.isSuspect(at(path))))).toEqual([
    false,
    true,
    false,
  ])
})

test("a page that was read is marked again when another reading begins", async () => {
  const { db, next } = await crawl("/a", "/b")
  const process = await next()
  const reading = async () =>
    (await statement(db, "select url from crawl_url where reading = 1 order by url").all()).map(
      ({ url }) => url,
    )
  await process.begin(at("/a"))
  process.end(at("/a"))
  await process.begin(at("/b"))
  await process.begin(at("/a"))
  await process.begin(at("/b"))
  expect(await reading()).toEqual([at("/a"), at("/b")])
  process.forget(at("/a"))
  process.end(at("/a"))
  await process.begin(at("/b"))
  expect(await reading()).toEqual([at("/a"), at("/b")])
})

test("a process that stops normally leaves no suspects in its own job", async () => {
  const { db, next, known, job } = await crawl("/a", "/b")
  const other = { ...job, source: sourceOf("other") }
  const jobs = new Jobs(db)
  other.id = (await jobs.enqueue(other.source)).id
  await (
    await Frontier.open(db, other, known, () => ({ concurrency: 1, delayMs: 0 }))
  ).add([at("/a")], {
    how: "seed",
    on: null,
    depth: 0,
  })
  const [process, another] = [await next(), await next(other)]
  await process.begin(at("/a"))
  process.end(at("/a"))
  await another.begin(at("/a"))
  await process.release()
  await process.begin(at("/b"))
  await process.release()
  expect([
    await (await next()).isSuspect(at("/a")),
    await (await next()).isSuspect(at("/b")),
    await (await next(other)).isSuspect(at("/a")),
  ]).toEqual([false, false, true])
})

test("a page with an outcome is no suspect, whether its visit was forgotten or never ended", async () => {
  const { frontier, next } = await crawl("/a", "/b")
  await (await next()).begin(at("/a"))
  const process = await next()
  process.forget(at("/a"))
  expect(await process.isSuspect(at("/a"))).toBe(false)
  await process.begin(at("/b"))
  await frontier.record([{ url: at("/b"), outcome: "indexed", detail: null, hash: "h" }])
  expect(await (await next()).isSuspect(at("/b"))).toBe(false)
})

test("a page that an earlier run skipped gets one more chance, read alone", async () => {
  const { known, job, next } = await crawl("/a", "/b")
  await known.record({ ...job, id: 99 }, [
    { url: at("/a"), outcome: "failed:crashed", detail: LOST },
    { url: at("/b"), outcome: "failed:timeout", detail: "no answer" },
  ])
  const process = await next()
  expect([
    await process.isSuspect(at("/a")),
    await process.verdict(at("/a")),
    await process.isSuspect(at("/b")),
  ]).toEqual([true, null, false])
  await process.begin(at("/a"))
  expect(await (await next()).verdict(at("/a"))).toBe(LOST)
})
