import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { type Company, openCompany } from "../../api/identity/sign-on/testing/company.ts"
import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { FakeEngine, hit } from "../../api/testing/fake-engine.ts"
import { faultsOf, WIDTHS } from "../testing/axe.ts"
import { openWatchedPage } from "../testing/watched-page.ts"

// Sign-in at a real provider, which is on a different site from the appliance, in a real browser.

const executablePath = await findTestBrowser()

describe("sign-on in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let company: Company
  beforeAll(async () => {
    company = await openCompany({ engine: new FakeEngine([hit({ title: "Pumps in spring", images: [] })]) })
    browser = await openBrowser(executablePath!)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await company?.[Symbol.asyncDispose]()
  })

  test("a person arrives with a question, signs in at the provider, finds the answer, and signs out of both", async () => {
    const { url } = company.app
    const { page, complaints } = await openWatchedPage(browser, url, WIDTHS.desktop)
    await page.goto(`${url}/?q=pumps`)
    const button = page.getByRole("link", { name: "Company account" })
    await button.waitFor()
    expect(await page.getByLabel("API key").isVisible()).toBe(false)
    expect(await faultsOf(page, "phone")).toEqual([])
    await button.click()
    await page.getByLabel("Login").fill("anna")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("link", { name: "Pumps in spring" }).waitFor()
    expect(new URL(page.url()).search).toBe("?q=pumps")
    const cookies = await browser.context.cookies(url)
    expect(cookies).toContainEqual(
      expect.objectContaining({ name: "fossick-session", httpOnly: true, sameSite: "Strict" }),
    )
    expect(cookies.map(({ name }) => name)).not.toContain("fossick-sign-on-company")

    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("You are signed out here.").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByRole("link", { name: "Sign out of your account as well" }).click()
    await page.getByRole("button", { name: /sign me out/i }).click()
    await page.waitForURL(`${url}/`)
    await page.getByRole("link", { name: "Company account" }).click()
    // The provider no longer recognises the browser.
    await page.getByLabel("Login").waitFor()
    const here = complaints.filter((one) => !one.startsWith(`asked for ${company.company.issuer}`))
    expect(here).toEqual([])
    await page.close()
  })

  test("the operator's key signs in on the same page", async () => {
    const { url } = company.app
    const { page } = await openWatchedPage(browser, url, WIDTHS.phone)
    await page.goto(url)
    await page.getByText("Sign in with an API key").click()
    await page.getByLabel("API key").fill(await company.app.key())
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("combobox", { name: "Search" }).waitFor()
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1)
    await page.close()
  })

  test("when everyone may search, a link on the page signs in", async () => {
    const { url } = company.app
    const { page } = await openWatchedPage(browser, url, WIDTHS.desktop)
    // The session of an appliance with FOSSICK_OPEN_KEY.
    await page.route("**/session", async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), is_open: true } })
    })
    await page.goto(`${url}/?q=pumps`)
    const link = page.getByRole("link", { name: "Company account" })
    expect(await link.getAttribute("href")).toBe(`${url}/sign-on/company?return=%2F%3Fq%3Dpumps`)
    await page.close()
  })
})
