import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// One page, inspected in a real browser, over real runs.

const executablePath = await findTestBrowser()

describe("inspecting a page in a browser", { tags: ["chromium"] }, () => {
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
    const opened = await openSignedIn(
      browser,
      { url: workshop.url, key: workshop.adminKey },
      path,
      WIDTHS.desktop,
    )
    await opened.page.getByRole("navigation", { name: "Console" }).waitFor()
    return opened
  }
  const inspecting = (source: "manual" | "forum", path: string, query = "") =>
    `/console?${new URLSearchParams({ view: "page", url: workshop.start(source) + path, ...(query && { query }) }).toString()}`

  test("a page that is found shows every rule, its passages, its incoming links, its rank, and its current text", async () => {
    await using opened = await open("/console")
    const { page, complaints } = opened
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Pages" }).click()
    await page.getByText("Why does a search find a page, or miss it?").waitFor()
    await page.getByRole("button", { name: "Inspect" }).click()
    await page.getByText("Enter the address of a page.").waitFor()
    await page.getByLabel("Address of the page").fill(`${workshop.start("forum")}thread-2`)
    await page.getByLabel("Question").fill("thread 2")
    await page.getByRole("button", { name: "Inspect" }).click()
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByRole("heading", { name: "Thread 2" }).waitFor()
    await verdict.getByText(/It is in the index: it is number \d+ for "thread 2"/).waitFor()
    const steps = page.getByRole("list", { name: "Every rule, with its reason" })
    const names = await steps.locator("b").allInnerTexts()
    expect(names.map((name) => name.split(",")[0]!.trim())).toEqual([
      "Source",
      "Found",
      "robots.txt",
      "Last visit",
      "Text",
      "Index",
      "Visits",
      "Rank",
    ])
    const indexed = page.getByRole("region", { name: "In the index" })
    await indexed.getByText("Thread 2 is explained here").first().waitFor()
    const links = page.getByRole("list", { name: "Pages that link to it" })
    expect(await links.getByRole("link").allInnerTexts()).toEqual([workshop.start("forum")])
    await page.getByRole("button", { name: "Read it now" }).click()
    const now = page.getByRole("region", { name: "How Fossick reads it now" })
    await now.getByText("unchanged", { exact: true }).waitFor()
    await now.getByText("200 text/html").waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    // A reload shows the same content.
    await page.reload()
    await verdict.getByText(/It is in the index: it is number \d+ for "thread 2"/).waitFor()
    expect(complaints).toEqual([])
  })

  test("a page that is not found shows which rule stopped it, and links to a remedy", async () => {
    await using opened = await open(inspecting("forum", "thread-9"))
    const { page } = opened
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByText(/It is not in the index: .*robots.txt/).waitFor()
    await page.getByRole("listitem").filter({ hasText: "robots.txt, stopped here" }).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.goto(workshop.url + "/console?view=page&url=https%3A%2F%2Fnowhere.invalid%2Fdocs%2F")
    await verdict.getByText(/It is not in the index/).waitFor()
    await page.getByRole("link", { name: "Add a source for it" }).click()
    expect(await page.getByLabel("Address of the site").inputValue()).toBe("https://nowhere.invalid/docs/")
  })

  test("a page is visited again in a due run of its source, among the first", async () => {
    await using opened = await open(inspecting("manual", "chapter-6"))
    const { page, complaints } = opened
    const visit = async () => {
      const url = encodeURIComponent(`${workshop.start("manual")}chapter-6`)
      const headers = { Authorization: `Bearer ${workshop.adminKey}` }
      const answer = await fetch(`${workshop.url}/admin/page?url=${url}`, { headers })
      return ((await answer.json()) as { known: { job_id: number; due_at: string | null }[] }).known[0]!
    }
    const before = await visit()
    expect(before.due_at).not.toBeNull()
    await page.getByRole("button", { name: "Recrawl" }).click()
    await page.getByText("The page will be crawled again").waitFor()
    await page.getByText("due now", { exact: false }).first().waitFor()
    expect((await visit()).due_at).toBeNull()
    await workshop.work("manual")
    const after = await visit()
    expect(after.job_id).toBeGreaterThan(before.job_id)
    expect(after.due_at).not.toBeNull()
    expect(complaints).toEqual([])
  })

  test("a source can be added and a page inspected with the keyboard alone", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    /** Presses Tab until the element with this name has the focus, and returns its description. */
    const tabTo = async (name: RegExp) => {
      for (let tabs = 0; tabs < 80; tabs++) {
        await page.keyboard.press("Tab")
        const focused = await page.evaluate<string>(
          `(() => { const one = document.activeElement
               return one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText ?? "" })()`,
        )
        if (name.test(focused.trim())) return
      }
      throw new Error(`nothing is called ${String(name)}`)
    }
    await page.getByRole("list", { name: "Sources" }).waitFor()
    await tabTo(/^Add a source$/)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Add a source" }).waitFor()
    await tabTo(/^Address of the site$/)
    await page.keyboard.insertText(workshop.start("manual"))
    await page.keyboard.press("Enter")
    await page.getByRole("list", { name: /as Fossick reads them/ }).waitFor()
    await tabTo(/^Name$/)
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.insertText("by keyboard")
    await tabTo(/^Scope$/)
    await page.keyboard.press("ArrowDown")
    await page.getByText("scope: prefix").waitFor()
    await tabTo(/^Save$/)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor()
    await page.getByRole("list", { name: "Sources" }).getByText("by keyboard").first().waitFor()

    await tabTo(/^Pages$/)
    await page.keyboard.press("Enter")
    await page.getByText("Why does a search find a page, or miss it?").waitFor()
    await tabTo(/^Address of the page$/)
    await page.keyboard.insertText(`${workshop.start("manual")}chapter-5`)
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Verdict" }).getByText("Chapter 5").waitFor()
    await tabTo(/^Read it now$/)
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "How Fossick reads it now" }).getByText("200 text/html").waitFor()
    expect(complaints).toEqual([])
  })
})
