import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, Sources } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"

import { openAdmin } from "../../operator/admin/open-admin.ts"
import { openCollections } from "../accounts/reach/collections.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { answerOf, expectDocumented, TEST_KEY } from "../../testing/serve-app.ts"

const SITE = "https://docs.example.com"
const PATH = "/admin/public-keys"

let app: ServedAccounts
let opened: AsyncDisposableStack

beforeAll(async () => {
  opened = new AsyncDisposableStack()
  const { dir, db, engine } = await openDataFolder(opened)
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: [`${SITE}/`] })
  await openCollections(db).set("open", ["docs"])
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const parts = { db, engine, jobs, crawlerConfig: testConfig({}), engineConfig }
  app = opened.use(await serveAccounts({ dir, engine, admin: () => openAdmin(parts) }))
})
afterAll(() => opened.disposeAsync())

async function call(method: string, path: string, body?: object, key = TEST_KEY) {
  const answer = await answerOf(
    await fetch(app.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  expectDocumented(method, path, answer)
  return answer
}

test("an operator creates a key, changes its limits, switches it off, and deletes it", async () => {
  const made = await call("POST", PATH, { source: "docs", origins: [SITE], answers: true, name: "manual" })
  expect([made.status, made.body]).toMatchObject([
    201,
    { key: expect.stringMatching(/^fsk-pub-/), source: "docs", collection: null, answers: true },
  ])
  const { id, key } = made.body as { id: string; key: string }
  const search = async (origin: string) =>
    (await app.call("/search", key, { query: "pumps" }, { Origin: origin })).status
  expect(await search(SITE)).toBe(200)

  const preview = "http://localhost:3000"
  const changed = await call("PUT", `${PATH}/${id}`, { collection: "open", origins: [preview] })
  expect(changed.body).toMatchObject({ key, source: null, collection: "open", answers: false, name: "" })
  expect([await search(SITE), await search(preview)]).toEqual([403, 200])

  const off = await call("PUT", `${PATH}/${id}`, { source: "docs", origins: [SITE], disabled: true })
  expect(off.body.disabled_at).toEqual(expect.any(String))
  expect(await search(SITE)).toBe(401)
  expect((await call("GET", PATH)).body).toMatchObject({ total: 1, public_keys: [{ id, key }] })
  expect((await call("DELETE", `${PATH}/${id}`)).body).toEqual({ id, deleted: true })
  expect((await call("GET", `${PATH}/${id}`)).status).toBe(404)
})

test.each([
  [{ origins: [SITE] }, "source"],
  [{ source: "docs", collection: "open", origins: [SITE] }, "source"],
  [{ source: "dosc", origins: [SITE] }, "did you mean"],
  [{ collection: "opne", origins: [SITE] }, "did you mean"],
  [{ source: "docs", origins: [] }, "origins"],
  [{ source: "docs", origins: ["*"] }, "origins"],
  [{ source: "docs", origins: ["https://*.example.com"] }, "origins"],
  [{ source: "docs", origins: [`${SITE}/`] }, "origins"],
  [{ source: "docs", origins: ["docs.example.com"] }, "origins"],
  [{ source: "docs", origins: [SITE], rate_limits: "often" }, "rate_limits"],
  [{ source: "docs", origins: [SITE], credits: -1 }, "credits"],
  [{ source: "docs", origins: [SITE], role: "admin" }, "role"],
])("rejects %j, naming what is wrong", async (body, named) => {
  const refused = await call("POST", PATH, body)
  expect(refused.status).toBe(422)
  expect(refused.body.detail.error).toContain(named)
})

test("a key without the admin role can create none", async () => {
  expect((await call("POST", PATH, { source: "docs", origins: [SITE] }, await app.key())).status).toBe(403)
})
