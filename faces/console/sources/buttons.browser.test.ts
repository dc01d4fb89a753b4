import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { Jobs } from "#crawler"
import { defineSource } from "#crawler/source.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// Buttons that act on several things at once, in a real browser over a real state.

const executablePath = await findTestBrowser()

describe("buttons in the console", { tags: ["chromium"] }, () => {
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

  test("Keep them leaves the pages in the index, and nothing is waiting any more", async () => {
    await using opened = await open("/console?view=removals")
    const { page, complaints } = opened
    const before = await workshop.pages()
    await page.getByRole("button", { name: "Keep them" }).click()
    await page.getByText("Nothing is waiting for you").waitFor()
    await workshop.settle()
    expect(await workshop.pages()).toBe(before)
    expect(complaints).toEqual([])
  })

  test("a one-off crawl is marked as such, and deleted after a confirmation", async () => {
    await new Jobs(workshop.db).enqueue(defineSource({ name: "once", seeds: ["https://once.example/"] }))
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "once" }) })
    await row.getByText("One-off", { exact: true }).waitFor()
    expect(await row.getByRole("button", { name: /^(Run|Pause)/ }).count()).toBe(0)
    await row.getByRole("link", { name: "Keep once as a source" }).waitFor()
    await row.getByRole("button", { name: "Delete once" }).click()
    const question = page.getByRole("dialog", { name: "Delete once?" })
    await question.getByRole("button", { name: "Delete", exact: true }).click()
    await row.waitFor({ state: "detached" })
    expect(complaints).toEqual([])
  })

  test("Run all queues every source that is not paused", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    await page.getByRole("button", { name: "Pause the schedule of forum" }).click()
    await page.getByRole("button", { name: "Resume the schedule of forum" }).waitFor()
    await page.getByRole("button", { name: "Run all" }).click()
    await page.getByRole("link", { name: "Watch" }).nth(1).waitFor()
    const answer = await fetch(`${workshop.url}/admin/jobs?state=queued`, {
      headers: { Authorization: `Bearer ${workshop.adminKey}` },
    })
    const { jobs } = (await answer.json()) as { jobs: readonly { source: string }[] }
    expect(jobs.map(({ source }) => source).toSorted()).toEqual(["archive", "manual"])
    expect(complaints).toEqual([])
  })
})
