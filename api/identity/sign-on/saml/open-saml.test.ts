import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pino } from "pino"
import { expect, test, vi } from "vitest"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import type { Arriving, Provider, ProviderParts } from "../provider.ts"
import { parseSignOn } from "../file/sign-on-file.ts"
import { saml } from "./kind.ts"
import type { SamlSpec } from "./spec.ts"
import { type AnswerOptions, requestIn, SigningProvider } from "./testing/signing-provider.ts"

const CALLBACK = "https://search.example.com/sign-on/company/callback"
const GOOD = { recipient: CALLBACK, audience: CALLBACK.replace("callback", "metadata") } as const

const declared = (fields: object) => {
  const providers = [{ name: "company", kind: "saml", ...fields }]
  const spec = parseSignOn(
    JSON.stringify({ providers, roles: [{ signedIn: true, role: "reader" }] }),
    "test",
    {},
  )
  return spec!.providers[0]!
}

/** A provider with metadata in a file, and a browser that uses it. */
async function played(fields: object = {}) {
  const folder = temporaryFolder()
  const company = new SigningProvider()
  const file = join(folder.path, "metadata.xml")
  writeFileSync(file, company.metadata)
  const provider = await opened({ metadata: file, ...fields })
  const begin = async () => {
    const departure = await provider.begin(arriving())
    if (!("url" in departure)) throw new Error("It vouched at once.")
    return { requestId: requestIn(departure.url).id, remember: departure.remember }
  }
  const finish = async (options: Partial<AnswerOptions>, remembered: string, by = company) =>
    await provider.finish(arriving(by.answer({ ...GOOD, ...options })), remembered)
  return {
    company,
    provider,
    begin,
    finish,
    replaceMetadata: (xml: string) => writeFileSync(file, xml),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function opened(fields: object): Promise<Provider> {
  const shown = new Set<string>()
  const parts: ProviderParts = {
    proxy: { proxy: "", proxyPasswordFile: "", proxyExcept: [], proxyLookup: "here" },
    userAgent: "test",
    env: {},
    log: pino({ enabled: false }),
    isFirst: async (id) => !shown.has(id) && shown.add(id).has(id),
  }
  const { own, ...common } = declared(fields)
  return await saml.open({ ...common, own: own as SamlSpec }, parts)
}

const arriving = (response?: string): Arriving => ({
  query: new URLSearchParams(),
  form: response === undefined ? null : new URLSearchParams({ SAMLResponse: response }),
  header: () => "",
  peer: "127.0.0.1",
  callback: CALLBACK,
})

test("anyone the provider signs in is accepted, with groups, until the session there ends", async () => {
  await using play = await played({ userAttribute: "email", nameAttribute: "cn" })
  const { requestId, remember } = await play.begin()
  const attributes = { email: ["anna@example.com"], cn: ["Anna Berg"], groups: ["hr", "staff"] }
  expect(await play.finish({ requestId, nameId: "a1", attributes }, remember)).toEqual({
    subject: "a1",
    user: "anna@example.com",
    name: "Anna Berg",
    email: "anna@example.com",
    groups: ["hr", "staff"],
    providerSession: "session-1",
    endsAt: expect.any(Number),
    refresh: null,
    signOutHint: null,
  })
})

test("an answer to the request of another browser signs nobody in", async () => {
  await using play = await played()
  const [victim, attacker] = [await play.begin(), await play.begin()]
  await expect(play.finish({ requestId: attacker.requestId }, victim.remember)).rejects.toThrow(
    "another sign-in",
  )
})

test("an assertion is accepted once", async () => {
  await using play = await played()
  const { requestId, remember } = await play.begin()
  const answer = arriving(play.company.answer({ ...GOOD, requestId }))
  await play.provider.finish(answer, remember)
  await expect(play.provider.finish(answer, remember)).rejects.toThrow("already used")
})

test("errors in a response are logged, not shown to the person", async () => {
  await using play = await played()
  const { requestId, remember } = await play.begin()
  await expect(play.finish({ requestId, audience: "https://other.example" }, remember)).rejects.toMatchObject(
    {
      message: expect.stringMatching(/^The page that signs you in gave an answer that can't be used/),
      detail: expect.stringContaining("audience mismatch"),
    },
  )
  await expect(play.provider.finish(arriving(), remember)).rejects.toThrow("can't be used")
})

test("a name that changes with every sign-in requires an attribute as well", async () => {
  await using play = await played()
  const { requestId, remember } = await play.begin()
  const options = { requestId, nameIdFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }
  await expect(play.finish(options, remember)).rejects.toMatchObject({
    detail: expect.stringContaining("set subjectAttribute"),
  })
  await using named = await played({ subjectAttribute: "uid" })
  const second = await named.begin()
  const attributes = { uid: ["u-17"] }
  const vouched = await named.finish({ ...options, requestId: second.requestId, attributes }, second.remember)
  expect(vouched).toMatchObject({ subject: "u-17", user: null })
})

test("a response with too many groups to list signs nobody in, since one of them may be denied something", async () => {
  await using play = await played()
  const { requestId, remember } = await play.begin()
  const attributes = { "http://schemas.microsoft.com/claims/groups.link": ["https://graph.example/groups"] }
  await expect(play.finish({ requestId, attributes }, remember)).rejects.toThrow(
    "more groups than your account lists",
  )
})

test("the metadata of a provider with a new key is fetched again", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    await using play = await played()
    const next = new SigningProvider()
    const { requestId, remember } = await play.begin()
    play.replaceMetadata(next.metadata)
    await expect(play.finish({ requestId }, remember, next)).rejects.toThrow("can't be used")
    vi.setSystemTime(Date.now() + 61_000)
    expect(await play.finish({ requestId }, remember, next)).toMatchObject({ subject: "anna@example.com" })
  } finally {
    vi.useRealTimers()
  }
})

test("metadata comes from the provider's address, through the network guard", async () => {
  const company = new SigningProvider()
  const server = createServer((_request, response) => response.end(company.metadata)).listen(0, "127.0.0.1")
  try {
    await new Promise((resolve) => server.once("listening", resolve))
    const metadata = `http://localhost:${(server.address() as AddressInfo).port}/metadata`
    await using closed = await opened({ metadata })
    await expect(closed.begin(arriving())).rejects.toThrow("can't be reached")
    await using open = await opened({ metadata, networks: ["localhost"] })
    expect(await open.begin(arriving())).toMatchObject({
      url: expect.stringContaining("https://idp.example/sign-in?"),
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test("a logout request from the provider ends one of its sessions, or all of the person's", async () => {
  await using play = await played()
  const destination = CALLBACK.replace("callback", "logout")
  const out = async (sessionIndex?: string) => {
    const SAMLRequest = play.company.signOut({
      nameId: "anna",
      destination,
      ...(sessionIndex && { sessionIndex }),
    })
    return await play.provider.loggedOut!(new URLSearchParams({ SAMLRequest }), CALLBACK)
  }
  const answerUrl = expect.stringContaining("https://idp.example/sign-out?SAMLResponse=")
  expect(await out("session-1")).toEqual({ providerSession: "session-1", subject: "anna", answerUrl })
  expect(await out()).toEqual({ providerSession: null, subject: "anna", answerUrl })
})

test("the file's checks report what is missing for a provider before anyone signs in", () => {
  using folder = temporaryFolder()
  const metadata = join(folder.path, "metadata.xml")
  writeFileSync(metadata, "<html></html>")
  const certificate = join(folder.path, "certificate.pem")
  writeFileSync(certificate, new SigningProvider().described.certificates[0]!)
  expect(() => declared({})).toThrow("providerId, signInUrl and certificate instead")
  expect(() => declared({ metadata })).toThrow("isn't a SAML 2.0 EntityDescriptor")
  expect(() => declared({ metadata: `${metadata}-not` })).toThrow("can't be read")
  expect(() => declared({ metadata: "http://idp.example/metadata" })).toThrow("must be an https address")
  expect(() => declared({ metadata, certificate })).toThrow("can't be combined with providerId")
  const written = { providerId: "https://idp.example", signInUrl: "https://idp.example/in", certificate }
  expect(declared(written).own).toMatchObject({ described: { kind: "written" } })
})
