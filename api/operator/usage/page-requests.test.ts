import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Jobs } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import { PageRequestStore } from "../../identity/accounts/page-request-store.ts"
import { openAdmin } from "../admin/open-admin.ts"
import { memoryState, TEST_KEY } from "../../testing/serve-app.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

// People ask for pages over HTTP, and the operator goes through the requests.

const opened = new AsyncDisposableStack()
let app: ServedAccounts

beforeAll(async () => {
  const { dir, db, engine } = await openDataFolder(opened)
  await engine.index([aPage("https://docs.example.com/held")])
  const jobs = new Jobs(db)
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const admin = () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig })
  app = opened.use(await serveAccounts({ dir, engine, admin }))
})
afterAll(() => opened.disposeAsync())

async function wanted() {
  const { body } = await app.call("/admin/page-requests", TEST_KEY)
  return body as { readonly requests: readonly { readonly id: string }[]; readonly total: number }
}

test("the same page asked for by several keys is one request, and is settled as one", async () => {
  const [one, other] = [await app.key(), await app.key()]
  const url = "https://docs.example.com/missing#top"
  const first = await app.call("/page-requests", one, { url, query: "old  pumps" })
  expect(first).toMatchObject({ status: 200, body: { success: true } })
  await app.call("/page-requests", one, {
    url,
    query: "older pumps",
    comment: "<img src=x onerror=hacked=1>",
  })
  await app.call("/page-requests", other, { url: "https://docs.example.com/missing" })
  await app.call("/page-requests", other, { query: "How do zebras migrate?" })
  await app.call("/page-requests", other, { url: "https://docs.example.com/held" })
  const { requests, total } = await wanted()
  expect(total).toBe(3)
  expect(requests[0]).toMatchObject({ url: "https://docs.example.com/missing", keys: 2, in_index: false })
  expect(requests).toContainEqual(
    expect.objectContaining({ url: null, query: "How do zebras migrate?", keys: 1, in_index: false }),
  )
  expect(requests).toContainEqual(
    expect.objectContaining({ url: "https://docs.example.com/held", query: null, in_index: true }),
  )
  const settle = (id: string, key: string) =>
    fetch(`${app.url}/admin/page-requests/${id}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${key}` },
    })
  expect((await settle(requests[0]!.id, one)).status).toBe(403)
  expect((await settle(requests[0]!.id, TEST_KEY)).status).toBe(200)
  expect((await settle(requests[0]!.id, TEST_KEY)).status).toBe(404)
  expect((await wanted()).total).toBe(2)
  // Requests for pages cost nothing.
  expect((await app.call("/usage", one)).body).toMatchObject({ key: { usage: 0 } })
})

test.each([
  [{}, "Either url or query is required."],
  [{ url: "javascript:alert(1)" }, "Invalid url. Must be an http or https address."],
  [{ url: `https://a.example/${"x".repeat(2000)}` }, "Invalid url. "],
  [{ query: "x".repeat(401) }, "Invalid query. "],
])("%j is refused by name", async (body, error) => {
  expect(await app.call("/page-requests", await app.key(), body)).toMatchObject({
    status: 400,
    body: { detail: { error: expect.stringContaining(error) as string } },
  })
})

test("no key can fill the list for others, and requests nobody repeats are forgotten", async () => {
  using db = memoryState()
  const store = new PageRequestStore(db)
  const ask = (keyId: string, at: number) =>
    store.add({ at, keyId, url: `https://example.com/${at}`, question: "", comment: "" })
  await ask("modest", 1)
  for (let at = 10; at < 2200; at += 1) await ask("greedy", at)
  expect(await store.count()).toBeLessThanOrEqual(1001)
  const all = await store.list({ limit: 3000, offset: 0 })
  expect(all.filter(({ url }) => url === "https://example.com/1")).toHaveLength(1)
  expect(all.some(({ url }) => url === "https://example.com/10")).toBe(false)
  expect(await store.prune(1_000_000, 3000)).toBe(all.length)
  expect(await store.count()).toBe(0)
})
