import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { serveAccounts, type ServedAccounts } from "../../../testing/serve-accounts.ts"
import { PersonStore } from "../../people/person-store.ts"
import { parseSignOn } from "../file/sign-on-file.ts"

const FILE = `providers:
  - name: proxy
    kind: headers
    addresses: [127.0.0.2]
roles:
  - groups: [search-admins]
    role: admin
  - groups: [staff]
    role: reader
`
const PROXY = "127.0.0.2"
const ANNA = { "Remote-User": "anna", "Remote-Groups": "staff,hr", "Remote-Name": "Anna Berg" }

describe("behind a proxy that signs people in", { tags: ["linux"] }, () => {
  let app: ServedAccounts
  beforeAll(async () => {
    const signOnSpec = parseSignOn(FILE, "sign-on.yaml", {})
    app = await serveAccounts({ config: { publicUrl: "http://search.example" }, signOnSpec })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  /** Makes a call from a loopback address, as a proxy or any other program there would. */
  async function ask(
    localAddress: string,
    headers: Readonly<Record<string, string | string[]>>,
    { path = "/session", method = "GET", body }: { path?: string; method?: string; body?: object } = {},
  ) {
    const { hostname, port } = new URL(app.url)
    const type = body === undefined ? {} : { "Content-Type": "application/json" }
    const sent = request({ hostname, port, path, method, localAddress, headers: { ...headers, ...type } })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, "response")) as [IncomingMessage]
    return {
      status: response.statusCode,
      headers: response.headers,
      body: (await json(response)) as Readonly<Record<string, unknown>>,
    }
  }
  const here = { "Sec-Fetch-Site": "same-origin" }
  const search = (localAddress: string, headers: Readonly<Record<string, string | string[]>>) =>
    ask(localAddress, headers, { path: "/search", method: "POST", body: { query: "pumps" } })

  test("each call runs as the person the proxy names, without a session", async () => {
    const { body, headers } = await ask(PROXY, ANNA)
    expect(body).toMatchObject({ signed_in: true, user: "anna", role: "search", expires_at: null })
    expect(headers["set-cookie"]).toBeUndefined()
    expect((await search(PROXY, { ...ANNA, ...here })).status).toBe(200)
    expect((await search(PROXY, here)).status).toBe(401)
    const people = await new PersonStore(app.db).list({ limit: 10, offset: 0 })
    expect(people).toMatchObject([
      { provider: "proxy", subject: "anna", user: "anna", name: "Anna Berg", groups: ["staff", "hr"] },
    ])
  })

  test("ignores the same headers from another address, and answers the call without a person", async () => {
    const forged = { ...ANNA, "Remote-Groups": "search-admins", "X-Forwarded-For": PROXY, ...here }
    expect((await ask("127.0.0.1", forged)).body).toMatchObject({ signed_in: false, user: null })
    expect((await search("127.0.0.1", forged)).status).toBe(401)
  })

  test("groups apply as sent with each call", async () => {
    const role = async (groups: string) =>
      (await ask(PROXY, { ...ANNA, "Remote-Groups": groups })).body["role"]
    expect(await role("staff,search-admins")).toBe("admin")
    expect(await role("staff")).toBe("search")
    expect(await role("visitors")).toBeNull()
    expect(await role("staff")).toBe("search")
  })

  test("rejects a header that came twice", async () => {
    const { status, body } = await ask(PROXY, { ...ANNA, "remote-groups": ["search-admins", "staff"] })
    expect({ status, detail: body["detail"] }).toEqual({
      status: 400,
      detail: { error: expect.stringContaining("can't be used") },
    })
  })

  test("another site can't make calls as someone whose browser the proxy knows", async () => {
    expect((await search(PROXY, { ...ANNA, "Sec-Fetch-Site": "cross-site" })).status).toBe(401)
  })

  test("a key sent by a program takes precedence over the proxy", async () => {
    const withKey = async (key: string) =>
      (await search(PROXY, { ...ANNA, ...here, Authorization: `Bearer ${key}` })).status
    expect([await withKey("wrong"), await withKey(await app.key())]).toEqual([401, 200])
  })

  test("a disabled person is unknown, and there is no sign-in page", async () => {
    const people = new PersonStore(app.db)
    const { body } = await ask(PROXY, ANNA)
    expect(body["ways"]).toEqual([{ kind: "key" }])
    const [anna] = await people.list({ limit: 1, offset: 0 })
    await people.disable(anna!.id)
    expect((await ask(PROXY, ANNA)).body).toMatchObject({ signed_in: false })
    await people.enable(anna!.id)
    expect((await fetch(`${app.url}/sign-on/proxy`, { headers: ANNA })).status).toBe(403)
  })

  test("someone who signs out here is still signed in at the proxy", async () => {
    const { body } = await ask(PROXY, { ...ANNA, ...here }, { method: "DELETE" })
    expect(body).toMatchObject({ signed_in: true, user: "anna" })
  })
})
