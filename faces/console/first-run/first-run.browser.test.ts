import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { until } from "#base/testing/until.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { article, html, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf } from "../../testing/axe.ts"
import { openWatchedPage } from "../../testing/watched-page.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// From a new appliance to its first answer, in a real browser.

const DESKTOP = { width: 1280, height: 800 }

const executablePath = await findTestBrowser()

describe("the first run in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let site: TestSite

  beforeAll(async () => {
    site = await startTestSite({
      "/": article("Pump works", { links: ["/cleaning"] }),
      "/cleaning": html(
        `<html lang="en"><head><title>Cleaning pumps</title></head><body><main><h1>Cleaning pumps</h1>
           <p>Pumps are cleaned with warm water and a soft brush, once a month.</p></main></body></html>`,
      ),
    })
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function signIn(workshop: Workshop, path: string, size = DESKTOP) {
    const { page, complaints } = await openWatchedPage(browser, workshop.url, size)
    await page.goto(workshop.url + path)
    await page.getByLabel("API key").fill(workshop.adminKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
  }

  test("sets a name, adds a first source, shows its crawl in progress, and answers a question with citations", async () => {
    await using workshop = await openWorkshop({ isNew: true })
    // The search page links to the setup.
    await using opened = await signIn(workshop, "/")
    const { page, complaints } = opened
    await page.getByRole("heading", { name: "No site has been added yet" }).waitFor()
    await page.getByRole("link", { name: "Set it up" }).click()
    await page.getByRole("heading", { level: 1, name: "Set up this appliance" }).waitFor()
    const step = page.getByRole("list", { name: "Steps" }).locator("[aria-current=step]")
    expect(await step.innerText()).toContain("Name")
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel("Name", { exact: true }).fill("Pump  works & co")
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByRole("heading", { name: "Which site should be crawled first?" }).waitFor()
    await page.getByRole("link", { name: "Pump works & co, the search page" }).waitFor()
    expect(await step.innerText()).toContain("First source")
    await page.getByLabel("Address of the site").fill(site.url("/"))
    await page.getByRole("button", { name: "Check the site" }).click()
    await page.getByRole("list", { name: "2 pages as Fossick reads them" }).waitFor()
    await page.getByLabel("Name", { exact: true }).fill("pumps")
    await page.getByRole("button", { name: "Save and run" }).click()
    await page.getByText("The crawl will start in a moment").waitFor()
    expect(await step.innerText()).toContain("First crawl")
    await page.getByText("You can ask as soon as the first pages are in the index").waitFor()
    // The address contains the user's place.
    await page.reload()
    await page.getByText("The crawl will start in a moment").waitFor()
    workshop.begin("pumps")
    const question = page.getByLabel("Question about the pages in pumps")
    await question.waitFor()
    expect(await step.innerText()).toContain("First question")
    await page.getByText("Finished", { exact: true }).waitFor()
    await page.getByRole("list", { name: "Latest addresses" }).getByText("/cleaning").waitFor()
    await question.fill("how are pumps cleaned?")
    await question.press("Enter")
    const answer = page.getByRole("status", { name: "Answer" })
    await answer.getByText("Pumps are cleaned with warm water and a soft brush, once a month.").waitFor()
    await page.getByRole("list", { name: "Pages" }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await answer.getByRole("button", { name: /Source \d: Cleaning pumps/ }).click()
    await page.getByRole("dialog").getByText("Cleaning pumps").first().waitFor()
    await page.getByRole("button", { name: "Close" }).click()
    await page.getByRole("link", { name: "Go to the overview" }).click()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    expect(complaints).toEqual([])
  })

  test("it can be skipped, and only an admin can use it", async () => {
    await using workshop = await openWorkshop({ isNew: true })
    for (const [method, path] of [
      ["GET", "/admin/appliance"],
      ["PUT", "/admin/appliance"],
      ["POST", "/admin/sources/propose"],
    ]) {
      const body = method === "GET" ? {} : { body: '{"name":"mine","url":"http://x.example/"}' }
      const headers = { "Content-Type": "application/json" }
      const open = await fetch(workshop.url + path, { method: method!, headers, ...body })
      expect(open.status).toBe(401)
    }
    await using opened = await signIn(workshop, "/console")
    const { page } = opened
    await page.getByRole("link", { name: "Skip this" }).click()
    await page.getByText("No sources yet").waitFor()
    expect((await (await fetch(`${workshop.url}/session`)).json()) as object).toMatchObject({
      appliance_name: null,
    })
  })

  test("a crawl that ends between two requests of one update is still shown", async () => {
    await using workshop = await openWorkshop({ isNew: true })
    await using opened = await signIn(workshop, "/console")
    const { page } = opened
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByLabel("Address of the site").fill(site.url("/"))
    await page.getByRole("button", { name: "Check the site" }).click()
    await page.getByLabel("Name", { exact: true }).fill("pumps")
    let hasBegun = false
    await page.route(/\/admin\/jobs\/\d+\?/, async (route) => {
      if (!hasBegun) {
        hasBegun = true
        workshop.begin("pumps")
        const jobs = new Jobs(workshop.db)
        await until(async () => (await jobs.list()).every(({ endedAt }) => endedAt !== null))
      }
      await route.continue()
    })
    await page.getByRole("button", { name: "Save and run" }).click()
    await page.getByLabel("Question about the pages in pumps").waitFor()
    expect(hasBegun).toBe(true)
  })
})
