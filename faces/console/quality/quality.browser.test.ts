import type { Locator, Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { tabTo } from "../../testing/tab-to.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// Search quality and rules in a real browser, over an index filled by real runs. Axe checks each screen once it shows
// content.

/** A word that is on no page, and unlike any in the workshop. */
const UNKNOWN = "zyzzyva"

const executablePath = await findTestBrowser()

describe("search quality in a browser", { tags: ["chromium"] }, () => {
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

  async function open(path: string, { at = workshop } = {}) {
    return await openSignedIn(browser, { url: at.url, key: at.adminKey }, path, WIDTHS.desktop)
  }

  /** Makes a call with a key. */
  async function call(method: string, path: string, body?: object, key = workshop.adminKey) {
    const response = await fetch(workshop.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
    return (await response.json()) as any
  }
  const search = async (query: string) => {
    const { results } = await call("POST", "/search", { query }, workshop.key)
    return (results as readonly { readonly title: string }[]).map(({ title }) => title)
  }
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })
  const h2 = (page: Page, name: string) => page.getByRole("heading", { level: 2, name })

  test("with the keyboard alone, a question without results gets a synonym, is compared before and after, and finds a page", async () => {
    expect(await search(UNKNOWN)).toEqual([])
    expect(await search("chapter")).not.toEqual([])
    await using opened = await open("/console")
    const { page, complaints } = opened
    const press = async (there: Locator) => {
      await tabTo(page, there)
      await page.keyboard.press("Enter")
    }
    await press(
      page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Search quality" }),
    )
    await heading(page, "Search quality").waitFor()
    await page.getByRole("table", { name: "Found nothing" }).waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await press(page.getByRole("table", { name: "Found nothing" }).getByRole("link", { name: UNKNOWN }))
    await heading(page, UNKNOWN).waitFor()
    await page.getByText("Nothing found").waitFor()
    await press(page.getByRole("link", { name: "Add a synonym" }))
    await heading(page, "New synonym").waitFor()
    const words = page.getByLabel("Words or phrases")
    // Opening another page clears the cookies, and a call without cookies would sign this page out.
    await words.waitFor()
    // A synonym started from the rules screen also begins with the most frequent unanswered question.
    const rules = await open("/console?view=rule&kind=synonym")
    expect(await rules.page.getByLabel("Words or phrases").inputValue()).toBe(UNKNOWN)
    expect(await rules.page.getByLabel("Try it with").inputValue()).toBe(UNKNOWN)
    await rules[Symbol.asyncDispose]()
    await tabTo(page, words)
    expect(await words.inputValue()).toBe(UNKNOWN)
    await page.keyboard.press("End")
    await page.keyboard.type(", chapter")
    await press(page.getByRole("button", { name: "See before and after" }))
    const found = page.getByRole("article", { name: UNKNOWN })
    await found.getByText("Changes").waitFor()
    await found.getByText("Nothing found").waitFor()
    await found.getByRole("list", { name: "After" }).getByText("Chapter 1").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    // Nothing is saved yet.
    expect(await search(UNKNOWN)).toEqual([])
    await press(page.getByRole("button", { name: "Save" }))
    await heading(page, UNKNOWN).waitFor()
    const hits = page.getByRole("list", { name: "What it finds now" })
    await hits.getByRole("link", { name: "Chapter 1" }).first().waitFor()
    expect(await hits.getByText(UNKNOWN, { exact: true }).count()).toBeGreaterThan(0)
    expect(await search(UNKNOWN)).toContain("Chapter 1")
    expect(complaints).toEqual([])
    await call("DELETE", `/admin/rules/${UNKNOWN}`)
  })

  test("a question is judged and run, a trial rule makes it worse, and its rank is recorded", async () => {
    await using opened = await open("/console?view=quality&shown=judged")
    const { page, complaints } = opened
    await page.getByText("No judged questions yet").waitFor()
    await page.getByLabel("Open a question").fill("chapter 2")
    await page.getByRole("button", { name: "Open" }).click()
    await heading(page, "chapter 2").waitFor()
    const answers = page.getByLabel("How well it answers the question: Chapter 2")
    expect(await answers.locator("option:checked").textContent()).toBe("Not judged")
    await answers.selectOption("Fully")
    await page.getByLabel("Another page").fill("ftp://nowhere")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("button", { name: "Save the judgement" }).click()
    await page.getByText("must be an http or https address").waitFor()
    await page.getByRole("button", { name: "Remove ftp://nowhere" }).click()
    await page.getByRole("button", { name: "Save the judgement" }).click()
    await page.getByText("No run has asked this question yet").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    const { questions } = await call("GET", "/admin/judged-questions")
    expect(questions).toMatchObject([{ question: "chapter 2", pages: [{ grade: 3 }] }])

    // The explanation of a result, and a pin that would make the ranking worse.
    await page.getByText("Why this rank").first().click()
    await page.getByText("Words of the question").waitFor()
    const { url } = questions[0].pages[0] as { readonly url: string }
    await page.goto(
      `${workshop.url}/console?${new URLSearchParams({
        view: "rule",
        kind: "pin",
        question: "chapter 2",
        url: url.replace("chapter-2", "chapter-3"),
      }).toString()}`,
    )
    await page.getByRole("button", { name: "See before and after" }).click()
    const change = page.getByRole("table", { name: "Judged questions with a different rank" })
    await change.getByText("becomes").first().waitFor()
    expect((await change.getByRole("row").nth(1).innerText()).replaceAll(/\s+/g, " ")).toMatch(
      /^chapter 2 1 → becomes 2 1[.,]000 → becomes 0[.,]631$/,
    )

    await page.goto(`${workshop.url}/console?view=quality&shown=judged`)
    for (const runs of [1, 2]) {
      await page.getByRole("button", { name: "Ask all now" }).click()
      await expect
        .poll(
          async () =>
            (await call("GET", "/admin/judged-runs")).runs.filter(
              (one: { state: string }) => one.state === "finished",
            ).length as number,
        )
        .toBe(runs)
      await page.reload()
      await page.getByRole("button", { name: "Ask all now" }).waitFor()
    }
    await page.getByRole("img", { name: /^nDCG@10 of the judged questions by run: from 1.000/ }).waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("link", { name: "chapter 2" }).click()
    await page
      .getByRole("img", {
        name: "Rank of the first expected page by run: from rank 1 to rank 1, last rank 1",
      })
      .waitFor()
    await page.getByText("All values").click()
    expect(
      await page
        .getByRole("table", { name: /Rank of the first/ })
        .getByRole("row")
        .count(),
    ).toBe(3)

    await page.goto(`${workshop.url}/console?view=quality&shown=runs`)
    const runs = page.getByRole("table", { name: "Runs of judged questions" }).getByRole("link")
    await runs.first().waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await runs.first().click()
    const inRun = page
      .getByRole("table", { name: "Questions in this run" })
      .getByRole("link", { name: "chapter 2" })
    await inRun.waitFor()
    expect(await page.getByLabel("Compare with the run of").count()).toBe(1)
    const [one, other] = (await call("GET", "/admin/judged-runs")).runs as readonly { readonly id: number }[]
    await page.goto(`${workshop.url}/console?view=judged-run&run=${one!.id}&against=${other!.id}`)
    await inRun.waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  })

  test("a file of judged questions is imported and exported; errors are reported by line", async () => {
    await using opened = await open("/console?view=quality&shown=judged")
    const { page, complaints } = opened
    const file = (name: string, text: string) => ({
      name,
      mimeType: "application/yaml",
      buffer: Buffer.from(text),
    })
    const input = page.getByLabel("File of judged questions, YAML or JSON")
    await input.setInputFiles(
      file("wrong.yaml", "questions:\n  - question: a\n    pages: [{ url: ftp://x }]\n"),
    )
    await page.getByText(/line 3: ftp:\/\/x isn't an http or https address/).waitFor()
    await input.setInputFiles(
      file(
        "judged.yaml",
        "questions:\n  - question: the forum\n    pages: [{ url: 'https://x.example/' }]\n",
      ),
    )
    await page.getByRole("link", { name: "the forum" }).waitFor()
    const downloading = page.waitForEvent("download")
    await page.getByRole("link", { name: "Export" }).click()
    const downloaded = await downloading
    expect(downloaded.suggestedFilename()).toBe("judged.yaml")
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  })

  test("rules are listed, changed and removed, each with a preview; errors are shown at their fields", async () => {
    await using opened = await open("/console?view=rules")
    const { page, complaints } = opened
    await page.getByText("No rules yet").waitFor()
    await page.getByRole("link", { name: "Boost", exact: true }).click()
    await heading(page, "New boost").waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Choose at least one condition").waitFor()
    await page.getByLabel("forum").check()
    await page.getByLabel("Factor").fill("9")
    await page.getByRole("button", { name: "See before and after" }).click()
    await page.getByText("must be <= 4").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByLabel("Factor").fill("2")
    await page.getByLabel("Try it with").fill("chapter 2\nthread")
    await page.getByRole("button", { name: "See before and after" }).click()
    await page.getByRole("article", { name: "thread" }).waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await h2(page, "Boosts").waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("link", { name: "Pages from forum" }).click()
    await page.getByLabel("Under these paths").fill("/thread-*")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("link", { name: "Pages from forum, under /thread-*" }).waitFor()
    expect((await call("GET", "/admin/rules")).rules).toEqual([
      { id: "forum", kind: "boost", where: { sources: ["forum"], paths: ["/thread-*"] }, factor: 2 },
    ])
    await page.getByRole("button", { name: "Remove forum" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("region", { name: "Before and after" }).waitFor()
    await dialog.getByRole("button", { name: "Keep it" }).click()
    await page.getByRole("button", { name: "Remove forum" }).click()
    await dialog.getByRole("button", { name: "Remove it" }).click()
    await page.getByText("No rules yet").waitFor()
    expect((await call("GET", "/admin/rules")).rules).toEqual([])
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  })

  test("feedback is shown with its pages, as text", async () => {
    const hostile = "<img src=x onerror=hacked=1>"
    await call("POST", "/feedback", {
      request_id: "r",
      human_score: 0,
      comment: hostile,
      used_urls: ["https://docs.example.com/a", "javascript:hacked=1"],
    })
    await call("POST", "/feedback", {
      session_id: "session-7",
      human_score: 1,
      agent_score: 0.25,
      extra_scores: [{ label: "tone", value: 3 }],
      used_ids: ["r-00"],
      used_citations: ["Quoted words"],
      urls_scores: [{ url: "https://docs.example.com/b", agent_score: -1, comment: "out of date" }],
    })
    await using opened = await open("/console?view=quality&shown=feedback")
    const { page, complaints } = opened
    await page.getByText("Did not help").waitFor()
    await page.getByText("Helped", { exact: true }).waitFor()
    await page.getByText(hostile).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    for (const one of await page.getByText("Details").all()) await one.click()
    const more = await page.getByText("A program’s score").innerText()
    expect(more.split("\n")).toEqual([
      "A program’s score: 0.25",
      "Other scores: tone 3",
      "Quotes used: Quoted words",
      "Results used: r-00",
      "Pages judged: https://docs.example.com/b · -1 · out of date",
      "Session: session-7",
    ])
    await page.getByRole("link", { name: "https://docs.example.com/a" }).waitFor()
    expect(await page.getByRole("link", { name: "javascript:" }).count()).toBe(0)
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test("without a query log, the screen says how to enable it; the whole log can be deleted", async () => {
    await using bare = await openWorkshop({ isNew: true })
    await using closed = await open("/console?view=quality", { at: bare })
    await closed.page.getByText("FOSSICK_QUERY_LOG_DAYS=30").waitFor()
    await search("something to forget")
    await using opened = await open("/console?view=quality&report=top")
    const { page } = opened
    await page.getByRole("link", { name: "something to forget" }).waitFor()
    await page.getByRole("button", { name: "Forget all…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Forget them" }).click()
    await page.getByText("No questions yet").waitFor()
    expect((await call("GET", "/admin/queries")).total).toBe(0)
  })
})
