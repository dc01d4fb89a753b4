import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Jobs, Sources } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { engineSettings } from "#engine/settings.ts"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { openAdmin } from "./open-admin.ts"
import { adminDescription } from "./operations/all-operations.ts"

// Makes every call of the admin API with a key of each role.

const opened = new AsyncDisposableStack()
let app: ServedAccounts
beforeAll(async () => {
  const { dir, db } = await openDataFolder(opened)
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: ["https://docs.example.com/"] })
  const engine = new FakeEngine([hit()])
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const admin = () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig })
  app = opened.use(await serveAccounts({ dir, engine, admin, sourceNames: async () => ["docs"] }))
})
afterAll(() => opened.disposeAsync())

const call = async (method: string, path: string, key: string, body?: object) => {
  const response = await fetch(app.url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  await response.body?.cancel()
  return response.status
}

/**
 * The calls for operators, which start crawls and show their progress. None shows a page, its title, or people's
 * questions.
 */
const OF_OPERATORS = [
  "delete /admin/page-requests/{id}",
  "delete /admin/rules/{id}",
  "get /admin/appliance",
  "get /admin/events",
  "get /admin/freshness",
  "get /admin/history",
  "get /admin/index",
  "get /admin/jobs",
  "get /admin/jobs/{id}",
  "get /admin/jobs/{id}/addresses",
  "get /admin/model",
  "get /admin/outcomes",
  "get /admin/page-requests",
  "get /admin/removals",
  "get /admin/rules",
  "get /admin/rules/{id}",
  "get /admin/sources",
  "get /admin/sources/{name}",
  "get /admin/sources/{name}/full-crawl",
  "get /admin/sources/{name}/next-runs",
  "get /admin/vectors",
  "post /admin/jobs/{id}/cancel",
  "post /admin/jobs/{id}/pause",
  "post /admin/jobs/{id}/resume",
  "post /admin/jobs/{id}/skip-host",
  "post /admin/page/recrawl",
  "post /admin/removals/approve",
  "post /admin/removals/reject",
  "post /admin/removals/restore",
  "post /admin/rules",
  "post /admin/sources/run",
  "post /admin/sources/{name}/pause",
  "post /admin/sources/{name}/resume",
  "post /admin/sources/{name}/run",
  "post /admin/vectors/first",
  "put /admin/rules/{id}",
]

test("every call names the role it requires, and these are the calls for operators", () => {
  const all = adminDescription.operations
  expect(new Set(all.map(({ access }) => access))).toEqual(new Set(["admin", "operator"]))
  const named = all
    .filter(({ access }) => access === "operator")
    .map(({ method, path }) => `${method} ${path}`)
  expect(named.sort()).toEqual(OF_OPERATORS)
})

test("a key with the operator role is accepted where the call allows it, and refused everywhere else", async () => {
  const operator = await app.key({ role: "operator" })
  const search = await app.key()
  const wrong: string[] = []
  for (const { method, path, access } of adminDescription.operations) {
    const at = path.replaceAll(/\{\w+\}/g, "none")
    const upper = method.toUpperCase()
    // A body that every call rejects, so that none has any effect.
    const body = upper === "POST" || upper === "PUT" ? { nothing: "takes this" } : undefined
    const status = await call(upper, at, operator, body)
    if ((status === 403) !== (access === "admin")) wrong.push(`${upper} ${path}: ${status}`)
    if ((await call(upper, at, search, body)) !== 403) wrong.push(`${upper} ${path} with a key that searches`)
  }
  expect(wrong).toEqual([])
  expect(await call("HEAD", "/admin/jobs", operator)).toBe(200)
  expect(await call("HEAD", "/admin/settings", operator)).toBe(403)
  expect(await call("GET", "/admin/none", operator)).toBe(404)
})

test("an operator runs a source, which is logged, searches as themselves, and sends no documents", async () => {
  const operator = await app.key({ role: "operator", name: "Otto", principals: ["group:hr"] })
  expect(await app.accounts.keys.verify(operator)).toMatchObject({
    role: "operator",
    principals: ["group:hr"],
    mayMakeKeys: false,
  })
  expect(await call("POST", "/admin/sources/docs/run", operator, {})).toBe(202)
  const [entry] = await app.accounts.audit.list({}, { limit: 1, offset: 0 })
  expect(entry).toMatchObject({ who: { name: "Otto" }, action: "POST /admin/sources/{name}/run" })
  expect(await call("POST", "/search", operator, { query: "pump" })).toBe(200)
  expect(await call("POST", "/search", operator, { query: "pump", explain: true })).toBe(403)
  expect(await app.accounts.keys.verifyWriter(operator)).toBeNull()
  expect(await call("GET", "/metrics", operator)).toBe(403)
})
