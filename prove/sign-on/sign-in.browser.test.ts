import type { Page } from "playwright"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { PATIENCE } from "#base/testing/patience.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { openWorld, type World } from "./world.ts"

// Users of a real Keycloak, in a real browser, with the files from the handbook.

const executablePath = await findTestBrowser()
const BUTTONS = { keycloak: "Sign in with Keycloak", company: "Sign in with your company account" } as const

describe("Keycloak users", { tags: ["chromium", "keycloak"] }, () => {
  let world: World
  let browser: TestBrowser
  beforeAll(async () => {
    world = await openWorld()
    browser = await openBrowser(executablePath!)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  /** A user's own browser, which signs in as a person does. */
  async function signedIn(
    user: string,
    by: keyof typeof BUTTONS,
    onPosted: (form: string) => void = () => {},
  ) {
    const context = await browser.context.browser()!.newContext()
    context.setDefaultTimeout(PATIENCE.expect.poll.timeout)
    const page = await context.newPage()
    page.on("request", (request) => {
      if (request.url().includes("/callback") && request.method() === "POST")
        onPosted(request.postData() ?? "")
    })
    await page.goto(`${world.url}/`)
    await page.getByRole("link", { name: BUTTONS[by] }).click()
    await page.getByLabel("Username or email").fill(user)
    await page.getByLabel("Password", { exact: true }).fill(`${user}-password`)
    await page.getByRole("button", { name: "Sign In" }).click()
    return { page, [Symbol.asyncDispose]: () => context.close() }
  }
  const box = (page: Page) => page.getByRole("combobox", { name: "Search" })
  const session = async (page: Page) =>
    (await (await page.request.get(`${world.url}/session`)).json()) as Readonly<Record<string, unknown>>

  test.each(["keycloak", "company"] as const)(
    "sign in by %s from the search page, and return to it with the role of their groups",
    async (by) => {
      const prefix = by === "company" ? "company:" : ""
      await using anna = await signedIn("anna", by)
      await box(anna.page).waitFor()
      expect(anna.page.url()).toBe(`${world.url}/`)
      const user = `${prefix}anna@example.com`
      expect(await session(anna.page)).toMatchObject({ signed_in: true, role: "admin", user })
      await using bob = await signedIn("bob", by)
      await box(bob.page).waitFor()
      expect(await session(bob.page)).toMatchObject({ role: "search", user: `${prefix}bob@example.com` })
      await using guest = await signedIn("guest", by)
      await guest.page.getByText("you have no role here").waitFor()
      expect(await session(guest.page)).toMatchObject({ signed_in: false })
    },
  )

  test.each(["keycloak", "company"] as const)(
    "signed out by Keycloak, after a sign-in by %s, are signed out here at once",
    async (by) => {
      await using bob = await signedIn("bob", by)
      await box(bob.page).waitFor()
      expect(await session(bob.page)).toMatchObject({ signed_in: true })
      await world.keycloak.signOut("bob")
      expect(await session(bob.page)).toMatchObject({ signed_in: false })
      await bob.page.reload()
      await bob.page.getByRole("link", { name: BUTTONS[by] }).waitFor()
    },
  )

  test("who leave a Keycloak group lose its rights here at the next renewal", async () => {
    await using anna = await signedIn("anna", "keycloak")
    await box(anna.page).waitFor()
    await world.keycloak.removeFromGroup("anna", "hr")
    expect(await session(anna.page)).toMatchObject({ role: "admin" })
    await world.age(16)
    expect(await session(anna.page)).toMatchObject({ signed_in: true, role: "search" })
    await world.keycloak.removeFromGroup("anna", "staff")
    await world.age(16)
    expect(await session(anna.page)).toMatchObject({ signed_in: false })
  })

  test("who sign out here are sent to Keycloak, and must sign in there again", async () => {
    await using bob = await signedIn("bob", "keycloak")
    await box(bob.page).waitFor()
    const headers = { "Sec-Fetch-Site": "same-origin" }
    const answer = await bob.page.request.delete(`${world.url}/session`, { headers })
    const { sign_out_url: leaving } = (await answer.json()) as { readonly sign_out_url: string }
    await bob.page.goto(leaving)
    await bob.page.getByRole("link", { name: BUTTONS.keycloak }).click()
    await bob.page.getByLabel("Username or email").waitFor()
    expect(bob.page.url()).toContain(world.keycloak.issuer)
  })

  test("who sign out at Keycloak arrive here with a SAML message, and are signed out", async () => {
    await world.keycloak.tellByBrowser(`${world.url}/sign-on/company/metadata`)
    await using bob = await signedIn("bob", "company")
    await box(bob.page).waitFor()
    await bob.page.goto(`${world.keycloak.issuer}/protocol/openid-connect/logout`)
    await bob.page.getByRole("button", { name: "Logout" }).click()
    await bob.page.getByText("You are logged out").first().waitFor()
    expect(await session(bob.page)).toMatchObject({ signed_in: false })
  })

  describe("a SAML response from Keycloak", () => {
    /** Signs a user in. @returns the form that Keycloak had their browser post */
    async function answerFor(user: string): Promise<Readonly<Record<string, string>>> {
      await using person = await signedIn(user, "company", (form) => (posted ??= form))
      await box(person.page).waitFor()
      return Object.fromEntries(new URLSearchParams(posted))
    }
    let posted: string | undefined
    beforeEach(() => (posted = undefined))

    /** The appliance's page after another site has made a browser post a form while that browser is signing in. */
    async function shownFor(form: Readonly<Record<string, string>>): Promise<string> {
      const context = await browser.context.browser()!.newContext()
      try {
        await context.request.get(`${world.url}/sign-on/company`, { maxRedirects: 0 })
        const page = await context.newPage()
        await page.goto(world.keycloak.issuer)
        const fields = Object.entries(form).map(
          ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
        )
        const action = `${world.url}/sign-on/company/callback`
        await page.setContent(
          `<form method="post" action="${action}">${fields.join("")}<button>Win</button></form>`,
        )
        await page.getByRole("button", { name: "Win" }).click()
        const shown = await page
          .getByRole("heading", { name: "You are not signed in" })
          .locator("..")
          .textContent()
        expect(await session(page)).toMatchObject({ signed_in: false })
        return shown ?? ""
      } finally {
        await context.close()
      }
    }

    test("is rejected in a browser that did not request it", async () => {
      expect(await shownFor(await answerFor("bob"))).toContain("answer to another sign-in")
    })

    test("is rejected when altered", async () => {
      const form = await answerFor("bob")
      const xml = Buffer.from(form["SAMLResponse"]!, "base64").toString()
      const changed = xml.replaceAll("bob@example.com", "anna@example.com")
      expect(changed).not.toBe(xml)
      const SAMLResponse = Buffer.from(changed).toString("base64")
      expect(await shownFor({ ...form, SAMLResponse })).toContain("can't be used")
      const bare = xml.replaceAll(/<dsig:Signature.*?<\/dsig:Signature>/gs, "")
      expect(bare).not.toBe(xml)
      const unsigned = Buffer.from(bare).toString("base64")
      expect(await shownFor({ ...form, SAMLResponse: unsigned })).toContain("can't be used")
    })
  })

  test("Keycloak reads the appliance's metadata", async () => {
    const metadata = await (await fetch(`${world.url}/sign-on/company/metadata`)).text()
    expect((await world.keycloak.described(metadata)).attributes).toMatchObject({
      "saml.assertion.signature": "true",
      saml_assertion_consumer_url_post: `${world.url}/sign-on/company/callback`,
      saml_single_logout_service_url_post: `${world.url}/sign-on/company/logout`,
    })
  })
})
