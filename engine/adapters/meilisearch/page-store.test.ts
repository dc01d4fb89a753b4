import { expect, test } from "vitest"
import { toPageRow } from "../../index/page-record.ts"
import { aPage } from "#engine/testing/pages.ts"
import { Serial } from "#base/flow/serial.ts"
import { indexesOf } from "./server/indexes.ts"
import { PageWriter } from "../server/page-writer.ts"
import { MeilisearchPages } from "./page-store.ts"
import { Server } from "./server/server.ts"
import { type Answer, type Request, startServer } from "./testing/scripted-server.ts"

const accepted = (taskUid: number): Answer => ({ status: 202, body: { taskUid, status: "enqueued" } })
const rowOf = async (name: string, markdown = "Text.") => ({
  ...(await toPageRow(aPage(name, { markdown }), () => Promise.resolve())),
  vectors: null,
})

/** A server that accepts every document except the ones that `refuses` selects, given the request that contains them. */
function takingMost(refuses: (request: Request) => "task" | "request" | null, size = Infinity) {
  const failed = new Set<number>()
  const tasks: Request[] = []
  const start = startServer((request) => {
    if (request.path.endsWith("/documents/fetch")) return { status: 200, body: { results: [] } }
    const [, uid] = /^\/tasks\/(\d+)$/.exec(request.path) ?? []
    if (uid !== undefined) {
      const error = { type: "invalid_request", code: "invalid_document_fields", message: "No.", link: "" }
      const body = failed.has(Number(uid)) ? { status: "failed", error } : { status: "succeeded" }
      return { status: 200, body }
    }
    if (request.body.length > size || refuses(request) === "request") {
      return { status: 413, body: { code: "payload_too_large", message: "Too large.", type: "", link: "" } }
    }
    tasks.push(request)
    if (refuses(request) === "task") failed.add(tasks.length)
    return accepted(tasks.length)
  })
  return { start, tasks }
}

function writerOn(url: string) {
  const server = new Server({ url, key: "", patienceMs: 0 })
  const indexes = indexesOf(server, "test")
  return new PageWriter({
    store: new MeilisearchPages(server, indexes, 64),
    server: "Meilisearch",
    writes: new Serial(),
    onWritten: () => undefined,
  })
}

test("a page rejected by the server is named, and blocks no other", async () => {
  const { start, tasks } = takingMost(({ body }) => (body.includes("docs.example.com/bad") ? "task" : null))
  await using scripted = await start
  const writer = writerOn(scripted.url)
  const names = ["a", "b", "bad", "c", "d"]
  await expect(writer.write(await Promise.all(names.map((name) => rowOf(name))))).rejects.toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringMatching(
      /refused a page: https:\/\/docs\.example\.com\/bad \(No\.\)\. The other pages are/,
    ),
  })
  const whole = tasks
    .filter(({ body }) => !body.includes("docs.example.com/bad"))
    .map(({ body }) => body)
    .join()
  for (const name of ["a", "b", "c", "d"]) expect(whole).toContain(`docs.example.com/${name}`)
})

test("pages too large for one request are sent in several", async () => {
  const { start, tasks } = takingMost(() => null, 20_000)
  await using scripted = await start
  await writerOn(scripted.url).write(
    await Promise.all(Array.from({ length: 8 }, (_, i) => rowOf(`p/${i}`, "word ".repeat(1000)))),
  )
  expect(tasks.length).toBeGreaterThan(2)
  expect(new Set(tasks.flatMap(({ body }) => body.match(/docs\.example\.com\/p\/\d/g) ?? [])).size).toBe(8)
})

test("concurrent calls are written together, and each gets the result for its own pages", async () => {
  const { start, tasks } = takingMost(({ body }) => (body.includes("docs.example.com/bad") ? "task" : null))
  await using scripted = await start
  const writer = writerOn(scripted.url)
  const rows = await Promise.all(["first", "good", "bad"].map((name) => rowOf(name)))
  const calls = await Promise.allSettled(rows.map((row) => writer.write([row])))
  expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"])
  const together = tasks.filter(({ body }) => body.includes("/good") && body.includes("/bad"))
  expect(together.length).toBeGreaterThan(0)
})

test("a failing server is not retried page by page", async () => {
  let asked = 0
  await using scripted = await startServer(({ path }) => {
    if (path.endsWith("/documents/fetch")) return { status: 200, body: { results: [] } }
    asked++
    return { status: 500, body: { code: "internal", message: "Broken.", type: "internal", link: "" } }
  })
  const rows = await Promise.all(["a", "b", "c", "d"].map((name) => rowOf(name)))
  await expect(writerOn(scripted.url).write(rows)).rejects.toMatchObject({ cause: { message: "Broken." } })
  expect(asked).toBe(1)
})

test("vectors in several requests are all queued on the server before waiting for any", async () => {
  const row = await rowOf(
    "long",
    Array.from({ length: 6000 }, (_, i) => `Part ${i} of ${"many ".repeat(20)}.`).join("\n\n"),
  )
  const vectors = Array.from({ length: row.passage_count }, () => new Float32Array(64).fill(0.125))
  expect(vectors.length).toBeGreaterThan(1000)
  const asked: string[] = []
  let tasks = 0
  await using scripted = await startServer(({ path, body }) => {
    if (path.endsWith("/documents/fetch")) return { status: 200, body: { results: [] } }
    if (path.startsWith("/tasks/")) {
      asked.push("waits")
      return { status: 200, body: { status: "succeeded" } }
    }
    asked.push(path.includes("passages") ? `${(JSON.parse(body) as unknown[]).length} vectors` : "page")
    return accepted(++tasks)
  })
  await writerOn(scripted.url).write([{ ...row, vectors }])
  expect(asked.slice(0, 3)).toEqual(["1000 vectors", `${vectors.length - 1000} vectors`, "waits"])
})
