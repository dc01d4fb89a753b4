import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import type { ReadBodyTask } from "../read-body.ts"
import { ReaderPool } from "./reader-pool.ts"
import { startProcess } from "./reader-process.ts"
import { startReaderThread } from "./reader-thread.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"

const task = (url: string): ReadBodyTask => ({
  url,
  kind: "html",
  contentType: "text/html",
  charset: null,
  body: new Uint8Array(8),
})

/**
 * A thread program whose behaviour depends on the address. `hang` waits without responding, like an endless loop, but
 * uses no processor time.
 */
const PROGRAM = `
import { parentPort } from "node:worker_threads"
parentPort.on("message", ({ url }) => {
  if (url === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (url === "crash") process.exit(7)
  if (url === "throw") setTimeout(() => { throw new Error("out of order") })
  else if (url === "eat") { const eaten = []; for (;;) eaten.push(new Array(100_000).fill(url)) }
  else parentPort.postMessage({ ok: true, extracted: { title: url } })
})
parentPort.postMessage("ready")`

/** A program that allocates this many megabytes for each body and never frees them, and that answers after a delay so that its memory can be observed. */
const HOARDER = `
import { parentPort } from "node:worker_threads"
const kept = []
parentPort.on("message", ({ url }) => {
  kept.push(Buffer.alloc(Number(url) * 1024 * 1024, 1))
  setTimeout(() => parentPort.postMessage({ ok: true, extracted: { title: url } }), 200)
})
parentPort.postMessage("ready")`

test("memory left behind by one page is not counted against the next one", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "hoarder.mjs")
  writeFileSync(file, HOARDER)
  const program = pathToFileURL(file)
  await using pool = new ReaderPool({
    places: 1,
    timeoutMs: 30_000,
    memoryMb: 300,
    start: startProcess,
    program,
  })
  expect(await pool.read(task("170"))).toMatchObject({ kind: "read" })
  expect(await pool.read(task("170"))).toMatchObject({ kind: "read" })
  expect(await pool.read(task("400"))).toMatchObject({ kind: "too-large" })
})

test.each([
  { of: "thread", start: startReaderThread, memoryMb: 16 },
  { of: "process", start: startProcess, memoryMb: 150 },
])(
  "a page that hangs, crashes or exhausts the memory of its $of fails alone",
  async ({ of, start, memoryMb }) => {
    using folder = temporaryFolder()
    const file = join(folder.path, "program.mjs")
    writeFileSync(file, PROGRAM)
    await using pool = new ReaderPool({
      places: 1,
      timeoutMs: 5000,
      memoryMb,
      start,
      program: pathToFileURL(file),
    })
    const results = await Promise.all(
      ["a", "crash", "b", "throw", "c", "eat", "d", "hang", "e"].map((url) => pool.read(task(url))),
    )
    expect(results).toMatchObject([
      { kind: "read", extracted: { title: "a" } },
      {
        kind: "crashed",
        detail:
          of === "thread" ? "the reader thread exited with code 7" : "the reading process exited with code 7",
      },
      { kind: "read" },
      { kind: "unreadable", detail: "out of order" },
      { kind: "read" },
      { kind: "too-large", detail: `reading it takes more than ${memoryMb} MB of memory` },
      { kind: "read" },
      { kind: "timeout" },
      { kind: "read", extracted: { title: "e" } },
    ])
  },
)

test("buffers count towards a process's memory, and its end is noticed at once", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  const memory = join(folder.path, "memory")
  // Allocates memory as fast as it can, for at most half a second, and records how much it held.
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs"
     import { parentPort } from "node:worker_threads"
     parentPort.on("message", ({ url }) => {
       const held = []
       for (let mb = 0; url === "eat" && mb < 4000; mb += 4) {
         held.push(new Uint8Array(4 << 20).fill(1))
         writeFileSync(${JSON.stringify(memory)}, String(mb))
       }
       parentPort.postMessage({ ok: true, extracted: { title: url } })
     })
     parentPort.postMessage("ready")`,
  )
  await using pool = new ReaderPool({
    places: 1,
    timeoutMs: 60_000,
    memoryMb: 200,
    start: startProcess,
    program: pathToFileURL(file),
  })
  expect(await Promise.all(["eat", "a"].map((url) => pool.read(task(url))))).toMatchObject([
    { kind: "too-large" },
    { kind: "read", extracted: { title: "a" } },
  ])
  // Allows for half as much again, because memory can be allocated between checks.
  expect(Number(readFileSync(memory, "utf8"))).toBeLessThan(300)
})

test("a thread that is slow to start costs no page", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  writeFileSync(file, `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)\n${PROGRAM}`)
  await using pool = new ReaderPool({ places: 1, timeoutMs: 1500, program: pathToFileURL(file) })
  expect(await pool.read(task("a"))).toMatchObject({ kind: "read" })
  expect(await pool.read(task("hang"))).toMatchObject({
    kind: "timeout",
    detail: "reading the page took more than 1500 ms",
  })
})

test("a page read in time counts, even if its process was then held up past the time limit", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  const sent = join(folder.path, "sent")
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs"
     import { parentPort } from "node:worker_threads"
     parentPort.on("message", ({ url }) => {
       parentPort.postMessage({ ok: true, extracted: { title: url } })
       if (url === "b") writeFileSync(${JSON.stringify(sent)}, "")
     })
     parentPort.postMessage("ready")`,
  )
  const timeoutMs = 2000
  await using pool = new ReaderPool({ places: 1, timeoutMs, program: pathToFileURL(file) })
  expect(await pool.read(task("a"))).toMatchObject({ kind: "read" })
  // Waits until no message is being handled, because other messages would be handled right after it.
  await setImmediate()
  const heldUntil = performance.now() + timeoutMs + 100
  const second = pool.read(task("b"))
  const cell = new Int32Array(new SharedArrayBuffer(4))
  while (performance.now() < heldUntil || !existsSync(sent)) Atomics.wait(cell, 0, 0, 20)
  expect(await second).toMatchObject({ kind: "read", extracted: { title: "b" } })
})

test("a body that no caller waits for any more is not read", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "program.mjs")
  writeFileSync(file, PROGRAM)
  const timeoutMs = 1000
  await using pool = new ReaderPool({ places: 1, timeoutMs, program: pathToFileURL(file) })
  const abort = new AbortController()
  const hanging = pool.read(task("hang"))
  const dropped = pool.read(task("a"), { signal: abort.signal })
  abort.abort()
  expect(await dropped).toMatchObject({ kind: "closed" })
  expect(await hanging).toMatchObject({ kind: "timeout" })
})

test("closing answers the waiting callers", async () => {
  const pool = new ReaderPool({ places: 1, timeoutMs: 10_000 })
  const waiting = Promise.all([pool.read(task("http://a/")), pool.read(task("http://b/"))])
  await pool[Symbol.asyncDispose]()
  expect(await waiting).toMatchObject([{ kind: "closed" }, { kind: "closed" }])
  expect(await pool.read(task("http://c/"))).toMatchObject({ kind: "closed" })
})

test("idle threads stop, and start again when needed", async () => {
  await using pool = new ReaderPool({ places: 1, timeoutMs: 10_000, idleMs: 1 })
  for (const url of ["http://a/", "http://b/"]) {
    expect(await pool.read(task(url))).toMatchObject({ kind: "read" })
    await new Promise((done) => setTimeout(done, 30))
  }
})
