import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { freePort } from "#base/testing/free-port.ts"

import { startProvider } from "../../api/identity/sign-on/testing/identity-provider.ts"
import { Visitor } from "../../api/identity/sign-on/testing/visitor.ts"
import type { Foreign } from "./hostile-server.ts"
import type { MarkedAppliance } from "./marked-appliance.ts"
import type { Marks } from "./marks.ts"

/**
 * Lets people sign in to an appliance that hasn't started yet: with a provider that accepts its secret, and with one
 * that rejects it and echoes it back.
 */
export async function declareProviders(
  opened: AsyncDisposableStack,
  folder: string,
  { url, env }: MarkedAppliance,
  marks: Marks,
): Promise<void> {
  const secret = marks.of("secret of an identity provider's client")
  const onTokens = (tokens: Readonly<Record<string, unknown>>) => {
    for (const kind of ["access_token", "refresh_token", "id_token"])
      marks.add(`${kind} of a person`, String(tokens[kind]))
  }
  const port = await freePort()
  const company = opened.use(await startProvider({ port, appliance: url, name: "company", secret, onTokens }))
  company.accounts.set("anna", { email: "anna@example.com", email_verified: true })
  const careless = opened.use(await startEchoProvider(marks.of("code that a provider refuses")))
  const file = join(folder, "sign-on.yaml")
  const provider = (name: string, issuer: string) =>
    `  - { name: ${name}, kind: oidc, issuer: "${issuer}", clientId: fossick, clientSecret: "\${SIGN_ON_SECRET}", ` +
    `networks: [localhost], ${name === "company" ? "" : "userPrefix: other-, groupPrefix: other-"} }`
  await writeFile(
    file,
    `providers:
${provider("company", company.issuer)}
${provider("careless", careless.url)}
roles: [{ signedIn: true, role: reader }]
`,
  )
  Object.assign(env, { FOSSICK_SIGN_ON_FILE: file, SIGN_ON_SECRET: secret })
}

/** A person signs in, searches and signs out; then sign-in fails, and a used code is presented again. */
export async function signPeopleIn(appliance: MarkedAppliance, marks: Marks): Promise<void> {
  const { url } = appliance
  const person = new Visitor()
  const shown = await person.signIn(`${url}/sign-on/company`, "anna")
  appliance.keep("the page after signing in", shown.text)
  const callback = person.visited.find((address) => address.startsWith(`${url}/sign-on/company/callback`))!
  marks.add("code of a person", new URL(callback).searchParams.get("code")!)
  for (const [name, value] of person.jar.get(new URL(url).host)!)
    marks.add(`cookie ${name} of a person`, value)
  const headers = { "Content-Type": "application/json", Origin: url }
  const question = { method: "POST", headers, body: JSON.stringify({ query: "how are pumps cleaned?" }) }
  const found = await person.send(`${url}/search`, question)
  appliance.keep("POST /search of a person", await found.text())
  const out = await person.send(`${url}/session`, { method: "DELETE", headers })
  await out.text()
  const outsider = new Visitor()
  const refused = await outsider.open(`${url}/sign-on/careless`)
  appliance.keep("the page after a provider refused the secret", refused.text)
  const stolen = await outsider.open(callback)
  appliance.keep("the page for a code that was used before", stolen.text)
  appliance.saw(
    "a person signs in with a provider, and two sign-ins are refused",
    [found, out].every(({ status }) => status < 300) &&
      [refused, stolen].every(({ status }) => status >= 400),
  )
}

/** A provider that sends everyone back with the same code, and refuses that code with an error that repeats the request. */
async function startEchoProvider(code: string): Promise<Foreign> {
  let url = ""
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = new URL(request.url ?? "/", url)
    const json = (status: number, body: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
    if (at.pathname === "/.well-known/openid-configuration") {
      const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` }
      json(200, { issuer: url, ...endpoints, jwks_uri: `${url}/jwks` })
    } else if (at.pathname === "/authorize") {
      const back = new URL(at.searchParams.get("redirect_uri")!)
      back.search = new URLSearchParams({ code, state: at.searchParams.get("state") ?? "" }).toString()
      response.writeHead(302, { Location: back.href }).end()
    } else if (at.pathname === "/token") {
      const said = JSON.stringify({ headers: request.headers, body: await text(request) })
      json(400, { error: "invalid_grant", error_description: `no entry with ${said}` })
    } else json(200, { keys: [] })
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, "localhost")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  url = `http://localhost:${port}`
  return {
    url,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
