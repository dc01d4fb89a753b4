import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { type AuditEntry, AuditLog } from "#base/audit/audit-log.ts"
import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, openStateStore, type StateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"

import { openAdmin } from "../admin/open-admin.ts"
import { apiKey } from "../../identity/accounts/keys/keys.ts"
import type { Context } from "../../context.ts"
import { operations } from "../../server/openapi/testing/documented.ts"
import type { Example, Operation } from "../../server/operation/operation.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { memoryState, TEST_KEY } from "../../testing/serve-app.ts"
import { watchesOf } from "../../services/watches/testing/watches-of.ts"
import { auditing } from "./auditing.ts"
import { changesNothing } from "./asking-calls.ts"

// Tests the audit log over HTTP, with each call in the OpenAPI document that can change something and that call's own
// examples.

const folder = mkdtempSync(join(tmpdir(), "fossick-audit-"))
const ALL = { limit: 1000, offset: 0 }
let db: StateStore
let app: ServedAccounts

beforeAll(async () => {
  db = await openStateStore(folder)
  const jobs = new Jobs(db)
  const engine = new FakeEngine([hit()])
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
  const crawlerConfig = testConfig({ FOSSICK_ALLOWED_NETWORKS: "" })
  app = await serveAccounts({
    dir: folder,
    engine,
    admin: () => openAdmin({ db, engine, jobs, crawlerConfig, engineConfig, audit: app.accounts.audit }),
    watches: await watchesOf({ db, engine, crawlerConfig }),
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  db.close()
  rmSync(folder, { recursive: true })
})

const latest = async (): Promise<AuditEntry> =>
  (await app.accounts.audit.list({}, { limit: 1, offset: 0 }))[0]!
const filled = (path: string, example?: Example) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(example?.path?.[name] ?? "some"))

async function make(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(app.url + path, {
    method: method.toUpperCase(),
    headers: {
      Authorization: `Bearer ${TEST_KEY}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
  const answer: any = await response.json()
  return { status: response.status, body: answer }
}

const changing = operations.filter(
  ({ method, path }) => method !== "get" && !changesNothing(method.toUpperCase(), filled(path)),
)

describe("every call of the OpenAPI document that may change something", () => {
  const examples = changing.flatMap((operation) =>
    (operation.examples ?? []).map((example) => ({
      name: `${operation.id}: ${example.summary}`,
      operation,
      example,
    })),
  )

  test.each(examples)("leaves an entry when it makes a change: $name", async ({ operation, example }) => {
    const before = await app.accounts.audit.count({})
    const query = new URLSearchParams(example.query).toString()
    const path = filled(operation.path, example) + (query === "" ? "" : `?${query}`)
    // The sign-in page makes this call.
    const isSession = operation.path === "/session"
    const { status } = await make(
      operation.method,
      path,
      isSession && operation.method === "post" ? { key: TEST_KEY } : example.body,
      isSession ? { Origin: app.url } : {},
    )
    const isMade = status < 400 && !(isSession && operation.method === "delete")
    const entries = await app.accounts.audit.list(
      {},
      { limit: (await app.accounts.audit.count({})) - before, offset: 0 },
    )
    const action = `${operation.method.toUpperCase()} ${operation.path}`
    const entry = { who: { id: "tester" }, action, status, address: "127.0.0.1" }
    expect(entries).toMatchObject(isMade ? [entry] : [])
  })

  // Includes calls whose examples are refused.
  test.each(changing.map((operation) => ({ name: operation.id, operation })))(
    "leaves an entry for every response except a refusal: $name",
    async ({ operation: { method, path } }: { readonly operation: Operation }) => {
      using own = memoryState()
      const audit = new AuditLog(own, 1)
      const note = auditing({
        audit,
        keys: { nameOf: async () => "" },
        writes: { run: async (work) => work() },
        onProblem: (error) => expect.fail(String(error)),
      })
      const answered = async (status: number, role: "admin" | "search") => {
        const ctx = {
          method: method.toUpperCase(),
          path: filled(path),
          ip: "::1",
          status,
          state: { key: apiKey({ id: "one", role }), body: {} },
        }
        await note(ctx as unknown as Context, async () => {})
        return await audit.count({})
      }
      expect(await answered(409, "admin")).toBe(0)
      expect(await answered(200, "search")).toBe(0)
      expect(await answered(200, "admin")).toBe(1)
      expect(await answered(500, "admin")).toBe(2)
    },
  )

  test("covers all calls other than GET, except named ones that only ask or look", () => {
    const rest = operations.filter((one) => one.method !== "get" && !changing.includes(one))
    expect(rest.map(({ path }) => path).toSorted()).toEqual([
      "/admin/judged-questions/preview",
      "/admin/networks/look",
      "/admin/readers/preview",
      "/admin/rules/preview",
      "/admin/sources/preview",
      "/admin/sources/propose",
      "/admin/sources/trial",
      "/admin/try",
      "/crawl",
      "/extract",
      "/logs",
      "/map",
      "/research",
      "/search",
    ])
    expect(changing.length).toBeGreaterThan(40)
  })
})

describe("an audit entry", () => {
  test("records each changed field, and hides secrets", async () => {
    const seeds = ["https://audited.example/"]
    await make("put", "/admin/sources/audited", { seeds, limits: { pages: 10 } })
    expect(await latest()).toMatchObject({ object: "sources/audited", status: 201 })
    expect((await latest()).changes).toContainEqual({ field: "limits.pages", before: null, after: "10" })
    await make("put", "/admin/sources/audited", {
      seeds,
      limits: { pages: 20 },
      webhooks: [{ url: "https://hooks.example/in?token=url-secret-mark" }],
    })
    expect((await latest()).changes).toContainEqual({ field: "limits.pages", before: "10", after: "20" })
    await make("delete", "/admin/sources/audited")
    expect((await latest()).changes).toContainEqual({ field: "limits.pages", before: "20", after: null })
    await make("put", "/admin/appliance", { name: "Pump works" })
    await make("put", "/admin/appliance", { name: "Pump and valve works" })
    expect(await latest()).toMatchObject({
      object: "appliance",
      changes: [{ field: "name", before: '"Pump works"', after: '"Pump and valve works"' }],
    })
    const { body: key } = await make("post", "/admin/keys", { name: "chat", credits: 5 })
    expect(await latest()).toMatchObject({ action: "POST /admin/keys", object: `keys/${key.id}` })
    expect((await latest()).changes).toContainEqual({ field: "name", before: null, after: '"chat"' })
    await make("post", `/admin/keys/${key.id}/disable`)
    expect(await latest()).toMatchObject({
      action: "POST /admin/keys/{id}/disable",
      object: `keys/${key.id}`,
    })
    expect((await latest()).changes.map(({ field, before }) => [field, before])).toContainEqual([
      "disabled_at",
      "null",
    ])
    const all = JSON.stringify(await app.accounts.audit.list({}, ALL))
    for (const secret of [TEST_KEY, key.key, "url-secret-mark"]) expect(all).not.toContain(secret)
  })

  test("names every key that a call creates or ends, whoever makes the call", async () => {
    const maker = await app.key({ role: "search", mayMakeKeys: true, name: "team lead" })
    const as = { Authorization: `Bearer ${maker}` }
    const idOf = async (text: string) => (await app.accounts.keys.lookUp(text))!.id
    const wanted = { key_limit: 1, ttl_hours: 1, permission_level: "user", name: "guest" }
    const { body: one } = await make("post", "/generate-keys", wanted, as)
    expect(await latest()).toMatchObject({
      action: "POST /generate-keys",
      who: { id: await idOf(maker), name: "team lead" },
      object: `keys/${await idOf(one.keys[0])}`,
    })
    const { body: many } = await make("post", "/generate-keys", { ...wanted, count: 200 }, as)
    const ids = await Promise.all((many.keys as string[]).map(idOf))
    const changes = ids.map((id, at) => ({ field: `keys/${id}`, after: `"guest-#${at + 1}"` }))
    expect((await latest()).object).toBe("keys")
    expect((await latest()).changes.slice(0, 200)).toMatchObject(changes)
    await make("post", "/deactivate-keys", { request_id: many.request_id }, as)
    expect(await latest()).toMatchObject({ action: "POST /deactivate-keys", who: { name: "team lead" } })
    const ended = new Map((await latest()).changes.map(({ field, before }) => [field, before]))
    for (const [at, id] of ids.entries()) expect(ended.get(`keys/${id}`)).toBe(`"guest-#${at + 1}"`)
    const found = await make("get", `/admin/audit?object=keys/${ids[150]}`)
    expect(found.body.total).toBe(2)
    const { body: next } = await make("post", `/admin/keys/${await idOf(maker)}/rotate`, {})
    expect(await latest()).toMatchObject({ who: { id: "tester" }, object: `keys/${await idOf(maker)}` })
    expect((await latest()).changes).toContainEqual({
      field: `keys/${next.id}`,
      before: null,
      after: '"team lead"',
    })
    expect((await latest()).changes.map(({ field }) => field)).toContain("disabled_at")
    await make("post", "/deactivate-keys", {}, { Authorization: `Bearer ${next.key}` })
    expect(await latest()).toMatchObject({ who: { name: "team lead" }, object: `keys/${next.id}` })
    const all = JSON.stringify(await app.accounts.audit.list({}, ALL))
    for (const secret of [maker, next.key, ...one.keys, ...many.keys]) expect(all).not.toContain(secret)
    // Calls made with a search key are logged only if they change keys.
    const before = await app.accounts.audit.count({})
    await make("post", "/deactivate-keys", { request_id: "none" }, as)
    expect(await app.accounts.audit.count({})).toBe(before)
  })

  test("names the key under its name at the time, and the person who signed in with it", async () => {
    const admin = await app.key({ role: "admin", name: "night shift" })
    const signedIn = await fetch(`${app.url}/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: app.url },
      body: JSON.stringify({ key: admin }),
    })
    expect(await latest()).toMatchObject({ action: "POST /session", who: { name: "night shift" } })
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!
    await fetch(`${app.url}/admin/appliance`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Origin: app.url, Cookie: cookie },
      body: JSON.stringify({ name: "Night works" }),
    })
    expect(await latest()).toMatchObject({
      who: { kind: "session", name: "night shift" },
      object: "appliance",
    })
    await fetch(`${app.url}/session`, { method: "DELETE", headers: { Origin: app.url, Cookie: cookie } })
    expect(await latest()).toMatchObject({ action: "DELETE /session", who: { name: "night shift" } })
    expect(JSON.stringify(await latest())).not.toContain(cookie.split("=")[1])
  })

  test("can be found by who, what, when and how, page by page and as a file", async () => {
    const { body } = await make("get", "/admin/audit?object=appliance&limit=1")
    expect(body).toMatchObject({
      limit: 1,
      offset: 0,
      days: 400,
      entries: [{ object: "appliance", who: { name: "night shift" } }],
    })
    expect(body.total).toBeGreaterThan(2)
    const total = async (query: string) => (await make("get", `/admin/audit?${query}`)).body.total as number
    expect(await total("who=night%20shift")).toBe(3)
    expect(await total("action=delete%20/session")).toBe(1)
    expect(await total(`before=2020-01-01T00:00:00Z`)).toBe(0)
    expect(await total(`from=2020-01-01T00:00:00Z`)).toBe(await app.accounts.audit.count({}))
    expect((await make("get", "/admin/audit?from=yesterday")).status).toBe(400)
    const file = await fetch(`${app.url}/admin/audit.jsonl`, {
      headers: { Authorization: `Bearer ${TEST_KEY}` },
    })
    const ids = (await file.text())
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as AuditEntry).id)
    expect(ids).toEqual((await app.accounts.audit.list({}, ALL)).map(({ id }) => id).toReversed())
  })
})

test("a failed audit entry is reported", async () => {
  using own = memoryState()
  const audit = new AuditLog(own, 1)
  const told: string[] = []
  await own.script("drop table audit_entry")
  const note = auditing({
    audit,
    keys: { nameOf: async () => "" },
    writes: { run: async (work) => work() },
    onProblem: (_, action) => told.push(action),
  })
  const state = { key: apiKey({ id: "one", role: "admin" }) }
  await note(
    { method: "PUT", path: "/admin/appliance", ip: "", status: 200, state } as unknown as Context,
    async () => {},
  )
  expect(told).toEqual(["PUT /admin/appliance"])
})
