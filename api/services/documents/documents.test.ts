import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, Sources } from "#crawler"
import type { StateStore } from "#base/store/state-store.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { lines, pdf } from "#crawler/testing/pdf-file.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { Rereader } from "#crawler/upkeep/reread/rereader.ts"
import type { Engine } from "#engine"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { openPageKnowledge } from "../pages/page-knowledge.ts"
import { documentsOf } from "./testing/documents-of.ts"

// Tests documents that are sent over HTTP and added to a real index.

const AT = "http://localhost:8080/files/"
const opened = new AsyncDisposableStack()
let app: ServedAccounts
let db: StateStore
let engine: Engine
let writer: string
let reader: string

beforeAll(async () => {
  const folder = await openDataFolder(opened)
  ;({ db, engine } = folder)
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "site", seeds: ["https://site.example/"] })
  await sources.put({ name: "wiki", documents: true, seeds: [`${AT}wiki/`, "https://wiki.example/"] })
  app = opened.use(
    await serveAccounts({
      dir: folder.dir,
      engine,
      rereader: opened.use(new Rereader({ db, jobs, config: testConfig(), onProblem: () => {} })),
      documents: documentsOf({ db, dataDir: folder.dir, closing: opened, maxBytes: 10_000 }),
      pages: openPageKnowledge(db, jobs),
      sites: sourceSites(db, jobs),
    }),
  )
  writer = await app.key({ role: "write" })
  reader = await app.key()
})
afterAll(() => opened.disposeAsync())

const send = (source: string, documents: readonly object[], key = writer) =>
  app.call("/documents", key, { source, documents })
const found = async (query: string) => {
  const { body } = await app.call("/search", reader, { query })
  return (body.results as { url: string; title: string }[]).map(({ url, title }) => ({ url, title }))
}
const run = (source: string) => runSource(source, db, engine)

test("documents that were sent are found, replaced and deleted by their ids", async () => {
  const ticket = {
    id: "4711",
    title: "Pump leaks",
    markdown: "The gasket of the boiler pump drips at night.",
  }
  const { status, body } = await send("tickets", [ticket, { text: "The lift stops between floors." }])
  expect([status, body.created]).toEqual([200, 2])
  expect(body.documents[0]).toEqual({ id: "4711", url: `${AT}tickets/4711`, result: "created" })
  await run("tickets")
  expect((await found("which gasket drips?"))[0]).toEqual({ url: `${AT}tickets/4711`, title: "Pump leaks" })

  const again = await send("tickets", [ticket, { text: "The lift stops between floors." }])
  expect([again.body.unchanged, again.body.created, again.body.updated]).toEqual([2, 0, 0])
  await send("tickets", [{ ...ticket, title: "Pump repaired" }])
  await run("tickets")
  expect((await found("which gasket drips?"))[0]?.title).toBe("Pump repaired")

  const gone = await app.call("/documents/delete", writer, { source: "tickets", ids: ["4711", "none"] })
  expect(gone.body.deleted).toEqual(["4711"])
  await run("tickets")
  expect(await found("which gasket drips?")).not.toContainEqual(
    expect.objectContaining({ title: "Pump repaired" }),
  )
})

test("the sender's metadata takes precedence over the document's", async () => {
  await send("wiki", [
    {
      url: "https://wiki.example/kettle",
      title: "The kettle",
      html: "<title>Untitled 3</title><h1>Draft</h1><p>The kettle of the canteen boils in four minutes.</p>",
      author: "Ada",
      published_at: "2026-02-03",
      metadata: { space: "canteen" },
    },
  ])
  await run("wiki")
  const [page] = await found("how long does the kettle take?")
  expect(page).toEqual({ url: "https://wiki.example/kettle", title: "The kettle" })
  const stored = await engine.get("https://wiki.example/kettle" as Parameters<Engine["get"]>[0])
  expect([stored?.author, stored?.publishedAt]).toEqual(["Ada", new Date("2026-02-03")])
  const shown = await app.call(`/documents/wiki/${encodeURIComponent("https://wiki.example/kettle")}`, writer)
  expect(shown.body).toMatchObject({ title: "The kettle", type: "text/html", metadata: { space: "canteen" } })
})

test("the readers of a document are kept with it, and change without new vectors", async () => {
  const url = `${AT}payroll/1` as Parameters<Engine["get"]>[0]
  const readersOf = async () => (await engine.get(url))?.readers
  const vectors = async () => (await engine.withVectors([url]))[0]?.vectors
  const one = {
    id: "1",
    text: "The salaries of the board are paid on the first.",
    readers: { allow: ["group:HR"] },
  }
  await send("payroll", [one])
  await run("payroll")
  expect(await readersOf()).toEqual([{ source: "payroll", allow: [["group:hr"]], deny: [] }])
  await engine.settled()
  const made = await vectors()
  expect(made).not.toBeNull()
  const change = (id: string, readers: object | null) =>
    app.call("/documents/readers", writer, { source: "payroll", documents: [{ id, readers }] })
  expect((await change("none", null)).body.documents).toEqual([])
  expect((await change("1", { allow: ["group:hr"], deny: ["user:bo"] })).body.documents).toEqual(["1"])
  await run("payroll")
  expect(await readersOf()).toEqual([{ source: "payroll", allow: [["group:hr"]], deny: ["user:bo"] }])
  expect(await vectors()).toEqual(made)
  expect((await app.call("/documents/payroll/1", writer)).body.readers).toEqual({
    allow: ["group:hr"],
    deny: ["user:bo"],
  })
  expect((await send("payroll", [one])).body.updated).toBe(1)
  expect((await send("payroll", [one])).body.unchanged).toBe(1)
  await change("1", null)
  await run("payroll")
  expect(await readersOf()).toBeUndefined()
  const wrong = await change("1", { allow: ["group:hr", "everybody"] })
  expect([wrong.status, wrong.body.detail.error]).toEqual([
    422,
    "documents.0.readers.allow.1 must be user:NAME, group:NAME or signed-in.",
  ])
})

test("a document without an id stays the same one when its readers change", async () => {
  const text = "The lift is out of order."
  const [open] = (await send("notices", [{ text }])).body.documents
  const [closed] = (await send("notices", [{ text, readers: { allow: ["group:staff"] } }])).body.documents
  expect(closed).toEqual({ ...open, result: "updated" })
})

test("a live read gives the document as it is now, to keys that may see it", async () => {
  const url = `${AT}tools/saw`
  const read = async (key: string) => {
    const { body } = await app.call("/extract", key, { urls: [url] })
    return (body.results as { raw_content: string }[]).map((one) => one.raw_content)
  }
  await send("tools", [{ id: "saw", text: "The saw hangs on the left." }])
  await run("tools")
  await send("tools", [{ id: "saw", text: "The saw hangs on the right." }])
  expect(await read(reader)).toEqual(["The saw hangs on the right."])
  expect(await read(await app.key({ scope: readScope({ sources: ["wiki"] }) }))).toEqual([])
})

test("a file sent as a form is recognised by its bytes", async () => {
  const form = new FormData()
  form.append(
    "file",
    new Blob([pdf([{ texts: lines(["A letter about the roof."], 72, 700) }])]),
    "letter.pdf",
  )
  form.append("source", "post")
  form.append("readers", '{"allow": ["group:post"]}')
  const answer = await fetch(`${app.url}/documents`, {
    method: "POST",
    headers: { Authorization: `Bearer ${writer}` },
    body: form,
  })
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { created: 1, documents: [{ id: "letter.pdf" }] },
  ])
  await run("post")
  expect(await engine.get(`${AT}post/letter.pdf` as Parameters<Engine["get"]>[0])).toMatchObject({
    markdown: expect.stringContaining("A letter about the roof."),
    readers: [{ source: "post", allow: [["group:post"]], deny: [] }],
  })
  form.set("readers", '{"allow": ["post"]}')
  const refused = await fetch(`${app.url}/documents`, {
    method: "POST",
    headers: { Authorization: `Bearer ${writer}` },
    body: form,
  })
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining("readers.allow.0 must be user:NAME"),
  ])
})

test("all documents of a source can be listed, page by page", async () => {
  await send(
    "list",
    Array.from({ length: 5 }, (_, number) => ({ id: `n/${number}`, text: `Number ${number}` })),
  )
  const page = async (after: string) =>
    (
      await app.call(
        `/documents?source=list&limit=2${after && `&after=${encodeURIComponent(after)}`}`,
        writer,
      )
    ).body
  const ids: string[] = []
  let after: string | null = ""
  do {
    const { documents, total, next_after } = await page(after)
    expect(total).toBe(5)
    ids.push(...documents.map(({ id }: { id: string }) => id))
    after = next_after
  } while (after !== null)
  expect(ids).toEqual(["n/0", "n/1", "n/2", "n/3", "n/4"])
})

test("a key can read or write, and writes only to its own sources", async () => {
  const own = await app.key({ role: "write", scope: readScope({ sources: ["tickets"] }) })
  const one = [{ id: "1", text: "A text." }]
  expect((await send("tickets", one, own)).status).toBe(200)
  for (const [source, key] of [
    ["other", own],
    ["tickets", reader],
    ["tickets", await app.key({ role: "write", scope: readScope({ domains: ["example.com"] }) })],
  ] as const) {
    expect((await send(source, one, key)).status).toBe(403)
  }
  expect((await app.call("/documents?source=tickets", reader)).status).toBe(403)
  for (const path of ["/search", "/extract", "/map", "/research", "/v1/search", "/openwebui/search"]) {
    const refused = await app.call(path, writer, { query: "pump", urls: ["https://a.example/"] })
    expect([path, refused.status]).toEqual([path, 403])
  }
  expect((await send("tickets", one, "nobody")).status).toBe(401)
})

test.each([
  ["no content", [{ id: "1" }], "documents.0 must have exactly one of text, markdown, html"],
  ["two contents", [{ text: "a", html: "b" }], "documents.0 must have exactly one of text, markdown, html"],
  ["an unknown field", [{ text: "a", tags: [] }], "documents.0.tags isn't a field of this call"],
  [
    "one id twice",
    [
      { id: "1", text: "a" },
      { id: "1", text: "b" },
    ],
    "documents.1 has the same id as documents.0",
  ],
  [
    "no such day",
    [{ text: "a", updated_at: "2026-02-31T00:00:00+99:00" }],
    "documents.0.updated_at isn't a valid date",
  ],
  ["a way out", [{ id: "../../../admin", text: "a" }], "documents.0.id must not lead outside the source"],
  [
    "another's address",
    [{ url: "https://evil.example/", text: "a" }],
    "documents.0.url must be below a seed",
  ],
  [
    "readers that are nobody",
    [{ text: "a", readers: { deny: ["hr"] } }],
    "documents.0.readers.deny.0 must be user:NAME",
  ],
  [
    "readers of another form",
    [{ text: "a", readers: { allow: "group:hr" } }],
    "documents.0.readers.allow must be array",
  ],
  ["too much", [{ text: "x".repeat(10_001) }], "documents.0 must have at most 10000 bytes"],
])("a document with %s is rejected, and so is everything else in its call", async (_, documents, message) => {
  const { status, body } = await send(
    "refused",
    [{ id: "good", text: "A good one." }, ...documents].toReversed(),
  )
  const there = await send("refused", documents)
  expect([status, there.status]).toEqual([422, 422])
  expect(there.body.detail.error).toContain(message)
  expect(body.problems ?? body.detail).toBeDefined()
  const listed = await app.call("/documents?source=refused", writer)
  expect(listed.body.total ?? 0).toBe(0)
})

test("a body that isn't a JSON object is refused", async () => {
  const body = (text: string) =>
    fetch(`${app.url}/documents`, {
      method: "POST",
      headers: { Authorization: `Bearer ${writer}` },
      body: text,
    })
  for (const text of ["", "{", "[]", '"a"']) expect([text, (await body(text)).status]).toEqual([text, 400])
})

test("a website source accepts no documents, and neither does an invalid source name", async () => {
  expect((await send("site", [{ text: "a" }])).status).toBe(409)
  expect((await send("handbook", [{ text: "a" }])).body.detail.error).toContain("source must not be handbook")
  expect((await send("a\u0007b", [{ text: "a" }])).status).toBe(422)
  const { status, body } = await send("wiki", [{ id: "copy", url: "https://wiki.example/kettle", text: "a" }])
  expect([status, body.detail.error]).toEqual([
    409,
    'documents.0.url is the address of another document, "https://wiki.example/kettle".',
  ])
})

test("a source that is deleted with its pages takes its documents along", async () => {
  await send("past", [{ id: "1", text: "Long ago." }])
  await new Sources(db, new Jobs(db)).delete("past", { removePages: true })
  await send("past", [{ id: "2", text: "Today." }])
  const { body } = await app.call("/documents?source=past", writer)
  expect(body.documents.map(({ id }: { id: string }) => id)).toEqual(["2"])
})

test("a large batch is kept in one call", async () => {
  const documents = Array.from({ length: 3000 }, (_, number) => ({ id: `${number}`, text: `Text ${number}` }))
  const { body } = await send("batch", documents)
  expect([body.created, body.documents.length]).toEqual([3000, 3000])
  const tooMany = await send(
    "batch",
    Array.from({ length: 10_001 }, () => ({ text: "a" })),
  )
  expect([tooMany.status, tooMany.body.detail.error]).toEqual([
    422,
    "documents must NOT have more than 10000 items.",
  ])
})
