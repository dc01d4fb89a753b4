import type { Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { answersInTime } from "../testing/answers-in-time.ts"
import { complaintsOf, WIDTHS, WITH_EVERY_LOOK } from "../testing/axe.ts"
import { type GardenAppliance, openGarden } from "../testing/garden.ts"
import { type HostPages, serveHostPages } from "../testing/host-pages.ts"
import { openWatchedPage } from "../testing/watched-page.ts"

// The widget on pages of another origin, in a real browser, over a real crawl of a site with some hostile pages.

// The parts of the page used by functions that run inside the browser.
interface Element {
  readonly id: string
  readonly shadowRoot: { readonly activeElement: Element | null } | null
}
declare const document: {
  readonly activeElement: Element | null
  readonly documentElement: {
    setAttribute(name: string, value: string): void
    removeAttribute(name: string): void
    readonly scrollWidth: number
    readonly clientWidth: number
  }
}
declare function getComputedStyle(element: unknown): { readonly color: string; readonly fontSize: string }

const DESKTOP = WIDTHS.desktop
/** Pages in light and dark colours, and the looks to check them in. */
const LOOKS = WITH_EVERY_LOOK
  ? ["/strict", "/dark"].flatMap((path) => Object.values(WIDTHS).map((size) => ({ path, ...size })))
  : [
      { path: "/strict", ...DESKTOP },
      { path: "/dark", ...WIDTHS.phone },
    ]

const executablePath = await findTestBrowser()

describe("the widget in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let garden: GardenAppliance
  let site: HostPages
  let key: string

  beforeAll(async () => {
    garden = await openGarden()
    site = await serveHostPages((path) => pageOf(path))
    key = await garden.publicKey([site.origin])
    browser = await openBrowser(executablePath!)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
    await garden?.[Symbol.asyncDispose]()
  })

  /** Allows only the appliance's script and calls, and the page's own style sheet by its digest. */
  const policy = () =>
    [
      "default-src 'none'",
      `script-src ${garden.url}`,
      `connect-src ${garden.url}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; ")

  const page = (attributes: string, more = "", head = "") =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Manual</title>${head}
       <meta name="viewport" content="width=device-width, initial-scale=1">
       <script src="${garden.url}/widget.js" data-key="${key}" ${attributes} defer></script></head>
       <body><main><h1>Manual</h1><p>A page. <a id="elsewhere" href="#here">A link</a></p>${more}</main></body></html>`

  function pageOf(path: string) {
    switch (path) {
      case "/strict":
        return { html: page('data-answers data-label="Search the garden"'), csp: policy() }
      case "/button":
        return { html: page('data-button=".find"', '<button class="find" id="find"><b>Find</b></button>') }
      case "/versions":
        return { html: page('data-versions="2.0=/manual/3.13/ 1.0=/manual/3.12/"') }
      case "/manual/3.12/start":
        return { html: page('data-versions="2.0=/manual/3.13/ 1.0=/manual/3.12/"') }
      case "/path":
        return { html: page('data-path="/manual/3.13/"') }
      case "/nowhere":
        return { html: page('data-path="/nowhere/"') }
      case "/here":
        return { html: page('data-links="here"') }
      case "/wrong":
        return { html: page('data-theme="pink"') }
      case "/no-key":
        return { html: page("").replace(key, "fsk-pub-nobody") }
      case "/loud":
        return {
          html: page(
            "",
            '<div id="probe">Probe</div>',
            `<style>html{font-size:31px} *{color:red!important;letter-spacing:9px;text-transform:uppercase} :root{--ink:red;--surface:red}
               div,dialog,input{display:none!important} fossick-search{display:none}</style>`,
          ),
        }
      case "/dark":
        return {
          html: page("data-answers", "", "<style>body{background:#101010;color:#eee}a{color:#8cf}</style>"),
        }
      default:
        return null
    }
  }

  /** A page of the site; errors reported by the browser are collected. */
  async function open(path: string, size = DESKTOP) {
    const { page: opened, complaints } = await openWatchedPage(browser, "", size)
    await opened.goto(site.origin + path)
    await opened.waitForFunction("window.fossick !== undefined")
    return { page: opened, complaints, [Symbol.asyncDispose]: () => opened.close() }
  }
  const box = (opened: Page) => opened.getByRole("combobox").first()
  const options = (opened: Page) => opened.getByRole("listbox", { name: "Results" }).getByRole("option")
  const option = (opened: Page, title: string) => options(opened).filter({ hasText: title }).first()
  /** Waits for an element; on failure, reports the dialog's text. */
  const offered = (opened: Page, title: string) =>
    option(opened, title)
      .waitFor()
      .catch(async (cause: unknown) => {
        const said = await opened.getByRole("dialog").innerText()
        throw new Error(`no option ${title}, but: ${said}`, { cause })
      })
  const active = (opened: Page) =>
    opened.getByRole("listbox", { name: "Results" }).getByRole("option", { selected: true })
  /** Opens the dialog and asks for an answer with the keyboard alone, although a page is offered below it. */
  const askAbove = async (opened: Page, question: string, title: string) => {
    await opened.keyboard.press("Control+k")
    await opened.keyboard.insertText(question)
    await offered(opened, title)
    await opened.keyboard.press("ArrowUp")
    expect(await active(opened).innerText()).toContain(`Answer “${question}”`)
    await opened.keyboard.press("Enter")
  }
  const background = (opened: Page) => {
    const read = (element: unknown) => getComputedStyle(element).color
    return opened.getByRole("dialog").evaluate(read)
  }

  test("opens by keyboard, searches while typing, and leads to the page, under a strict content security policy", async () => {
    await using opened = await open("/strict")
    const { page: manual, complaints } = opened
    await manual.locator("#elsewhere").focus()
    await manual.keyboard.press("Control+k")
    await manual.getByRole("dialog", { name: "Search the garden" }).waitFor()
    await manual.keyboard.type("cleaning pumps")
    await offered(manual, "Cleaning pumps")
    await manual.keyboard.press("Escape")
    await manual.getByRole("dialog").waitFor({ state: "detached" })
    expect(await manual.evaluate(() => document.activeElement?.id)).toBe("elsewhere")
    await manual.keyboard.press("Meta+k")
    await manual.keyboard.type("tulip")
    await offered(manual, "Tulips")
    expect(await active(manual).innerText()).toContain("Tulips")
    expect(complaints.filter((one) => !one.startsWith("asked for"))).toEqual([])
    await manual.keyboard.press("Enter")
    await manual.waitForURL(/\/tulips/)
  })

  test("retries when the appliance is briefly too busy", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    let calls = 0
    await manual.route(`${garden.url}/search`, async (route) => {
      if (route.request().method() !== "POST" || ++calls > 2) return await route.fallback()
      await route.fulfill({ status: 503, headers: { "Access-Control-Allow-Origin": "*" }, json: {} })
    })
    await manual.keyboard.press("Control+k")
    await manual.keyboard.insertText("tulip")
    await expect.poll(() => calls).toBe(3)
    await offered(manual, "Tulips")
    expect(await manual.getByText("having trouble").count()).toBe(0)
  })

  test("answers with citations that link to the passage, by keyboard alone", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    await askAbove(manual, "how are pumps cleaned?", "Cleaning pumps")
    const answer = manual.getByRole("region", { name: "Answer" })
    await answer.getByText("Pumps are cleaned with warm water").waitFor()
    const citation = answer.getByRole("link", { name: /^Source 1: / }).first()
    const follow = await citation.getAttribute("href")
    expect(follow).toMatch(/\/cleaning#:~:text=Pumps%20are%20cleaned/)
    for (let steps = 0; !(await citation.evaluate(isFocused)); steps++) {
      expect(steps).toBeLessThan(5)
      await manual.keyboard.press("Tab")
    }
    await manual.keyboard.press("Enter")
    await manual.waitForURL(/\/cleaning/)
  })

  test("an answer has steps as a list, code as code, and a table that scrolls within its box", async () => {
    await using opened = await open("/strict", WIDTHS.phone)
    const { page: manual, complaints } = opened
    await answersInTime(manual)
    const answer = manual.getByRole("region", { name: "Answer" })
    await manual.keyboard.press("Control+k")
    await manual.keyboard.insertText("how do I close the valve and cover the pump?")
    await offered(manual, "Winter")
    await manual.keyboard.press("ArrowUp")
    await manual.keyboard.press("Enter")
    await answer.getByRole("link", { name: /^Source 1: / }).waitFor()
    expect(await answer.getByRole("listitem").allInnerTexts()).toEqual([
      "Close the valve of the well.",
      "Empty the pump with its own program:",
      "Cover the pump with __init__ straw & <b>felt</b>.1",
    ])
    expect(await answer.getByRole("group", { name: "Code" }).innerText()).toMatch(
      /^pumpctl drain .+\n\npumpctl status argv\[1\] \[2\]$/,
    )
    // The link names words of a single element of the page, which the browser can find.
    expect(await answer.getByRole("link").getAttribute("href")).toMatch(/\/winter#:~:text=pumpctl%20drain/)
    expect(await complaintsOf(manual)).toEqual([])

    await box(manual).fill("default pressure of the north valve")
    await offered(manual, "Valves")
    await manual.keyboard.press("ArrowUp")
    await manual.keyboard.press("Enter")
    const table = answer.getByRole("table")
    await table.waitFor()
    expect(await table.getByRole("row").nth(2).getByRole("cell").first().innerText()).toBe("south_valve")
    expect(await complaintsOf(manual)).toEqual([])
    const isWithin = await manual.evaluate(
      () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
    )
    expect(isWithin).toBe(true)
    expect(complaints.filter((one) => !one.startsWith("asked for"))).toEqual([])
  })

  test("a key pressed right after a new question does not act on the previous answer", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    await askAbove(manual, "how are pumps cleaned?", "Cleaning pumps")
    await manual
      .getByRole("region", { name: "Answer" })
      .getByRole("link", { name: /^Source 1: / })
      .first()
      .waitFor()
    // Sends both keys within one frame of the page, which a test driver never does.
    await manual.evaluate(`(async () => {
      const field = document.querySelector("fossick-search").shadowRoot.querySelector("input")
      const travels = { bubbles: true, composed: true }
      field.value = "how are pumps stored?"
      field.dispatchEvent(new InputEvent("input", travels))
      await Promise.resolve()
      await Promise.resolve()
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", ...travels }))
    })()`)
    expect(await active(manual).innerText()).toContain("Answer “how are pumps stored?”")
  })

  test("keeps the focus inside while it is open", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    await manual.keyboard.press("Control+k")
    await manual.keyboard.insertText("pumps")
    await options(manual).first().waitFor()
    for (let step = 0; step < 6; step++) {
      await manual.keyboard.press("Tab")
      // Outside the dialog there is only the browser's own UI, where the page has no focus.
      expect(await manual.evaluate(() => document.activeElement?.id ?? "")).toBe("")
    }
    await manual.keyboard.press("Control+k")
    await manual.getByRole("dialog").waitFor({ state: "detached" })
  })

  test("opens from an element of the page, or from its own button", async () => {
    await using opened = await open("/button")
    await opened.page.locator("#find b").click()
    await box(opened.page).waitFor()
    expect(await opened.page.getByRole("button", { name: "Search" }).count()).toBe(0)
    await opened.page.keyboard.press("Escape")
    await using plain = await open("/versions")
    await plain.page.getByRole("button", { name: "Search" }).click()
    await box(plain.page).waitFor()
    await plain.page.mouse.click(5, 5)
    await plain.page.getByRole("dialog").waitFor({ state: "detached" })
  })

  test("keeps its keystrokes from the page", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    await manual.evaluate("window.heard = []; addEventListener('keydown', (e) => window.heard.push(e.key))")
    await manual.keyboard.press("Control+k")
    await manual.keyboard.type("s/f")
    await manual.waitForFunction(
      "document.querySelector('fossick-search').shadowRoot.querySelector('input').value === 's/f'",
    )
    expect(await manual.evaluate("window.heard.filter((key) => key.length === 1 && key !== 'k')")).toEqual([])
  })

  test("lets the reader choose a version, and starts with the page's own", async () => {
    await using opened = await open("/versions")
    const { page: manual } = opened
    await manual.keyboard.press("Control+k")
    const version = manual.getByRole("combobox", { name: "Version" })
    const typed = manual.getByRole("combobox", { name: "Search" })
    await typed.fill("seals")
    await options(manual).first().waitFor()
    const ways = () =>
      options(manual).evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href))
    const shown = async (label: string, expected: RegExp, not: RegExp) => {
      await version.selectOption({ label })
      await expect
        .poll(async () => {
          const found = await ways()
          return found.some((url) => expected.test(url)) && !found.some((url) => not.test(url))
        })
        .toBe(true)
    }
    await shown("2.0", /\/manual\/3\.13\//, /\/3\.12\//)
    await shown("1.0", /\/manual\/3\.12\//, /\/3\.13\//)
    await shown("All versions", /\/3\.12\//, /\/nothing/)
    await using inside = await open("/manual/3.12/start")
    await inside.page.keyboard.press("Control+k")
    const label = await inside.page
      .getByRole("combobox", { name: "Version" })
      .evaluate(
        (select) => (select as unknown as { selectedOptions: { label: string }[] }).selectedOptions[0]!.label,
      )
    expect(label).toBe("1.0")
  })

  test("stays within a path, and results link to the configured site", async () => {
    await using opened = await open("/path")
    await opened.page.keyboard.press("Control+k")
    await opened.page.keyboard.insertText("seals")
    await options(opened.page).first().waitFor()
    await opened.page
      .getByRole("status")
      .getByText(/result/)
      .waitFor({ state: "attached" })
    for (const url of await options(opened.page).all()) {
      expect(await url.getAttribute("href")).toContain("/manual/3.13/")
    }
    await using here = await open("/here")
    await here.page.keyboard.press("Control+k")
    await here.page.keyboard.insertText("tulips")
    await offered(here.page, "Tulips")
    expect(await option(here.page, "Tulips").getAttribute("href")).toBe(`${site.origin}/tulips`)
  })

  test("shows content of hostile pages as text", async () => {
    await using opened = await open("/strict")
    const { page: manual, complaints } = opened
    await manual.keyboard.press("Control+k")
    await manual.keyboard.insertText("hostile weeds")
    await offered(manual, "Weeds <img")
    await manual.keyboard.press("ArrowUp")
    await manual.keyboard.press("Enter")
    await manual.getByRole("region", { name: "Answer" }).getByText(/./).first().waitFor()
    expect(await manual.evaluate("window.hacked")).toBeUndefined()
    for (const link of await manual.getByRole("link").all()) {
      expect(await link.getAttribute("href")).not.toMatch(/^(?:javascript|data):/)
    }
    expect(complaints.filter((one) => !one.startsWith("asked for"))).toEqual([])
  })

  test("styles of page and widget do not affect each other", async () => {
    await using opened = await open("/loud")
    const { page: manual } = opened
    const before = await manual.locator("h1").evaluate((one) => getComputedStyle(one).color)
    await manual.keyboard.press("Control+k")
    await manual.keyboard.insertText("tulips")
    const found = option(manual, "Tulips")
    await found.waitFor()
    // Another list may arrive: an option that has just been removed has no style.
    await expect.poll(() => found.evaluate((one) => getComputedStyle(one).fontSize)).toBe("15.04px")
    expect(await background(manual)).not.toBe("rgb(255, 0, 0)")
    expect(await manual.locator("h1").evaluate((one) => getComputedStyle(one).color)).toBe(before)
  })

  test("follows the page's light or dark theme, even when it changes", async () => {
    await using opened = await open("/strict")
    const { page: manual } = opened
    await manual.keyboard.press("Control+k")
    await box(manual).waitFor()
    const light = await background(manual)
    for (const [name, dark, back] of [
      ["data-theme", "dark", "light"],
      ["data-md-color-scheme", "slate", "default"],
      ["data-bs-theme", "dark", "light"],
    ] as const) {
      await manual.evaluate(([n, v]) => document.documentElement.setAttribute(n!, v!), [name, dark])
      await expect.poll(() => background(manual)).not.toBe(light)
      await manual.evaluate(([n, v]) => document.documentElement.setAttribute(n!, v!), [name, back])
      await expect.poll(() => background(manual)).toBe(light)
      await manual.evaluate((n) => document.documentElement.removeAttribute(n), name)
    }
    await using dark = await open("/dark")
    await dark.page.keyboard.press("Control+k")
    await box(dark.page).waitFor()
    expect(await background(dark.page)).not.toBe(light)
  })

  test.each(LOOKS)(
    "$path, $width pixels: axe finds no faults, and nothing is wider than the page",
    async ({ path, ...size }) => {
      await using opened = await open(path, size)
      const { page: manual } = opened
      expect(await complaintsOf(manual)).toEqual([])
      await manual.keyboard.press("Control+k")
      await manual.keyboard.insertText("how are pumps cleaned")
      await offered(manual, "Cleaning pumps")
      expect(await complaintsOf(manual)).toEqual([])
      await manual.keyboard.press("ArrowUp")
      await manual.keyboard.press("Enter")
      const answer = manual.getByRole("region", { name: "Answer" })
      await answer.getByText("Pumps are cleaned with warm water").waitFor()
      expect(await complaintsOf(manual)).toEqual([])
      const wide = await manual.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
      expect(wide).toBe(false)
    },
  )

  test("labels and folds weak matches, and offers no answer", async () => {
    await using opened = await open("/strict")
    const { page } = opened
    await page.keyboard.press("Control+k")
    await page.keyboard.insertText("zzqxv wubbleflorp")
    await page.getByText("No good match for zzqxv wubbleflorp").waitFor()
    const list = page.getByRole("listbox", { name: "Results" })
    expect(await list.getByRole("option").count()).toBe(1)
    await page.keyboard.press("Enter")
    await expect.poll(() => list.locator("a").count()).toBeGreaterThan(0)
    expect(await list.getByText(/^Answer/).count()).toBe(0)
  })

  test("explains missing results, a wrong key, and invalid attributes", async () => {
    await using opened = await open("/nowhere")
    await opened.page.keyboard.press("Control+k")
    await opened.page.keyboard.insertText("tulips")
    await opened.page.getByText("No results for tulips").waitFor()
    await using refused = await open("/no-key")
    await refused.page.keyboard.press("Control+k")
    await refused.page.keyboard.insertText("tulips")
    await refused.page.getByRole("alert").waitFor()
    const { page: wrong, complaints } = await openWatchedPage(browser, "", DESKTOP)
    await wrong.goto(`${site.origin}/wrong`)
    await expect.poll(() => complaints.join()).toContain("data-theme must be")
    await wrong.close()
  })
})

/** Runs inside the browser. */
const isFocused = (element: unknown): boolean =>
  document.activeElement?.shadowRoot?.activeElement === (element as Element)
