import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { aPage } from "#engine/testing/pages.ts"

import { HANDBOOK_KEY } from "../../identity/public-keys/handbook-key.ts"
import { openBrowser, type TestBrowser } from "../../testing/browser.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

// The handbook's pages with the widget, which finds the pages at the address where they are being read.

const executablePath = await findTestBrowser()

describe("the handbook search", { tags: ["chromium"] }, () => {
  let opened: AsyncDisposableStack
  let app: ServedAccounts
  let browser: TestBrowser
  let isCrawled = true

  beforeAll(async () => {
    opened = new AsyncDisposableStack()
    const { dir, engine } = await openDataFolder(opened)
    const markdown = "To schedule a crawl, write its source with a schedule into the sources file."
    await engine.index([
      aPage("http://other.example:8080/docs/schedule-a-crawl", {
        source: "handbook",
        title: "How to schedule a crawl",
        markdown,
      }),
      aPage("https://wiki.example.com/schedule", { source: "wiki", title: "Secret schedule", markdown }),
    ])
    await engine.settled()
    const handbook = {
      id: "handbook",
      text: HANDBOOK_KEY,
      name: "",
      source: "handbook",
      collection: null,
      origins: [],
      answers: true,
      rateLimits: null,
      credits: null,
      createdAt: new Date(0),
      disabledAt: null,
    }
    app = opened.use(
      await serveAccounts({
        dir,
        engine,
        handbookKey: async (text) => (isCrawled && text === HANDBOOK_KEY ? handbook : null),
      }),
    )
    browser = opened.use(await openBrowser(executablePath!))
  })
  afterAll(() => opened.disposeAsync())

  test("finds pages and answers on the same page, under the handbook's own policy", async () => {
    const page = await browser.context.newPage()
    const complaints: string[] = []
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    await page.goto(`${app.url}/docs/settings`)
    await page.waitForFunction("window.fossick !== undefined")
    await page.getByRole("link", { name: "Search Ctrl K" }).click()
    await page.keyboard.type("how do I schedule a crawl?")
    await page.getByRole("option", { name: "How to schedule a crawl" }).waitFor()
    expect(await page.getByRole("option", { name: "Secret" }).count()).toBe(0)
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    const answer = page.getByRole("region", { name: "Answer" })
    await answer.getByText("To schedule a crawl, write its source").waitFor()
    expect(complaints).toEqual([])
    await answer.getByRole("link", { name: /^Source 1/ }).click()
    await page.waitForURL(`${app.url}/docs/schedule-a-crawl*`)
    await page.close()
  })

  test("appears once the handbook is crawled, and its link works without scripts", async () => {
    const withSearch = await fetch(`${app.url}/docs/`)
    expect(withSearch.headers.get("content-security-policy")).toContain("script-src 'self';")
    expect(await withSearch.text()).toMatch(/<a class="search" href="\.\.\/">/)
    isCrawled = false
    const without = await fetch(`${app.url}/docs/`)
    isCrawled = true
    expect(await without.text()).not.toMatch(/widget\.js|class="search"/)
  })
})
