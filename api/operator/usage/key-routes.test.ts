import { afterEach, beforeEach, expect, test } from "vitest"

import { Jobs, Sources } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"

import { openAdmin } from "../admin/open-admin.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { answerOf, expectDocumented } from "../../testing/serve-app.ts"

// Tests keys through the admin API of an app that listens; each key's rights are tested by using the key.

let opened: AsyncDisposableStack
let app: ServedAccounts
let adminKey: string

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  const { dir, db } = await openDataFolder(opened)
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: "docs", seeds: ["https://docs.example.com/"] })
  const engine = new FakeEngine([hit()])
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const admin = () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig })
  app = opened.use(await serveAccounts({ dir, engine, admin, sourceNames: async () => ["docs"] }))
  adminKey = await app.key({ role: "admin", name: "mine" })
})
afterEach(() => opened.disposeAsync())

async function admin(method: string, path: string, body?: object) {
  const response = await fetch(`${app.url}/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await answerOf(response)
  expectDocumented(method, `/admin${path}`, answer)
  return answer
}
const asks = async (key: string) => (await app.call("/search", key, { query: "pump" })).status

test("a key is made, used, disabled, enabled and deleted", async () => {
  const made = await admin("POST", "/keys", {
    name: "chat",
    sources: ["docs"],
    credits: 10,
    rate_limits: "search=5/m",
  })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ role: "search", sources: ["docs"], credit_limit: 10, status: "active" })
  const { key, id } = made.body as { key: string; id: string }
  expect(made.body).toMatchObject({ ends_with: key.slice(-4), last_used_at: null })
  expect(await asks(key)).toBe(200)
  const { body } = await admin("GET", "/keys")
  const [own, other] = body.keys as readonly Record<string, unknown>[]
  expect(body).toMatchObject({ current_key_id: own!["id"], total: 2 })
  expect(other).toMatchObject({ id, name: "chat", rate_limits: "search=5/60s" })
  expect(Date.parse(other!["last_used_at"] as string)).toBeGreaterThan(Date.now() - 60_000)
  expect(JSON.stringify(body)).not.toContain(key)

  expect((await admin("POST", `/keys/${id}/disable`)).body).toMatchObject({ status: "disabled" })
  expect(await asks(key)).toBe(401)
  expect((await admin("POST", `/keys/${id}/enable`)).body).toMatchObject({
    status: "active",
    disabled_at: null,
  })
  expect(await asks(key)).toBe(200)
  expect((await admin("DELETE", `/keys/${id}`)).body).toEqual({ id, deleted: true })
  expect(await asks(key)).toBe(401)
  expect((await admin("DELETE", `/keys/${id}`)).status).toBe(404)
})

test("a rotated key gets the same rights, and the old one works for the requested hours", async () => {
  const made = await admin("POST", "/keys", { name: "chat", sources: ["docs"], endpoints: ["search"] })
  const { key, id } = made.body as { key: string; id: string }
  const { status, body: second } = await admin("POST", `/keys/${id}/rotate`, { overlap_hours: 24 })
  expect([status, second.name, second.sources, second.endpoints]).toEqual([201, "chat", ["docs"], ["search"]])
  expect([await asks(key), await asks(second.key)]).toEqual([200, 200])
  const first = (await admin("GET", "/keys")).body.keys[1] as { expires_at: string }
  expect(Date.parse(first.expires_at)).toBeLessThan(Date.now() + 25 * 3_600_000)
  const { body: third } = await admin("POST", `/keys/${second.id}/rotate`)
  expect([await asks(key), await asks(second.key), await asks(third.key)]).toEqual([200, 401, 200])
  expect((await admin("POST", `/keys/${second.id}/rotate`)).status).toBe(409)
})

test("a key reads as the groups that it was made for, and keeps them when it is rotated", async () => {
  const made = await admin("POST", "/keys", { principals: ["group:HR", "group:hr", "user:anna@example.com"] })
  expect(made.body.principals).toEqual(["group:hr", "user:anna@example.com"])
  const rotated = await admin("POST", `/keys/${made.body.id}/rotate`)
  expect(rotated.body.principals).toEqual(["group:hr", "user:anna@example.com"])
  expect((await app.accounts.keys.verify(rotated.body.key))?.principals).toEqual(made.body.principals)
  const { keys } = (await admin("GET", "/keys")).body
  expect(keys.map(({ role, principals }: Record<string, unknown>) => [role, principals])).toEqual([
    ["admin", null],
    ["search", ["group:hr", "user:anna@example.com"]],
    ["search", ["group:hr", "user:anna@example.com"]],
  ])
})

test("a key that acts for people has a secret, which is shown once and changes on rotation", async () => {
  const plain = await admin("POST", "/keys", { name: "plain" })
  expect(plain.body).toMatchObject({ acts_for_people: null, signing_secret: null })
  const { body: made } = await admin("POST", "/keys", { acts_for_people: "tokens" })
  expect(made).toMatchObject({
    acts_for_people: "tokens",
    signing_secret: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(JSON.stringify((await admin("GET", "/keys")).body)).not.toContain(made.signing_secret)
  const { body: rotated } = await admin("POST", `/keys/${made.id}/rotate`)
  expect(rotated.acts_for_people).toBe("tokens")
  expect(rotated.signing_secret).not.toBe(made.signing_secret)
  expect(await asks(rotated.key)).toBe(403)
})

test("nobody can end the key they signed in with, and an invalid key is not created", async () => {
  const { current_key_id: own } = (await admin("GET", "/keys")).body as { current_key_id: string }
  expect((await admin("POST", `/keys/${own}/disable`)).status).toBe(409)
  expect((await admin("DELETE", `/keys/${own}`)).status).toBe(409)
  const wrong = async (body: object) =>
    (await admin("POST", "/keys", body)).body.detail.problems.map(({ field }: { field: string }) => field)
  expect(await wrong({ sources: ["doks"] })).toEqual(["sources"])
  expect(await wrong({ collections: ["staff"] })).toEqual(["collections"])
  expect(await wrong({ role: "admin", sources: ["docs"] })).toEqual(["sources"])
  expect(await wrong({ role: "admin", acts_for_people: "tokens" })).toEqual(["acts_for_people"])
  expect(await wrong({ may_make_keys: true, acts_for_people: "tokens" })).toEqual(["acts_for_people"])
  expect(await wrong({ principals: ["group:hr"], acts_for_people: "tokens" })).toEqual(["acts_for_people"])
  expect(await wrong({ acts_for_people: "anybody" })).toEqual(["acts_for_people"])
  expect(await wrong({ principals: ["hr"] })).toEqual(["principals"])
  expect(await wrong({ role: "admin", principals: ["group:hr"] })).toEqual(["principals"])
  expect(await wrong({ role: "operator", sources: ["docs"] })).toEqual(["sources"])
  expect(await wrong({ role: "operator", may_make_keys: true })).toEqual(["may_make_keys"])
  expect(await wrong({ role: "operator", acts_for_people: "tokens" })).toEqual(["acts_for_people"])
  expect(await wrong({ role: "write", principals: ["group:hr"] })).toEqual(["principals"])
  expect(await wrong({ expires_at: "tomorrow" })).toEqual(["expires_at"])
  expect(await wrong({ rate_limits: "search=lots" })).toEqual(["rate_limits"])
  expect(await wrong({ endpoints: ["dance"] })).toEqual(["endpoints.0"])
  expect(await wrong({ colour: "red" })).toEqual(["colour"])
  expect((await admin("GET", "/keys")).body.total).toBe(1)
})
