import { afterEach, beforeEach, expect, test, vi } from "vitest"

import type { StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"

import { memoryState } from "../../testing/serve-app.ts"
import { OAuthStore } from "./oauth-store.ts"

// The amount of data that programs and their users can store is limited, and old data is deleted in time.

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

const rows = async (table: string) =>
  Number((await statement(db, `select count(*) as n from ${table}`).get())!["n"])

/** Registers this program, and admits it with a key. */
async function letIn(client: string, key = "key") {
  const code = await store.allow({ client, clientName: "A program", key, collections: null }, ADDRESS)
  const { grant } = (await store.code(client, code))!
  return { grant, code, ...(await store.redeem(code, grant))! }
}

test("refreshing stores no growing data, and a recently stolen token is still noticed", async () => {
  const program = await letIn("one")
  const refreshed: string[] = [program.refresh]
  for (let times = 0; times < 400; times++) {
    vi.setSystemTime(Date.now() + 1000)
    refreshed.push((await store.refresh("one", refreshed.at(-1)!))!.refresh)
  }
  // These are one access token, one refresh token, and the recently exchanged refresh tokens.
  expect(await rows("oauth_token")).toBe(102)
  expect(await store.refresh("one", refreshed[0]!)).toBeNull()
  expect((await store.grant(program.grant))?.revokedAt).toBeNull()
  expect(await store.refresh("one", refreshed.at(-50)!)).toBeNull()
  expect((await store.grant(program.grant))?.revokedAt).not.toBeNull()
  expect(await rows("oauth_token")).toBe(0)
})

test("a code presented twice at the same time is exchanged once, and its grant ends", async () => {
  const code = await store.allow(
    { client: "one", clientName: "A program", key: "key", collections: null },
    ADDRESS,
  )
  const both = await Promise.all([store.code("one", code), store.code("one", code)])
  const issued = await Promise.all(both.map((pending) => store.redeem(code, pending!.grant)))
  expect(issued.filter((tokens) => tokens !== null)).toHaveLength(1)
  expect((await store.grant(both[0]!.grant))?.revokedAt).not.toBeNull()
  expect(await store.granted(issued[0]!.access)).toBeNull()
})

test("a key that keeps letting programs in keeps the two hundred used last, and another key's are unaffected", async () => {
  const other = await letIn("other", "another key")
  const first = await letIn("one")
  const second = await letIn("one")
  for (let times = 0; times < 300; times++) {
    vi.setSystemTime(Date.now() + 61_000)
    // The program keeps making calls.
    expect((await store.granted(first.access))?.grant.id ?? first.grant).toBe(first.grant)
    const again = times % 50 === 0 ? await store.refresh("one", first.refresh) : null
    if (again) Object.assign(first, again)
    await letIn("one")
  }
  expect(await rows("oauth_grant")).toBe(201)
  expect(await rows("oauth_code")).toBeLessThanOrEqual(201)
  expect(await store.refresh("one", first.refresh)).not.toBeNull()
  expect(await store.refresh("one", second.refresh)).toBeNull()
  expect(await store.grant(second.grant)).toBeNull()
  expect(await store.refresh("other", other.refresh)).not.toBeNull()
})

test("grants that ended, or that nobody used for a month, are forgotten, and so are their programs", async () => {
  const client = (await store.register({ client_name: "A program" })).id
  const [ended, unused, used] = [await letIn(client), await letIn("unused"), await letIn("used")]
  await store.revoke(ended.grant)
  vi.setSystemTime(Date.now() + 20 * DAY_MS)
  const { refresh } = (await store.refresh("used", used.refresh))!
  await letIn("later")
  // The operator sees ended grants for a month.
  expect(await store.grants(10)).toHaveLength(4)
  vi.setSystemTime(Date.now() + 15 * DAY_MS)
  await letIn("last")
  expect(
    await Promise.all([ended, unused, used].map(async ({ grant }) => (await store.grant(grant)) !== null)),
  ).toEqual([false, false, true])
  expect(await store.refresh("used", refresh)).not.toBeNull()
  expect(await store.client(client)).not.toBeNull()
  await store.register({ client_name: "Another" })
  expect(await store.client(client)).toBeNull()
})

test("mass registration keeps nobody out: only the oldest programs without a grant are deleted", async () => {
  const idOf = async (name: string) => {
    vi.setSystemTime(Date.now() + 1)
    return (await store.register({ client_name: name })).id
  }
  const inUse = await idOf("In use")
  const { grant } = await letIn(inUse)
  const given: string[] = []
  for (let at = 0; at < 1020; at++) given.push(await idOf(`One of many, ${at}`))
  expect(await rows("oauth_client")).toBe(1001)
  const areKept = await Promise.all(given.map(async (id) => (await store.client(id)) !== null))
  expect(areKept.indexOf(true)).toBe(20)
  expect(await store.client(inUse)).not.toBeNull()
  // No user admits the program any longer, and it is the oldest.
  await store.revoke(grant)
  await idOf("The next")
  expect(await store.client(inUse)).toBeNull()
  expect(await store.client(given[20]!)).toBeNull()
  expect(await store.client(given[21]!)).not.toBeNull()
})
