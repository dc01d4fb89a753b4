import { readdirSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import Koa from "koa"
import type { Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { openBrowser, type TestBrowser } from "../../testing/browser.ts"
import { handbook } from "./handbook.ts"

// The browser globals used by the functions that run inside the page. The compiler's own library for browsers would
// make its globals known to the whole project.
interface InPage {
  readonly parentElement: InPage | null
}
declare const document: {
  readonly activeElement: { readonly id: string; readonly textContent: string } | null
  readonly body: InPage
  readonly documentElement: { readonly scrollWidth: number }
  readonly styleSheets: readonly { readonly cssRules: { readonly length: number } }[]
}
declare const navigator: { readonly clipboard: { readText(): Promise<string> } }
declare function getComputedStyle(element: InPage): {
  readonly color: string
  readonly backgroundColor: string
}

const DOCS = join(import.meta.dirname, "../../../docs")
const WIDTHS = [390, 1920] as const
/** Every page, and an address that doesn't exist. */
const PAGES = [
  ...readdirSync(DOCS)
    .filter((file) => file.endsWith(".md"))
    .map((file) => (file === "README.md" ? "" : file.slice(0, -".md".length))),
  "no-such-page",
]

const executablePath = await findTestBrowser()

describe("the handbook in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let base: string
  let closeServer: () => Promise<unknown>

  beforeAll(async () => {
    const app = new Koa().use(handbook({ docsDir: DOCS }))
    const server = app.listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    closeServer = () => new Promise((resolve) => server.close(resolve).closeAllConnections())
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await closeServer?.()
  })

  async function openPage(name: string, width: number) {
    const page = await browser.context.newPage()
    const complaints: string[] = []
    const note = (text: string) => {
      // The browser reports the 404 for a page that is meant to be missing.
      if (!(name === "no-such-page" && text.includes("404"))) complaints.push(text)
    }
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") note(message.text())
    })
    page.on("pageerror", (error) => note(error.message))
    page.on("requestfailed", (request) => note(`could not load ${request.url()}`))
    page.on("request", (request) => {
      if (!request.url().startsWith(base)) note(`asked for ${request.url()}`)
    })
    await page.setViewportSize({ width, height: 800 })
    await page.goto(base + name)
    return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
  }

  test("every page fits a phone and a wide screen without browser errors", async () => {
    const wrong: [page: string, what: unknown][] = []
    for (const name of PAGES) {
      await using opened = await openPage(name, WIDTHS[0])
      const { page, complaints } = opened
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const widest = await widestThing(page)
        if (widest > width) wrong.push([name, `is ${widest} pixels wide at ${width}`])
      }
      const titles = await page.locator("h1").count()
      if (titles !== 1) wrong.push([name, `has ${titles} titles`])
      const rules = await page.evaluate(() => document.styleSheets[0]?.cssRules.length ?? 0)
      if (rules < 20) wrong.push([name, "has no style"])
      if (complaints.length > 0) wrong.push([name, complaints])
    }
    expect(wrong).toEqual([])
  })

  test("a button copies a block of code", async () => {
    await using opened = await openPage("getting-started", 1280)
    const { page } = opened
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], {
      origin: new URL(base).origin,
    })
    const block = page.locator("article .code").first()
    await block.hover()
    await block.getByRole("button", { name: "Copy" }).click()
    await block.getByRole("button", { name: "Copied" }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe((await block.locator("code").textContent())!.trimEnd())
  })

  test("a phone unfolds the sections of the page, a wide screen lists them and marks the one in view", async () => {
    await using opened = await openPage("sources", 390)
    const { page } = opened
    const list = page.getByRole("navigation", { name: "On this page" })
    const link = list.getByRole("link", { name: "Patterns" })
    expect(await link.isVisible()).toBe(false)
    await list.getByText("On this page").click()
    expect(await link.isVisible()).toBe(true)
    await page.setViewportSize({ width: 1920, height: 800 })
    await list.getByText("On this page").dispatchEvent("click")
    await link.click()
    await page.waitForURL(`${base}sources#patterns`)
    await list.locator("a[aria-current]").filter({ hasText: "Patterns" }).waitFor()
  })

  test("a phone shows the contents folded until they are tapped", async () => {
    await using opened = await openPage("getting-started", 390)
    const { page } = opened
    const link = page
      .getByRole("navigation", { name: "Handbook" })
      .getByRole("link", { name: "Schedule a crawl" })
    expect(await link.isVisible()).toBe(false)
    await page.getByText("Contents", { exact: true }).click()
    expect(await link.isVisible()).toBe(true)
    await link.click()
    await page.waitForURL(`${base}schedule-a-crawl`)
    expect(await page.locator("h1").textContent()).toBe("How to schedule a crawl")
  })

  test("a wide screen shows the contents beside the page and marks the open page", async () => {
    await using opened = await openPage("schedule-a-crawl", 1280)
    const { page } = opened
    const nav = page.getByRole("navigation", { name: "Handbook" })
    expect(await nav.getByRole("link", { name: "Schedule a crawl" }).getAttribute("aria-current")).toBe(
      "page",
    )
    const link = nav.getByRole("link", { name: "Settings" })
    expect(await link.isVisible()).toBe(true)
    const [navBox, mainBox] = [await nav.boundingBox(), await page.locator("main").boundingBox()]
    expect(navBox!.x + navBox!.width).toBeLessThanOrEqual(mainBox!.x)
    await link.click()
    await page.waitForURL(`${base}settings`)
  })

  test("the first tab stop skips the navigation", async () => {
    await using opened = await openPage("search-api", 1280)
    const { page } = opened
    await page.keyboard.press("Tab")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content")
    await page.keyboard.press("Enter")
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content")
  })

  test.each(["light", "dark"] as const)("text has enough contrast in %s colours", async (colorScheme) => {
    await using opened = await openPage("settings", 1280)
    const { page } = opened
    await page.emulateMedia({ colorScheme })
    for (const selector of ["article p", "article a", "article code", "body > nav a", "body > nav h2"]) {
      expect([selector, (await contrast(page, selector)) >= 4.5]).toEqual([selector, true])
    }
  })

  test("a table that is too wide for a phone scrolls in its own box", async () => {
    await using opened = await openPage("settings", 390)
    const { page } = opened
    const box = page.locator(".table").first()
    expect(await box.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    await box.evaluate((element) => element.scrollTo(1000, 0))
    expect(await box.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0)
  })

  test.each([1400, 390])(
    "the code diagram is visible, and the page stays within %i pixels",
    async (width) => {
      await using opened = await openPage("architecture", width)
      const { page } = opened
      const drawn = await page.locator(".figure img").evaluate((image) => ({
        natural: (image as { naturalWidth: number }).naturalWidth,
        wide: image.clientWidth,
      }))
      expect(drawn.natural).toBeGreaterThan(0)
      expect(drawn.wide).toBeGreaterThan(800)
      expect(await widestThing(page)).toBe(width)
    },
  )
})

/** Right edge of the page's scrollable area. */
function widestThing(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}

/** Contrast ratio (WCAG 2.2, 1.4.3) between the text of the first such element and the nearest painted background. */
function contrast(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element: InPage) => {
      const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number)
      const luminance = (colour: string) => {
        const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
          const part = value / 255
          return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      let painted: InPage | null = element
      while (painted && channels(getComputedStyle(painted).backgroundColor)[3] === 0)
        painted = painted.parentElement
      const text = luminance(getComputedStyle(element).color)
      const ground = luminance(getComputedStyle(painted ?? document.body).backgroundColor)
      return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
    })
}
