import { afterEach, beforeEach, expect, test, vi } from "vitest"

import type { StateStore } from "#base/store/state-store.ts"

import { memoryState } from "../../testing/serve-app.ts"
import { OAuthStore } from "./oauth-store.ts"

// What programs and those who let them in can have kept: bounded, and forgotten in time.

const DAY_MS = 86_400_000
const ADDRESS = { redirectUri: "http://127.0.0.1:1/callback", challenge: "c" }

let db: StateStore
let store: OAuthStore

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] })
  db = memoryState()
  store = new OAuthStore(db)
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
})

const rows = (table: string) => Number(db.prepare(`select count(*) as n from ${table}`).get()!["n"])

/** A program of this client is let in with a key. */
function letIn(client: string, key = "key") {
  const code = store.allow({ client, clientName: "A program", key, collections: null }, ADDRESS)
  const { grant } = store.code(client, code)!
  return { grant, code, ...store.redeem(code, grant)! }
}

test("a program that does nothing but refresh fills nothing, and a token that was stolen lately is still noticed", () => {
  const program = letIn("one")
  const refreshed: string[] = [program.refresh]
  for (let times = 0; times < 400; times++) {
    vi.setSystemTime(Date.now() + 1000)
    refreshed.push(store.refresh("one", refreshed.at(-1)!)!.refresh)
  }
  // One to call with, one to refresh with, and those that were exchanged last.
  expect(rows("oauth_token")).toBe(102)
  expect(store.refresh("one", refreshed[0]!)).toBeNull()
  expect(store.grant(program.grant)?.revokedAt).toBeNull()
  expect(store.refresh("one", refreshed.at(-50)!)).toBeNull()
  expect(store.grant(program.grant)?.revokedAt).not.toBeNull()
  expect(rows("oauth_token")).toBe(0)
})

test("a key that lets program after program in keeps the two hundred that were used last, and another key's stay", () => {
  const other = letIn("other", "another key")
  const first = letIn("one")
  const second = letIn("one")
  for (let times = 0; times < 300; times++) {
    vi.setSystemTime(Date.now() + 61_000)
    // It calls all the while.
    expect(store.granted(first.access)?.grant.id ?? first.grant).toBe(first.grant)
    const again = times % 50 === 0 ? store.refresh("one", first.refresh) : null
    if (again) Object.assign(first, again)
    letIn("one")
  }
  expect(rows("oauth_grant")).toBe(201)
  expect(rows("oauth_code")).toBeLessThanOrEqual(201)
  expect(store.refresh("one", first.refresh)).not.toBeNull()
  expect(store.refresh("one", second.refresh)).toBeNull()
  expect(store.grant(second.grant)).toBeNull()
  expect(store.refresh("other", other.refresh)).not.toBeNull()
})

test("grants that ended, or that nobody used for a month, are forgotten, and so are their programs", () => {
  const client = store.register({ client_name: "A program" }).id
  const [ended, unused, used] = [letIn(client), letIn("unused"), letIn("used")]
  store.revoke(ended.grant)
  vi.setSystemTime(Date.now() + 20 * DAY_MS)
  const { refresh } = store.refresh("used", used.refresh)!
  letIn("later")
  // For a month the operator sees what ended.
  expect(store.grants(10)).toHaveLength(4)
  vi.setSystemTime(Date.now() + 15 * DAY_MS)
  letIn("last")
  expect([ended, unused, used].map(({ grant }) => store.grant(grant) !== null)).toEqual([false, false, true])
  expect(store.refresh("used", refresh)).not.toBeNull()
  expect(store.client(client)).not.toBeNull()
  store.register({ client_name: "Another" })
  expect(store.client(client)).toBeNull()
})

test("whoever registers thousands keeps nobody out: the oldest that nobody let in go, and no other", () => {
  const idOf = (name: string) => {
    vi.setSystemTime(Date.now() + 1)
    return store.register({ client_name: name }).id
  }
  const inUse = idOf("In use")
  const { grant } = letIn(inUse)
  const given = Array.from({ length: 1020 }, (_, at) => idOf(`One of many, ${at}`))
  expect(rows("oauth_client")).toBe(1001)
  expect(given.findIndex((id) => store.client(id) !== null)).toBe(20)
  expect(store.client(inUse)).not.toBeNull()
  // Nobody lets it in any longer, and it is the oldest.
  store.revoke(grant)
  idOf("The next")
  expect(store.client(inUse)).toBeNull()
  expect(store.client(given[20]!)).toBeNull()
  expect(store.client(given[21]!)).not.toBeNull()
})
