import type { Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// From a source that is run by hand to one that runs every night, in a real browser; the test itself moves the clock.

const SECOND = 1000
const DAY = 86_400 * SECOND

const executablePath = await findTestBrowser()

describe("a schedule in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop

  beforeAll(async () => {
    workshop = await openWorkshop()
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
  })

  async function open(path: string) {
    const opened = await openSignedIn(browser, { url: workshop.url, key: workshop.adminKey }, path, {
      width: 1280,
      height: 800,
    })
    await opened.page.getByRole("navigation", { name: "Console" }).waitFor()
    return opened
  }
  const row = (page: Page, name: string) =>
    page.getByRole("list", { name: "Sources" }).getByRole("listitem").filter({ hasText: name })
  /** The time that the screen shows for a source's next run. */
  const nextRun = async (page: Page, name: string) => {
    const fact = row(page, name).locator("dl > div").filter({ hasText: "Next run" })
    return new Date((await fact.locator("time").getAttribute("datetime"))!)
  }

  test("a source gets one through the form, which shows its next run, and then the run itself", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    const forum = row(page, "forum")
    await forum.getByText("manual").waitFor()
    await page.getByRole("link", { name: "Settings of forum" }).click()
    await page.getByLabel("Schedule").selectOption("Cron expression")
    await page.getByLabel("Cron expression").fill("15 3 * * *")
    await page.getByLabel("Time zone").fill("Asia/Tokyo")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor()

    const first = await nextRun(page, "forum")
    expect(first.toISOString()).toMatch(/T18:15:00\.000Z$/)
    expect(first.getTime() - Date.now()).toBeLessThanOrEqual(DAY)
    expect(await forum.getByText("manual").count()).toBe(0)

    await workshop.passTo(new Date(first.getTime() - SECOND))
    await page.reload()
    await page.getByRole("button", { name: "Run forum" }).waitFor()
    await workshop.passTo(first)
    await forum.getByText("Queued").waitFor()
    await forum.getByRole("link", { name: "Watch" }).click()
    await page.getByRole("heading", { level: 1, name: "forum" }).waitFor()
    await page.getByText("on schedule").waitFor()
    await workshop.work("forum")

    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Sources" }).click()
    // The previous run had problems.
    await forum.getByText("Finished", { exact: true }).waitFor()
    expect((await nextRun(page, "forum")).getTime() - first.getTime()).toBe(DAY)
    expect(complaints).toEqual([])
  })
})
