import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { serveAccounts } from "../../../testing/serve-accounts.ts"
import { parseSignOn } from "../file/sign-on-file.ts"
import { Visitor } from "../testing/visitor.ts"
import { requestIn, SigningProvider } from "./testing/signing-provider.ts"

/** An appliance whose people sign in through SAML. */
async function openAppliance() {
  const opened = new AsyncDisposableStack()
  const folder = temporaryFolder()
  opened.defer(() => folder[Symbol.dispose]())
  const company = new SigningProvider()
  const metadata = join(folder.path, "metadata.xml")
  writeFileSync(metadata, company.metadata)
  const url = `http://127.0.0.1:${await freePort()}`
  const text = JSON.stringify({
    providers: [{ name: "company", kind: "saml", metadata }],
    roles: [{ groups: ["staff"], role: "reader" }],
  })
  const signOnSpec = parseSignOn(text, "sign-on.yaml", {})
  const app = opened.use(
    await serveAccounts({ port: Number(new URL(url).port), config: { publicUrl: url }, signOnSpec }),
  )
  const own = `${url}/sign-on/company`
  return {
    app,
    own,
    company,
    /** Starts a sign-in, and returns the form that the provider makes a browser post back. */
    async answerFor(visitor: Visitor, sessionNotOnOrAfter = 3600) {
      const away = await visitor.send(own)
      const requestId = requestIn(away.headers.get("location")!).id
      const SAMLResponse = company.answer({
        requestId,
        recipient: `${own}/callback`,
        audience: `${own}/metadata`,
        attributes: { groups: ["staff"] },
        sessionNotOnOrAfter,
      })
      return new URLSearchParams({ SAMLResponse, RelayState: `"><script>` })
    },
    /** Posts a form from the provider's site: the browser omits its cookies, and gets a page that posts the form again. */
    async postFromThere(visitor: Visitor, body: URLSearchParams) {
      const page = await new Visitor().open(`${own}/callback`, { method: "POST", body })
      return await visitor.submit({
        ...page,
        text: page.text.replaceAll("&quot;", "").replaceAll("&gt;", ">"),
      })
    },
    session: (visitor: Visitor) => visitor.session(url),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

test("someone signs in, although the browser posts the response without cookies", async () => {
  await using appliance = await openAppliance()
  const anna = new Visitor()
  const answer = await appliance.answerFor(anna)
  const page = await new Visitor().open(`${appliance.own}/callback`, { method: "POST", body: answer })
  expect(page.text).toContain(`action="?again=1"`)
  expect(page.text).not.toContain('<script>"')
  expect(page.text).toContain(`value="&quot;&gt;&lt;script&gt;"`)
  expect((await appliance.postFromThere(anna, answer)).text).toContain("You are signed in")
  expect(await appliance.session(anna)).toMatchObject({ signed_in: true, user: "anna@example.com" })
})

test("a response meant for another browser, or sent again, signs nobody in", async () => {
  await using appliance = await openAppliance()
  const [anna, eve] = [new Visitor(), new Visitor()]
  const [hers] = [await appliance.answerFor(anna), await appliance.answerFor(eve)]
  expect((await appliance.postFromThere(eve, hers)).text).toContain("another sign-in")
  expect((await appliance.postFromThere(new Visitor(), hers)).text).toContain("not started in this browser")
  await appliance.postFromThere(anna, hers)
  await anna.send(appliance.own)
  expect((await appliance.postFromThere(anna, hers)).text).toContain("another sign-in")
})

test("a session ends no later than the one at the provider", async () => {
  await using appliance = await openAppliance()
  const anna = new Visitor()
  const before = Date.now()
  await appliance.postFromThere(anna, await appliance.answerFor(anna, 120))
  const { expires_at: expires } = await appliance.session(anna)
  expect(Date.parse(expires as string)).toBeLessThanOrEqual(Date.now() + 120_000)
  expect(Date.parse(expires as string)).toBeGreaterThan(before)
})

test("a sign-out at the provider ends the session here, and the browser returns with the response", async () => {
  await using appliance = await openAppliance()
  const anna = new Visitor()
  await appliance.postFromThere(anna, await appliance.answerFor(anna))
  const destination = `${appliance.own}/logout`
  const signOut = async (headers: Record<string, string>) => {
    const SAMLRequest = appliance.company.signOut({ nameId: "anna@example.com", destination })
    const body = new URLSearchParams({ SAMLRequest })
    return await fetch(destination, { method: "POST", body, headers, redirect: "manual" })
  }
  const forged = new SigningProvider().signOut({ nameId: "anna@example.com", destination })
  const refused = await fetch(destination, {
    method: "POST",
    body: new URLSearchParams({ SAMLRequest: forged }),
  })
  expect([refused.status, (await appliance.session(anna))["signed_in"]]).toEqual([400, true])
  expect((await signOut({})).status).toBe(200)
  expect(await appliance.session(anna)).toMatchObject({ signed_in: false })
  const brought = await signOut({ Accept: "text/html" })
  expect([brought.status, brought.headers.get("location")]).toEqual([
    303,
    expect.stringContaining("https://idp.example/sign-out?SAMLResponse="),
  ])
})

test("the appliance's metadata has an address of its own", async () => {
  await using appliance = await openAppliance()
  const answer = await fetch(`${appliance.own}/metadata`)
  expect(answer.headers.get("content-type")).toContain("application/samlmetadata+xml")
  expect(await answer.text()).toContain(`Location="${appliance.own}/callback"`)
})
