import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, Sources } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { openAdmin } from "../operator/admin/open-admin.ts"
import { openPageKnowledge } from "../services/pages/page-knowledge.ts"
import { SEARCH_KEY, serveApp, TEST_KEY } from "../testing/serve-app.ts"
import { watchesOf } from "../services/watches/testing/watches-of.ts"
import { FossickClient, FossickError } from "./client.ts"
import { clientSource } from "./generate/client-source.ts"
import { typeOf } from "./generate/schema-types.ts"

// An appliance listening on a socket, and a program that manages it only through the client.

const opened = new AsyncDisposableStack()
let site: TestSite
let url: string
let client: FossickClient

beforeAll(async () => {
  const { dir, db, embedder, engine } = await openDataFolder(opened)
  site = opened.use(await startTestSite({ "/": article("Pumps"), "/seals": article("Seals") }))
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: [site.url("/"), site.url("/seals")] })
  await runSource("docs", db, engine)
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const crawlerConfig = testConfig({ FOSSICK_ALLOWED_NETWORKS: site.authority })
  const app = opened.use(
    await serveApp({
      engine,
      embedder,
      admin: () => openAdmin({ db, engine, jobs, crawlerConfig, engineConfig }),
      watches: await watchesOf({ db, engine, crawlerConfig }),
      pages: openPageKnowledge(db, jobs),
      sourceNames: () => sourceNames(db),
    }),
  )
  url = app.url
  client = new FossickClient({ url, key: TEST_KEY })
})
afterAll(() => opened.disposeAsync())

const refused = async (call: Promise<unknown>): Promise<FossickError> => {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(FossickError)
  return error as FossickError
}

test("calls.ts matches the OpenAPI document (npm run generate:client)", async () => {
  expect(readFileSync(join(import.meta.dirname, "calls.ts"), "utf8")).toBe(await clientSource())
})

test("rejects schema keywords it does not understand", () => {
  expect(typeOf({ type: ["array", "null"], items: { enum: ["a", "b"] } })).toBe(
    'readonly ("a" | "b")[] | null',
  )
  expect(() => typeOf({ allOf: [{ type: "string" }] })).toThrow("keywords allOf")
})

test("sources are listed and run, and their jobs shown", async () => {
  const { sources } = await client.call("GET /admin/sources", { query: { limit: 10 } })
  expect(sources).toMatchObject([{ name: "docs", pages: 2 }])
  const started = await client.call("POST /admin/sources/{name}/run", { path: { name: "docs" } })
  const { jobs } = await client.call("GET /admin/jobs", { query: { source: "docs", state: "queued" } })
  expect(jobs.map(({ id }) => id)).toEqual([started.id])
  await client.call("POST /admin/jobs/{id}/cancel", { path: { id: started.id } })
  const job = await client.call("GET /admin/jobs/{id}", { path: { id: started.id } })
  expect(job.state).toBe("cancelled")
})

test("reads stored pages, also as text with an address in the path", async () => {
  const page = await client.call("GET /pages", { query: { url: site.url("/seals"), format: "text" } })
  expect(page).toMatchObject({ url: site.url("/seals"), title: "Seals" })
  expect(await client.call("GET /read/{url}", { path: { url: site.url("/seals") } })).toContain("Seals")
})

test("creates, changes, lists and deletes a watch", async () => {
  const reader = new FossickClient({ url: `${url}/`, key: SEARCH_KEY })
  const { id, webhook_secret: secret } = await reader.call("POST /watches", {
    body: { source: "docs", name: "All", paused: undefined },
  })
  expect(secret).toMatch(/^whsec_/)
  await reader.call("PUT /watches/{id}", { path: { id }, body: { paused: true } })
  const { watches } = await reader.call("GET /watches")
  expect(watches).toMatchObject([{ id, name: "All", source: "docs", paused: true }])
  expect((await client.call("GET /watches", { query: { all: true } })).watches).toHaveLength(1)
  expect(await reader.call("DELETE /watches/{id}", { path: { id } })).toEqual({ id, deleted: true })
})

test("throws an error with the status and the appliance's message when a call is refused", async () => {
  const unknown = await refused(client.call("GET /admin/sources/{name}", { path: { name: "a/b?c" } }))
  expect([unknown.status, unknown.message]).toEqual([404, unknown.detail])
  expect(unknown.detail).toContain("a/b?c")
  expect(unknown.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/)
  const wrong = await refused(
    client.call("PUT /admin/sources/{name}", { path: { name: "new" }, body: { seeds: [] } }),
  )
  expect(wrong.status).toBe(422)
  expect(wrong.problems).toMatchObject([{ field: "seeds" }])
  const stranger = new FossickClient({ url })
  expect((await refused(stranger.call("GET /admin/jobs"))).status).toBe(401)
})

test("returns a stream unread, and throws the usual error when it is refused", async () => {
  const stream = await client.stream("POST /research", { body: { input: "What are seals?", stream: true } })
  expect([stream.headers.get("content-type"), stream.bodyUsed]).toEqual(["text/event-stream", false])
  expect(await stream.text()).toContain("data: {")
  expect((await refused(client.stream("POST /research", { body: { input: "" } }))).status).toBe(400)
})

test("rejects path names that would lead to another call", async () => {
  for (const name of ["..", ".", ""]) {
    const deleted = client.call("DELETE /admin/sources/{name}", { path: { name } })
    await expect(deleted).rejects.toThrow(`name must not be "${name}"`)
  }
})

test("rejects a server that answers with HTML instead of JSON, and addresses that are not HTTP", async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/there/key-info" ? 200 : 502).end("<title>Front</title>")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const there = await refused(new FossickClient({ url: new URL(`${address}/there/`) }).call("GET /key-info"))
  expect([there.status, there.detail]).toEqual([200, "The answer is not from a Fossick appliance."])
  const front = await refused(new FossickClient({ url: address }).call("GET /key-info"))
  expect([front.status, front.detail]).toEqual([502, "The server responded with status 502."])
  server.closeAllConnections()
  server.close()
  expect(() => new FossickClient({ url: "ftp://localhost" })).toThrow("url must be an http or https address")
})
