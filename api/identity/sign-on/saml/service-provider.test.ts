import { describe, expect, test } from "vitest"
import { readIdentityProvider } from "./identity-provider-metadata.ts"
import { ServiceProvider } from "./service-provider.ts"
import { type AnswerOptions, requestIn, SigningProvider } from "./testing/signing-provider.ts"

const NAMES = {
  entityId: "https://search.example.com/sign-on/company/metadata",
  answerUrl: "https://search.example.com/sign-on/company/callback",
  signOutUrl: "https://search.example.com/sign-on/company/logout",
}
const appliance = new ServiceProvider(NAMES)
const provider = new SigningProvider()
const GOOD = { requestId: "_r1", recipient: NAMES.answerUrl, audience: NAMES.entityId } as const

const accept = (options: Partial<AnswerOptions> = {}, by = provider) =>
  appliance.accept(provider.described, by.answer({ ...GOOD, ...options }))

describe("a provider's response", () => {
  test("says who signed in, with the values of their attributes", async () => {
    const { url, requestId } = await appliance.signIn(provider.described)
    expect(url).toMatch(/^https:\/\/idp\.example\/sign-in\?SAMLRequest=/)
    expect(requestIn(url).id).toBe(requestId)
    expect(requestIn(url).xml).toContain(`AssertionConsumerServiceURL="${NAMES.answerUrl}"`)
    const attributes = { groups: ["hr", "staff"], displayName: ["Anna Berg"], empty: [""] }
    expect(await accept({ requestId, attributes })).toEqual({
      id: expect.stringMatching(/^_/),
      requestId,
      nameId: "anna@example.com",
      isTransient: false,
      sessionIndex: "session-1",
      sessionEndsAt: expect.any(Number),
      attributes: new Map([
        ["groups", ["hr", "staff"]],
        ["displayName", ["Anna Berg"]],
        ["empty", []],
      ]),
    })
  })

  test.each<readonly [what: string, options: Partial<AnswerOptions>, why: RegExp]>([
    ["that nobody signed", { signed: "nothing" }, /Invalid signature/],
    ["of which only the envelope is signed", { signed: "response" }, /Invalid signature/],
    ["signed with SHA-1", { hash: "sha1" }, /signed with .*rsa-sha1/],
    ["for another program", { audience: "https://other.example" }, /audience mismatch/],
    ["to be brought elsewhere", { recipient: "https://other.example/callback" }, /isn't meant for/],
    ["that is over", { notOnOrAfter: -60 }, /No valid subject confirmation/],
    ["that is not yet valid", { notBefore: 300 }, /not yet valid/],
    ["of a session that is over", { sessionNotOnOrAfter: -1 }, /session at the provider has ended/],
    ["that nobody asked for", { requestId: null }, /InResponseTo is missing/],
    ["of another issuer", { issuer: "https://other.example" }, /issued by another provider/],
    ["for whoever has a key", { method: "holder-of-key" }, /isn't meant for/],
    ["that names nobody", { nameId: "" }, /doesn't name a person/],
  ])("%s is refused", async (_what, options, why) => {
    await expect(accept(options)).rejects.toThrow(why)
  })

  test("signed by another provider is refused", async () => {
    await expect(accept({}, new SigningProvider())).rejects.toThrow("Invalid signature")
  })

  test("signed with the provider's next key is accepted next to the old one", async () => {
    const next = new SigningProvider()
    const both = {
      ...provider.described,
      certificates: [...provider.described.certificates, ...next.described.certificates],
    }
    expect(await appliance.accept(both, next.answer(GOOD))).toMatchObject({ nameId: "anna@example.com" })
  })

  test("to a request that the assertion itself doesn't name is refused", async () => {
    const forged = (xml: string) => xml.replace(` InResponseTo="_r1"`, ` InResponseTo="_mine"`)
    await expect(accept({ forged })).rejects.toThrow("InResponseTo does not match")
    const unasked = (xml: string) => xml.replace("<samlp:Response ", `$&InResponseTo="_mine" `)
    await expect(accept({ requestId: null, forged: unasked })).rejects.toThrow("doesn't answer a request")
  })
})

describe("someone else's signed assertion", () => {
  const signedPart = (xml: string) => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)![0]
  const signature = (xml: string) => /<Signature .*<\/Signature>/s.exec(xml)![0]
  /** An unsigned assertion about the admin with its own identifier. */
  const evil = (xml: string) =>
    signedPart(xml)
      .replace(signature(xml), "")
      .replace(/ ID="[^"]+"/, ` ID="_evil"`)
      .replace("anna@example.com", "admin@example.com")
  test.each<readonly [what: string, why: RegExp, forged: (xml: string) => string]>([
    ["that was changed", /^Invalid signature$/, (xml) => xml.replace("anna@", "admin@")],
    [
      "behind a forged one",
      /multiple assertions/,
      (xml) => xml.replace(signedPart(xml), (signed) => evil(xml) + signed),
    ],
    [
      "before a forged one",
      /multiple assertions/,
      (xml) => xml.replace(signedPart(xml), (signed) => signed + evil(xml)),
    ],
    [
      "in the extensions of a forged answer",
      /^Invalid signature$/,
      (xml) =>
        xml.replace(
          signedPart(xml),
          (signed) => `<samlp:Extensions>${signed}</samlp:Extensions>${evil(xml)}`,
        ),
    ],
    [
      "within the signature of a forged one",
      /does not refer to it's parent/,
      (xml) =>
        xml.replace(signedPart(xml), (signed) => {
          const moved = signature(xml).replace(
            "</Signature>",
            `<Object>${signed.replace(signature(xml), "")}</Object></Signature>`,
          )
          return evil(xml).replace("</saml:Issuer>", `$&${moved}`)
        }),
    ],
    [
      "within a forged one",
      /^Invalid signature$/,
      (xml) =>
        xml.replace(signedPart(xml), (signed) => evil(xml).replace("</saml:Assertion>", `${signed}$&`)),
    ],
    [
      "whose identifier a forged one has too",
      /more than one element/,
      (xml) =>
        xml.replace(signedPart(xml), (signed) => {
          const id = / ID="([^"]+)"/.exec(signed)![1]!
          const twin = evil(xml)
            .replace("_evil", id)
            .replace("</saml:Issuer>", `$&${signature(xml)}`)
          return `${twin}<samlp:Extensions>${signed}</samlp:Extensions>`
        }),
    ],
    [
      "with a second digest",
      /multiple DigestValue/,
      (xml) =>
        xml
          .replace("anna@", "admin@")
          .replace(/<DigestValue>/, "<DigestValue><!--0--></DigestValue><DigestValue>"),
    ],
  ])("%s is refused", async (_what, why, forged) => {
    await expect(accept({ forged })).rejects.toThrow(why)
  })

  test("reads the same with a comment in the name, or is rejected", async () => {
    const forged = (xml: string) =>
      xml.replace("admin@example.com.evil.example", "admin@example.com<!---->.evil.example")
    const said = await accept({ nameId: "admin@example.com.evil.example", forged })
    expect(said.nameId).toBe("admin@example.com.evil.example")
  })

  test("with a document type declaration is refused", async () => {
    await expect(accept({ forged: (xml) => `<!DOCTYPE x [<!ENTITY e "x">]>${xml}` })).rejects.toThrow(
      "document type declaration",
    )
  })
})

test("a message that would take long to check is rejected first", async () => {
  const groups = (many: number) => ({ groups: Array.from({ length: many }, (_, at) => `group-${at}`) })
  expect((await accept({ attributes: groups(950) })).attributes.get("groups")).toHaveLength(950)
  await expect(accept({ attributes: groups(1000) })).rejects.toThrow("more than 1000 elements")
  const forged = () => "<a>".repeat(20_000)
  await expect(accept({ forged })).rejects.toThrow("more than 1000 elements")
})

describe("a provider's sign-out request", () => {
  const destination = NAMES.signOutUrl
  const request = (one = provider, isSigned = true) =>
    one.signOut({ nameId: "anna@example.com", sessionIndex: "session-1", destination }, isSigned)
  const acceptSignOut = (text: string) => appliance.acceptSignOut(provider.described, text, "state")

  test("names the person, and where the browser goes with the response", async () => {
    expect(await acceptSignOut(request())).toEqual({
      nameId: "anna@example.com",
      sessionIndex: "session-1",
      answerUrl: expect.stringMatching(/^https:\/\/idp\.example\/sign-out\?SAMLResponse=.*RelayState=state/),
    })
  })

  test("that the provider didn't sign, or sent to another program, is refused", async () => {
    await expect(acceptSignOut(request(provider, false))).rejects.toThrow("Invalid signature")
    await expect(acceptSignOut(request(new SigningProvider()))).rejects.toThrow("Invalid signature")
    const elsewhere = provider.signOut({ nameId: "anna", destination: "https://other.example/out" })
    await expect(acceptSignOut(elsewhere)).rejects.toThrow("another program")
  })
})

describe("metadata", () => {
  test("of this appliance names where responses are posted, and requires signed assertions", () => {
    const xml = appliance.metadata()
    expect(xml).toContain(`entityID="${NAMES.entityId}"`)
    expect(xml).toContain(`WantAssertionsSigned="true"`)
    expect(xml).toMatch(
      /<AssertionConsumerService [^>]*HTTP-POST" Location="https:\/\/search\.example\.com\/sign-on\/company\/callback"/,
    )
    expect(xml).toMatch(/<SingleLogoutService [^>]*HTTP-POST" Location="[^"]*\/logout"/)
  })

  test("of a provider is parsed", () => {
    expect(readIdentityProvider(Buffer.from(provider.metadata))).toEqual(provider.described)
  })

  test.each([
    ["nothing of SAML", "<html></html>", "isn't a SAML 2.0 EntityDescriptor"],
    ["several providers", provider.metadata.repeat(2), "several providers"],
    [
      "no certificate",
      provider.metadata.replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/s, ""),
      "has a signing certificate",
    ],
    [
      "a damaged certificate",
      provider.metadata.replace(/(?<=X509Certificate>).{9}/, "AAAAAAAAA"),
      "can't be read",
    ],
    [
      "an address of no web page",
      provider.metadata.replace("https://idp.example/sign-in", "javascript:1"),
      "isn't a web address",
    ],
  ])("that has %s is rejected", (_what, xml, why) => {
    expect(() => readIdentityProvider(Buffer.from(xml))).toThrow(why)
  })
})
