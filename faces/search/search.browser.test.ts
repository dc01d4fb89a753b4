import type { Locator, Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { answersInTime } from "../testing/answers-in-time.ts"
import { faultsOf, WIDTHS } from "../testing/axe.ts"
import { type GardenAppliance, openGarden } from "../testing/garden.ts"
import { beginSession } from "../testing/open-signed-in.ts"
import { tabTo } from "../testing/tab-to.ts"
import { openWatchedPage } from "../testing/watched-page.ts"

// The search page in a real browser, over a real crawl of a site with some hostile pages.

// The parts of the page used by functions that run inside the browser.
interface Link {
  readonly protocol: string
  readonly rel: string
}
interface Picture {
  readonly naturalWidth: number
}
declare const document: { readonly activeElement: unknown }

const QUESTION = "how are pumps cleaned?"

const executablePath = await findTestBrowser()

describe("the search page in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let garden: GardenAppliance

  beforeAll(async () => {
    garden = await openGarden()
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await garden?.[Symbol.asyncDispose]()
  })

  /** A separate page, signed in by default; errors reported by the browser are collected. */
  async function open(path = "/", { key = garden.key }: { key?: string | null } = {}) {
    const { page, complaints } = await openWatchedPage(browser, garden.url, WIDTHS.desktop)
    if (key !== null) await beginSession(browser, { url: garden.url, key })
    await page.goto(garden.url + path)
    if (key !== null) await box(page).waitFor()
    return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
  }

  const box = (page: Page) => page.getByRole("combobox", { name: "Search" })
  const results = (page: Page) => page.getByRole("list", { name: "Results" }).getByRole("article")
  const asked = (question: string) => `/?q=${encodeURIComponent(question)}`

  test("a citation leads from the answer to the passage in its page", async () => {
    await using opened = await open("/")
    const { page, complaints } = opened
    await box(page).fill(QUESTION)
    await page.getByRole("button", { name: "Search" }).click()
    const answer = page.getByRole("region", { name: "Answer" })
    await answer.getByText("Pumps are cleaned with warm water").waitFor()
    await results(page).first().waitFor()
    expect(await page.title()).toBe(`${QUESTION} · Fossick`)
    await answer
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click()
    const copy = page.getByRole("dialog", { name: "Cleaning pumps" })
    await copy.locator(".passage").getByText("Pumps are cleaned with warm water").waitFor()
    await copy.getByText(/^Crawled on/).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.keyboard.press("Escape")
    await copy.waitFor({ state: "detached" })
    expect(complaints).toEqual([])
  })

  test("an answer has steps as a list, code as code, and a table that scrolls within its box", async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await answersInTime(page)
    await page.goto(garden.url + asked("how do I close the valve and cover the pump?"))
    const answer = page.getByRole("region", { name: "Answer" })
    await answer.getByText("Close the valve of the well.").waitFor()
    const steps = answer.getByRole("listitem")
    expect(await steps.allInnerTexts()).toEqual([
      "Close the valve of the well.",
      "Empty the pump with its own program:",
      // Markdown and HTML marks are shown as part of the page's text; the number is the source.
      "Cover the pump with __init__ straw & <b>felt</b>.1",
    ])
    expect(await answer.getByRole("list").last().getAttribute("start")).toBe("3")
    const code = answer.getByRole("group", { name: "Code" })
    expect(await code.innerText()).toMatch(/^pumpctl drain .+\n\npumpctl status argv\[1\] \[2\]$/)
    expect(await answer.getByRole("button", { name: /^Source/ }).count()).toBe(1)
    expect(await faultsOf(page, "phone")).toEqual([])
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await answer.getByRole("button", { name: "Copy code" }).click()
    await page.getByText("Code copied").waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await code.innerText())
    await answer.getByRole("button", { name: /^Source 1/ }).click()
    const copied = page.getByRole("dialog", { name: "Winter" }).locator(".passage")
    await copied.getByText("Close the valve of the well.").waitFor()
    await copied.getByText(/pumpctl drain/).waitFor()

    await page.goto(garden.url + asked("default pressure of the north valve"))
    const cells = answer.getByRole("table").getByRole("row").nth(1).getByRole("cell")
    await cells.first().waitFor()
    expect(await cells.allInnerTexts()).toEqual([
      "north_valve",
      "1.5 bar",
      "4 bar",
      "natural rubber",
      "12 seconds",
    ])
    expect(await faultsOf(page, "phone")).toEqual([])
    await answer.getByRole("button", { name: /^Source 1/ }).click()
    await page.getByRole("dialog").locator(".passage").getByRole("table").waitFor()
    expect(complaints).toEqual([])
  })

  test("a notice above the results names the question's language when no pages are in it", async () => {
    await using opened = await open(asked("¿cómo se limpian las pumps y con qué?"))
    const { page, complaints } = opened
    await page.getByText("The question is in Spanish, but few or none of the pages searched are.").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("a wrong key gets an error message, and signing out ends a session", async () => {
    await using opened = await open("/", { key: null })
    const { page } = opened
    await page.getByLabel("API key").fill("fsk-wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("This key is not valid").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByLabel("API key").fill(garden.key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await box(page).waitFor()
    const cookies = await browser.context.cookies()
    expect(cookies).toMatchObject([{ name: "fossick-session", httpOnly: true, sameSite: "Strict" }])
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    expect(await browser.context.cookies()).toEqual([])
  })

  test("the address captures the view: it can be shared, reloaded and navigated back", async () => {
    await using opened = await open(asked(QUESTION))
    const { page } = opened
    await results(page).first().waitFor()
    await results(page)
      .first()
      .getByRole("button", { name: /^Stored copy/ })
      .click()
    await page.getByRole("dialog").locator(".passage").first().waitFor()
    const address = page.url()
    await page.goto(address)
    await page.getByRole("dialog").locator(".passage").first().waitFor()
    await page.goBack()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await box(page).fill("tulips")
    await box(page).press("Enter")
    await page.getByRole("link", { name: "Tulips" }).waitFor()
    await page.goBack()
    await page.getByRole("link", { name: "Cleaning pumps" }).first().waitFor()
    expect(await box(page).inputValue()).toBe(QUESTION)
  })

  test("no keystroke is lost: the box has focus as soon as it appears", async () => {
    await using opened = await open()
    const { page } = opened
    // Observers run before the next paint, and therefore before the next key press.
    await page.addInitScript(`new MutationObserver((_, observer) => {
        const box = document.querySelector("[role=combobox]")
        if (!box) return
        observer.disconnect()
        globalThis.hadFocus = document.activeElement === box
      }).observe(document, { childList: true, subtree: true })`)
    await page.reload()
    await box(page).waitFor()
    expect(await page.evaluate("globalThis.hadFocus")).toBe(true)
  })

  test("everything can be done with the keyboard alone", async () => {
    await using opened = await open("/")
    const { page, complaints } = opened
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''")
    // The box already has the focus; the user moves through the suggestions and chooses one.
    await page.keyboard.type("clean")
    await page.getByRole("option").first().waitFor()
    await page.keyboard.press("ArrowDown")
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(await box(page).getAttribute("aria-activedescendant")).toBe(
      await page.getByRole("option", { selected: true }).getAttribute("id"),
    )
    await page.keyboard.press("Enter")
    await results(page).first().waitFor()
    expect(await page.getByRole("listbox").isHidden()).toBe(true)
    // The focus moves from the box to the results, and through them.
    await results(page).first().getByRole("link").first().focus()
    const first = await focused()
    await page.keyboard.press("ArrowDown")
    const second = await focused()
    expect([first, second].includes("")).toBe(false)
    expect(second).not.toBe(first)
    await page.keyboard.press("ArrowUp")
    expect(await focused()).toBe(first)
    // The stored copy takes the focus, and returns it when closed.
    const copyButton = results(page)
      .first()
      .getByRole("button", { name: /^Stored copy/ })
    await copyButton.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    expect(await page.evaluate("document.querySelector('dialog').contains(document.activeElement)")).toBe(
      true,
    )
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await copyButton.evaluate((element) => element === document.activeElement)).toBe(true)
    // `/` moves the focus back to the box, which Escape empties.
    await page.keyboard.press("/")
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("combobox")
    await page.keyboard.press("Escape")
    expect(await box(page).inputValue()).toBe("")
    expect(complaints).toEqual([])
  })

  test("a person without a mouse signs in, asks, reads a citation, filters, reads a stored copy, and requests a page", async () => {
    await using opened = await open("/", { key: null })
    const { page, complaints } = opened
    const { keyboard } = page
    const goTo = (there: Locator, key?: "Shift+Tab") => tabTo(page, there, key)
    await goTo(page.getByLabel("API key"))
    await keyboard.insertText(garden.key)
    await keyboard.press("Enter")
    await goTo(box(page))
    await keyboard.insertText(QUESTION)
    await keyboard.press("Enter")
    const citation = page
      .getByRole("region", { name: "Answer" })
      .getByRole("button", { name: /^Source 1/ })
      .first()
    await goTo(citation)
    await keyboard.press("Enter")
    await page
      .getByRole("dialog")
      .locator(".passage")
      .getByText("Pumps are cleaned with warm water")
      .waitFor()
    await keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await citation.evaluate((element) => element === document.activeElement)).toBe(true)

    const filter = page.getByRole("form", { name: "Filters" }).getByRole("checkbox", { name: "2025" })
    await goTo(filter, "Shift+Tab")
    await keyboard.press("Space")
    const chosen = page.getByRole("list", { name: "Chosen filters" }).getByRole("button", { name: /2025/ })
    await chosen.waitFor()
    expect(new URL(page.url()).searchParams.getAll("published")).toEqual(["2025"])
    await goTo(chosen)
    await keyboard.press("Enter")
    await chosen.waitFor({ state: "detached" })

    await goTo(
      results(page)
        .first()
        .getByRole("button", { name: /^Stored copy/ }),
    )
    await keyboard.press("Enter")
    await page
      .getByRole("dialog")
      .getByText(/^Crawled on/)
      .waitFor()
    await keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })

    await goTo(page.getByRole("button", { name: "Ask for a page to be added" }))
    await keyboard.press("Enter")
    const address = page.getByRole("dialog").getByLabel("Address of the page or its site")
    await goTo(address)
    await keyboard.insertText("https://pumps.example/")
    await keyboard.press("Enter")
    await page.getByText("Thank you. The operator can see your request.").waitFor()
    expect(await garden.requests()).toContainEqual(expect.objectContaining({ url: "https://pumps.example/" }))
    expect(complaints).toEqual([])
  })

  test("nothing in a page is ever executed", async () => {
    await using opened = await open(asked("hostile weeds"))
    const { page, complaints } = opened
    const hostile = page.getByRole("link", { name: /img src=x onerror/ })
    await hostile.waitFor()
    // All of the markup is shown, as text.
    expect(await results(page).filter({ has: hostile }).innerText()).toContain("<script>")
    await results(page)
      .filter({ has: hostile })
      .getByRole("button", { name: /^Stored copy/ })
      .click()
    const copy = page.getByRole("dialog")
    await copy.getByText("Weeds are hostile").first().waitFor()
    await copy.getByText("<script>").first().waitFor()
    expect(await copy.locator("script, iframe, img, [onerror], [onclick], [style]").count()).toBe(0)
    const links = await copy
      .getByRole("link")
      .evaluateAll((all) =>
        all.map((link) => [(link as unknown as Link).protocol, (link as unknown as Link).rel] as const),
      )
    for (const [protocol, rel] of links) {
      expect(protocol).toMatch(/^(https?|mailto):$/)
      expect(rel).toBe("noreferrer noopener")
    }
    await page.keyboard.press("Escape")
    await page.goto(
      `${garden.url}/?q=${encodeURIComponent('<img src=x onerror="hacked=1">')}&source=<script>hacked=1</script>`,
    )
    await page.getByRole("tabpanel").or(page.getByRole("alert")).first().waitFor()
    // Markup in suggestions doesn't run, either.
    await page.goto(garden.url)
    await box(page).pressSequentially("weeds")
    const suggestion = page.getByRole("option", { name: /<svg onload/ })
    await suggestion.waitFor()
    expect(await page.getByRole("listbox").locator("img, script, [onload], [onerror]").count()).toBe(0)
    expect(await page.evaluate("typeof hacked")).toBe("undefined")
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([])
  })

  test("results can be narrowed by what pages have in common", async () => {
    await using opened = await open(asked("garden"))
    const { page, complaints } = opened
    const filters = page.getByRole("form", { name: "Filters" })
    await filters.getByRole("checkbox", { name: "2024" }).check()
    await page.getByRole("list", { name: "Chosen filters" }).getByRole("button", { name: /2024/ }).waitFor()
    await expect.poll(() => results(page).count()).toBe(1)
    await page.getByRole("link", { name: "Roses" }).waitFor()
    expect(new URL(page.url()).searchParams.getAll("published")).toEqual(["2024"])
    // The other years stay visible, with their page counts.
    expect(await filters.getByText("2025").count()).toBe(1)
    await page.getByRole("list", { name: "Chosen filters" }).getByRole("button", { name: /2024/ }).click()
    await expect.poll(() => results(page).count()).toBeGreaterThan(1)
    expect(complaints).toEqual([])
  })

  test("folders and versions narrow the results, and hostile names are shown as text", async () => {
    await using opened = await open(asked("seals"))
    const { page, complaints } = opened
    const filters = page.getByRole("form", { name: "Filters" })
    await filters.getByRole("checkbox", { name: /img src=x onerror/ }).waitFor()
    expect(await filters.locator("img, script").count()).toBe(0)
    await filters.getByRole("checkbox", { name: "3.13" }).check()
    await expect.poll(() => results(page).count()).toBe(1)
    await page.getByRole("link", { name: "Seals of 3.13" }).waitFor()
    expect(new URL(page.url()).searchParams.getAll("version")).toEqual(["3.13"])
    await page.reload()
    await expect.poll(() => results(page).count()).toBe(1)
    await filters.getByRole("checkbox", { name: "3.13" }).uncheck()
    await filters.getByRole("checkbox", { name: "/manual" }).check()
    await expect.poll(() => results(page).count()).toBe(2)
    await filters.getByRole("checkbox", { name: /img src=x onerror/ }).check()
    await expect.poll(() => results(page).count()).toBe(3)
    expect(await page.evaluate("typeof hacked")).toBe("undefined")
    expect(complaints).toEqual([])
  })

  test("misspelled words show their corrections, and a page names its translation", async () => {
    await using opened = await open(asked("brsuh for pmups"))
    const { page, complaints } = opened
    expect(await page.locator(".corrected").innerText()).toContain(
      "few or no pages contain “brsuh” or “pmups”",
    )
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("link", { name: "brush for pumps", exact: true }).click()
    await results(page).first().waitFor()
    expect(await box(page).inputValue()).toBe("brush for pumps")
    await expect.poll(() => page.locator(".corrected").count()).toBe(0)
    await page.goto(garden.url + asked("when are tulips planted?"))
    const tulips = results(page).filter({ hasText: "three times as deep" })
    const translation = tulips.getByRole("link", { name: "In German" })
    expect(await translation.getAttribute("href")).toMatch(/\/de\/tulips$/)
    expect(complaints).toEqual([])
  })

  test("admins see a link to the console, and others do not", async () => {
    {
      await using opened = await open("/")
      expect(await opened.page.getByRole("link", { name: "Console" }).count()).toBe(0)
    }
    await using opened = await open("/", { key: garden.adminKey })
    await opened.page.getByRole("list", { name: "Sources" }).getByRole("listitem").first().waitFor()
    expect(await faultsOf(opened.page, "desktop")).toEqual([])
    await opened.page.getByRole("link", { name: "Console" }).click()
    await opened.page.waitForURL(/\/console$/)
  })

  test("images come from the appliance, and link to their pages", async () => {
    await using opened = await open(`${asked("garden pumps")}&view=images`)
    const { page, complaints } = opened
    const picture = page.getByRole("tabpanel").getByRole("img").first()
    await picture.waitFor()
    await expect.poll(() => picture.evaluate((one) => (one as unknown as Picture).naturalWidth)).toBe(320)
    expect(await picture.getAttribute("src")).toContain(`${garden.url}/thumbnails?`)
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("an empty result explains why, and offers to remove the filters", async () => {
    await using opened = await open(`${asked("pumps")}&type=pdf`)
    const { page } = opened
    await page.getByRole("heading", { name: /No results for/ }).waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("button", { name: "Search without filters" }).click()
    await results(page).first().waitFor()
    expect(new URL(page.url()).searchParams.has("type")).toBe(false)
  })

  test("weak matches are labelled, folded, and get no answer", async () => {
    await using opened = await open(asked("zzqxv wubbleflorp"))
    const { page, complaints } = opened
    await page.getByRole("heading", { name: "No good match for “zzqxv wubbleflorp”" }).waitFor()
    expect(await results(page).count()).toBe(0)
    await page.getByText(/^Show (\d+ weak matches|1 weak match)$/).click()
    await results(page).first().waitFor()
    expect(await page.getByRole("region", { name: "Answer" }).count()).toBe(0)
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("the operator receives feedback on what helped and what is missing", async () => {
    await using opened = await open(asked(QUESTION))
    const { page } = opened
    await page.getByRole("button", { name: "This helped" }).click()
    await page.getByText("Thank you.").waitFor()
    // The feedback includes the pages that the answer cites.
    await expect
      .poll(() => garden.feedback())
      .toContainEqual(
        expect.objectContaining({ human_score: 1, used_urls: [expect.stringMatching(/^http:\/\//)] }),
      )
    await page.goto(garden.url + asked("zebra migration in the savannah"))
    await page.getByRole("button", { name: "Ask for a page to be added" }).click()
    const form = page.getByRole("dialog", { name: "Ask for a page to be added" })
    await form.getByLabel("Address of the page or its site").fill("javascript:hacked=1")
    await form.getByRole("button", { name: "Send" }).click()
    await form.getByText("Must be an http or https address.").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await form.getByLabel("Address of the page or its site").fill("https://zebras.example/migration")
    await form.getByRole("button", { name: "Send" }).click()
    await page.getByText("Thank you. The operator can see your request.").waitFor()
    await form.waitFor({ state: "detached" })
    expect(await garden.requests()).toContainEqual(
      expect.objectContaining({
        url: "https://zebras.example/migration",
        question: "zebra migration in the savannah",
        keys: 1,
      }),
    )
  })

  test("only admins see why a result is ranked where it is", async () => {
    {
      await using opened = await open(asked(QUESTION))
      await results(opened.page).first().waitFor()
      expect(await opened.page.getByText("Why this result").count()).toBe(0)
    }
    await using opened = await open(asked(QUESTION), { key: garden.adminKey })
    const { page } = opened
    // A long answer moves the results down when it arrives.
    await page.locator(".answer[aria-busy=false]").waitFor()
    const why = page.getByText("Why this result").first()
    const before = await why.boundingBox()
    await why.click()
    await page.getByRole("meter", { name: "Words of the question" }).waitFor()
    expect(await why.boundingBox(), "it stays under the pointer").toEqual(before)
    // One of the pages has words wider than a phone.
    await page.getByRole("link", { name: /^Tools for-cleaning/ }).waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
  })

  test("an open appliance requires no sign-in, and shows what its key may see", async () => {
    const url = await garden.openToAll()
    await browser.context.clearCookies()
    const page = await browser.context.newPage()
    await page.goto(url + asked(QUESTION))
    await results(page).first().waitFor()
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0)
    await page.close()
  })
})
