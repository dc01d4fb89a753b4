import { auth } from "@modelcontextprotocol/sdk/client/auth.js"
import { afterAll, beforeAll, expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"
import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { keepSourceReaders } from "#crawler/sources/readers/source-readers.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { readersOf } from "#engine/index/page/readers.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { NO_OUTAGE } from "../../server/outage/state-outage.ts"
import { apiSettings } from "../../settings.ts"
import { memoryState, serveApp } from "../../testing/serve-app.ts"
import { type Accounts, openAccounts } from "../accounts/accounts.ts"
import { type KnownPeople, knownPeople } from "../people/testing/known-people.ts"
import { newToken, SessionStore } from "../sessions/session-store.ts"
import { openSessions } from "../sessions/sessions.ts"
import { type OAuth, openOAuth } from "./oauth-endpoints.ts"
import { Program, searchWith } from "./testing/program.ts"

// People admit programs under the identity they signed in with; the program is the official client of the MCP SDK.

const opened = new AsyncDisposableStack()
let db: StateStore
let url: string
let oauth: OAuth
let accounts: Accounts
let known: KnownPeople

beforeAll(async () => {
  const folder = opened.use(temporaryFolder())
  const embedder = new HashingEmbedder()
  const engine = opened.use(
    await EmbeddedEngine.open({ dir: `${folder.path}/index`, mode: "write", embedder }),
  )
  const page = (name: string, source: string) =>
    aPage(`https://${source}.example.com/${name}`, {
      title: name,
      markdown: `${name} are pruned in winter. `.repeat(9),
      source,
    })
  await engine.index([page("Roses", "garden"), page("Salaries", "staff")])
  await engine.settled()
  db = memoryState()
  opened.defer(() => db.close())
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const config = { ...readSettings(apiSettings, {}), publicUrl: url }
  known = knownPeople(db)
  const bridge = { outage: NO_OUTAGE, journals: null, people: known.keys }
  accounts = opened.use(await openAccounts(db, config, () => {}, undefined, bridge))
  await keepSourceReaders(db, "staff", readersOf({ allow: ["group:hr"] }))
  const { keys, collections } = accounts
  const documents = { client: async () => null }
  oauth = openOAuth({ db, keys, collections, documents, publicUrl: url })
  const own = openSessions(db, accounts, config)
  const ways = [...own.ways, { kind: "link", name: "Company & Co", url: "sign-on/company" }] as const
  const sessions = { ...own, ways }
  const sourceNames = async () => ["garden", "staff"]
  opened.use(await serveApp({ engine, embedder, accounts, oauth, sessions, config, port, sourceNames }))
})
afterAll(() => opened.disposeAsync())

/** The cookies a browser keeps and sends. */
class Browser {
  readonly #cookies = new Map<string, string>()

  /** Starts a person's session, as signing in does. */
  async signIn(id: string): Promise<void> {
    const token = newToken()
    await new SessionStore(db).add(token, id, Date.now(), 3_600_000)
    this.#cookies.set("fossick-session", token)
  }

  /**
   * Opens a page.
   * @param isCrossSite whether another site links to it, so that the browser sends no strict cookie
   */
  async get(to: URL | string, isCrossSite = false): Promise<string> {
    const headers = isCrossSite ? { "Sec-Fetch-Site": "cross-site" } : { Cookie: this.#sent() }
    const response = await fetch(to, { headers })
    this.#keep(response)
    return await response.text()
  }

  async answer(html: string, given: Readonly<Record<string, string>> = {}): Promise<Response> {
    const ticket = /name="ticket" value="([^"]+)"/.exec(html)![1]!
    const action = /<form method="post" action="([^"]+)"/.exec(html)![1]!
    const response = await fetch(new URL(action, url), {
      method: "POST",
      redirect: "manual",
      headers: { Origin: url, Cookie: this.#sent() },
      body: new URLSearchParams({ ticket, answer: "allow", key: "", ...given }),
    })
    this.#keep(response)
    return response
  }

  #sent = () => [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  #keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.#cookies.set(name, value)
    }
  }
}

/** The address to which a program sends its user. */
async function begun(program: Program): Promise<URL> {
  expect(await auth(program, { serverUrl: `${url}/mcp` })).toBe("REDIRECT")
  return program.sentTo!
}

async function finished(program: Program, answer: Response): Promise<void> {
  expect(answer.status).toBe(303)
  const authorizationCode = new URL(answer.headers.get("location")!).searchParams.get("code")!
  expect(await auth(program, { serverUrl: `${url}/mcp`, authorizationCode })).toBe("AUTHORIZED")
}

test("anyone signed in can let a program in without a key, and it has their rights at the time of each call", async () => {
  const anna = await known.vouch("anna@example.com", ["hr"])
  const [program, browser] = [new Program(), new Browser()]
  await browser.signIn(anna.id)
  const page = await browser.get(await begun(program))
  expect(page).toContain("you may read as <b>anna@example.com</b>")
  expect(page).not.toContain("<script")
  await finished(program, await browser.answer(page))
  expect(await searchWith(program, url)).toContain("Salaries")
  expect(await oauth.store.grants(1)).toMatchObject([{ key: anna.id }])

  await known.vouch("anna@example.com", [])
  const later = await searchWith(program, url)
  expect([later.includes("Roses"), later.includes("Salaries")]).toEqual([true, false])
  await known.people.disable(anna.id)
  expect(await oauth.verify(program.kept!.access_token)).toBeNull()
  await known.people.enable(anna.id)
  expect((await oauth.verify(program.kept!.access_token))!.key.id).toBe(anna.id)
})

test("an administrator can let a program read every page, but administer nothing", async () => {
  const ada = await known.vouch("ada@example.com", ["admins"])
  const [program, browser] = [new Program(), new Browser()]
  await browser.signIn(ada.id)
  await finished(program, await browser.answer(await browser.get(await begun(program))))
  expect(await searchWith(program, url)).toContain("Salaries")
  expect((await oauth.verify(program.kept!.access_token))!.key).toMatchObject({
    role: "search",
    mayMakeKeys: false,
  })
})

test("a browser coming from another site is redirected to the page once more to get its session", async () => {
  const anna = await known.vouch("anna@example.com", [])
  const [program, browser] = [new Program(), new Browser()]
  await browser.signIn(anna.id)
  const first = await browser.get(await begun(program), true)
  expect(first).not.toContain("<form")
  const [, next = ""] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(first)!
  const page = await browser.get(url + next)
  expect(page).toContain("anna@example.com")
  await finished(program, await browser.answer(page))
})

test("who isn't signed in may sign in with a provider, which leads back to the same page", async () => {
  const [program, browser] = [new Program(), new Browser()]
  const page = await browser.get(await begun(program))
  expect(page).toContain("Your API key")
  const [, link = ""] = /<a href="([^"]+)">Sign in with Company &amp; Co</.exec(page)!
  const signOn = new URL(link)
  expect(signOn.href).toContain(`${url}/sign-on/company?return=`)
  const back = signOn.searchParams.get("return")!
  expect(back).toMatch(/^\/authorize\/consent\?page=[\w-]{22}$/)
  await browser.signIn((await known.vouch("anna@example.com", [])).id)
  const again = await browser.get(url + back)
  expect(again).toContain("anna@example.com")
  expect(await browser.get(url + back)).toContain("anna@example.com")
  expect(await browser.get(`${url}${back.slice(0, -1)}`)).toContain("no longer valid")
  expect(await new Browser().get(url + back)).toContain("no longer valid")
  await finished(program, await browser.answer(again))
})

test("nobody can approve a page shown to someone else, or without their session", async () => {
  const browser = new Browser()
  await browser.signIn((await known.vouch("anna@example.com", [])).id)
  const page = await browser.get(await begun(new Program()))
  await browser.signIn((await known.vouch("bert@example.com", [])).id)
  const answer = await browser.answer(page)
  const html = await answer.text()
  expect([answer.status, html.includes("bert@example.com")]).toEqual([403, true])
  expect(html).toContain("no longer signed in as the person this page named")
  expect((await new Browser().answer(html)).status).toBe(400)
  expect((await browser.answer(html)).status).toBe(303)
})

test("a typed key takes precedence over the session", async () => {
  const [program, browser] = [new Program(), new Browser()]
  await browser.signIn((await known.vouch("anna@example.com", [])).id)
  const page = await browser.get(await begun(program))
  expect((await browser.answer(page, { key: "no-such-key" })).status).toBe(403)
  const key = await accounts.keys.create({ role: "search", principals: ["group:hr"] })
  const answer = await browser.answer(await browser.get(program.sentTo!), { key })
  await finished(program, answer)
  expect(await searchWith(program, url)).toContain("Salaries")
})
