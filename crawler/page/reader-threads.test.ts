import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import type { ReadBodyTask } from "./read-body.ts"
import { ReaderThreads } from "./reader-threads.ts"
import { temporaryFolder } from "../testing/crawl-fixture.ts"

const task = (url: string): ReadBodyTask => ({
  url,
  kind: "html",
  contentType: "text/html",
  charset: null,
  body: new Uint8Array(8),
})

/** A thread's program that does what the address says. */
const PROGRAM = `
import { parentPort } from "node:worker_threads"
parentPort.on("message", ({ url }) => {
  if (url === "hang") for (;;);
  if (url === "crash") process.exit(7)
  if (url === "throw") setTimeout(() => { throw new Error("out of order") })
  else if (url === "eat") { const eaten = []; for (;;) eaten.push(new Array(100_000).fill(url)) }
  else parentPort.postMessage({ ok: true, extracted: { title: url } })
})
parentPort.postMessage("ready")`

test("a page that hangs, crashes or eats its thread costs only itself", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  writeFileSync(file, PROGRAM)
  await using threads = new ReaderThreads({
    threads: 1,
    timeoutMs: 1000,
    memoryMb: 16,
    program: pathToFileURL(file),
  })
  const results = await Promise.all(
    ["a", "crash", "b", "throw", "c", "eat", "d", "hang", "e"].map((url) => threads.read(task(url))),
  )
  expect(results).toMatchObject([
    { kind: "read", extracted: { title: "a" } },
    { kind: "unreadable", detail: "the reader thread ended with code 7" },
    { kind: "read" },
    { kind: "unreadable", detail: "out of order" },
    { kind: "read" },
    { kind: "unreadable" },
    { kind: "read" },
    { kind: "timeout" },
    { kind: "read", extracted: { title: "e" } },
  ])
})

test("a thread that is slow to start costs no page", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  writeFileSync(file, `for (const until = Date.now() + 500; Date.now() < until; );${PROGRAM}`)
  await using threads = new ReaderThreads({ threads: 1, timeoutMs: 250, program: pathToFileURL(file) })
  expect(await threads.read(task("a"))).toMatchObject({ kind: "read" })
  expect(await threads.read(task("hang"))).toMatchObject({
    kind: "timeout",
    detail: "reading the page took more than 250 ms",
  })
})

test("a body that nobody waits for any more is not read", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  writeFileSync(file, PROGRAM)
  const timeoutMs = 1000
  await using threads = new ReaderThreads({ threads: 1, timeoutMs, program: pathToFileURL(file) })
  const abort = new AbortController()
  const hanging = threads.read(task("hang"))
  const dropped = threads.read(task("a"), abort.signal)
  abort.abort()
  expect(await dropped).toMatchObject({ kind: "closed" })
  expect(await hanging).toMatchObject({ kind: "timeout" })
})

test("closing answers what still waits", async () => {
  const threads = new ReaderThreads({ threads: 1, timeoutMs: 10_000 })
  const waiting = Promise.all([threads.read(task("http://a/")), threads.read(task("http://b/"))])
  await threads[Symbol.asyncDispose]()
  expect(await waiting).toMatchObject([{ kind: "closed" }, { kind: "closed" }])
  expect(await threads.read(task("http://c/"))).toMatchObject({ kind: "closed" })
})

test("threads that rest come back when needed", async () => {
  await using threads = new ReaderThreads({ threads: 1, timeoutMs: 10_000, idleMs: 1 })
  for (const url of ["http://a/", "http://b/"]) {
    expect(await threads.read(task(url))).toMatchObject({ kind: "read" })
    await new Promise((done) => setTimeout(done, 30))
  }
})
