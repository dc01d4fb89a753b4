import { auth } from "@modelcontextprotocol/sdk/client/auth.js"
import { expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import { freePort } from "#base/testing/free-port.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { NO_OUTAGE } from "../../../server/outage/state-outage.ts"
import { apiSettings } from "../../../settings.ts"
import { serveAccounts } from "../../../testing/serve-accounts.ts"
import { openAccounts } from "../../accounts/accounts.ts"
import { openOAuth } from "../../oauth/oauth-endpoints.ts"
import { Program } from "../../oauth/testing/program.ts"
import { PersonStore } from "../../people/person-store.ts"
import { personKeysOf } from "../file/declared.ts"
import { parseSignOn } from "../file/sign-on-file.ts"
import { Visitor } from "../testing/visitor.ts"

const FILE = `providers: [{ name: proxy, kind: headers, addresses: [127.0.0.1] }]
roles: [{ signedIn: true, role: reader }]`

test("someone a proxy vouches for can let a program in as themselves", async () => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = { ...readSettings(apiSettings, {}), publicUrl: url }
  const signOnSpec = parseSignOn(FILE, "sign-on.yaml", {})!
  const db = await openStateStore(folder.path)
  opened.defer(() => db.close())
  const people = new PersonStore(db)
  const bridge = { outage: NO_OUTAGE, journals: null, people: personKeysOf(signOnSpec, people) }
  const { keys, collections } = opened.use(await openAccounts(db, config, () => {}, undefined, bridge))
  const documents = { client: async () => null }
  const oauth = openOAuth({ db, keys, collections, documents, publicUrl: url })
  opened.use(await serveAccounts({ dir: folder.path, port, config, signOnSpec, oauth }))

  const program = new Program()
  expect(await auth(program, { serverUrl: `${url}/mcp` })).toBe("REDIRECT")
  const browser = new Visitor()
  const headers = { "Remote-User": "anna" }
  const page = await browser.open(program.sentTo!.href, { headers })
  expect(page.text).toContain("you may read as <b>anna</b>")
  const [, ticket = ""] = /name="ticket" value="([^"]+)"/.exec(page.text)!
  const body = new URLSearchParams({ ticket, answer: "allow", key: "" })
  const consent = `${url}/authorize/consent`
  const eve = await browser.send(consent, {
    method: "POST",
    body,
    headers: { "Remote-User": "eve", Origin: url },
  })
  expect(eve.status).toBe(403)
  const again = await browser.open(program.sentTo!.href, { headers })
  const form = new URLSearchParams({
    ticket: /name="ticket" value="([^"]+)"/.exec(again.text)![1]!,
    answer: "allow",
    key: "",
  })
  const answer = await browser.send(consent, {
    method: "POST",
    body: form,
    headers: { ...headers, Origin: url },
  })
  expect(answer.status).toBe(303)
  const authorizationCode = new URL(answer.headers.get("location")!).searchParams.get("code")!
  expect(await auth(program, { serverUrl: `${url}/mcp`, authorizationCode })).toBe("AUTHORIZED")
  const anna = await people.of("proxy", "anna")
  expect((await oauth.verify(program.kept!.access_token))!.key).toMatchObject({ id: anna!.id })
})
