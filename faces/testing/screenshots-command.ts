import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright"
import sharp from "sharp"

import { findTestBrowser, NO_BROWSER } from "#crawler/testing/test-browser.ts"
import { pause } from "#base/flow/pause.ts"

import { startAppliance } from "../../api/testing/appliance.ts"
import { openBrowser } from "../../api/testing/browser.ts"
import { shootConsole } from "./console-pictures.ts"
import { openGarden } from "./garden.ts"
import { signIn } from "./open-signed-in.ts"

// `npm run screenshots [folder] [address key]`: pictures of every view of the pages, at three widths, in light and dark
// colours, from an appliance that has crawled its own handbook: a new one, unless you give the address and a key of
// another. The first screen of the README shows one of them, docs/search-page.webp.

const WIDTHS = { 390: 844, 1280: 800, 1920: 1080 } as const
const README_PICTURE = join(import.meta.dirname, "../../docs/search-page.webp")
const QUESTION = "how do I schedule a crawl?"

const [folder = "screenshots", address, key] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const executablePath = await findTestBrowser()
if (executablePath === null) throw new Error(NO_BROWSER)

if (address !== undefined && key !== undefined) await shoot(address, key)
else {
  await shootConsole(executablePath, folder, WIDTHS)
  await shootGarden()
  await using appliance = await startAppliance()
  await shoot(appliance.url, appliance.apiKey)
}

/** Cases that a handbook on one site lacks: facets (some of them hostile), translations and pictures. */
async function shootGarden(): Promise<void> {
  await using garden = await openGarden()
  await using browser = await openBrowser(executablePath!)
  const page = await browser.context.newPage()
  await page.goto(garden.url)
  await signIn(page, garden.key)
  await page.getByRole("combobox", { name: "Search" }).waitFor()
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
    for (const [width, height] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width: Number(width), height })
      const take = async (name: string, question: string) => {
        await page.goto(`${garden.url}/?q=${encodeURIComponent(question)}`)
        await page.locator(".answer:not([aria-busy=true])").waitFor()
        const filters = page.getByRole("button", { name: "Filters", exact: true })
        if (await filters.isVisible()) await filters.click()
        await page.waitForLoadState("networkidle")
        await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) })
      }
      await take("facets", "what are seals made of?")
      await take("steps", "how do I close the valve and cover the pump?")
      await take("table", "default pressure of the north valve")
      await take("pictures", "when are tulips planted in the garden?")
    }
  }
}

async function shoot(url: string, apiKey: string): Promise<void> {
  await answered(url, apiKey)
  await using browser = await openBrowser(executablePath!)
  const page = await browser.context.newPage()
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
    for (const [width, height] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width: Number(width), height })
      const take = async (name: string) => {
        await page.waitForLoadState("networkidle")
        await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) })
      }
      await browser.context.clearCookies()
      await page.goto(url)
      await page.getByLabel("API key").waitFor()
      await take("sign-in")
      await signIn(page, apiKey)
      await page.getByRole("listitem").first().waitFor()
      await take("home")
      await views(page, url, take)
      if (width === "1280" && scheme === "light") await readmePicture(page, url)
    }
  }
}

async function views(page: Page, url: string, take: (name: string) => Promise<void>): Promise<void> {
  const box = page.getByRole("combobox", { name: "Search" })
  // Starts on the page where the browser signed in, with suggestions for a typed word.
  await page.mouse.move(0, 0)
  await box.fill("back")
  await page.getByRole("option").first().waitFor()
  await take("suggestions")
  await page.goto(`${url}/?q=${encodeURIComponent(QUESTION)}`)
  await page.locator(".answer:not([aria-busy=true])").waitFor()
  await take("results")
  await page.getByText("Why this result").first().click()
  await take("why")
  await page.locator(".citation").first().click()
  await page.locator(".passage").first().waitFor()
  await take("copy")
  await page.goto(`${url}/?q=${encodeURIComponent("scheduel a crwal")}`)
  await page.locator(".corrected").waitFor()
  const filters = page.getByRole("button", { name: "Filters", exact: true })
  if (await filters.isVisible()) await filters.click()
  await take("corrected")
  await page.goto(`${url}/?q=${encodeURIComponent("settings crawler")}&view=images`)
  await page.getByRole("tabpanel").waitFor()
  await take("images")
  await page.goto(`${url}/?q=${encodeURIComponent("recipe for apple strudel with vanilla")}&type=pdf`)
  await page.locator(".nothing").waitFor()
  await take("nothing")
  await page.getByRole("button", { name: "Ask for a page to be added" }).click()
  await page.getByRole("dialog").waitFor()
  await take("ask-for")
}

async function readmePicture(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/?q=${encodeURIComponent(QUESTION)}`)
  await page.locator(".answer:not([aria-busy=true])").waitFor()
  await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(README_PICTURE)
}

/** Waits until the whole handbook is read, with vectors: no new pages since the last check. */
async function answered(url: string, apiKey: string): Promise<void> {
  for (let before = 0; ;) {
    const response = await fetch(`${url}/admin/index`, { headers: { Authorization: `Bearer ${apiKey}` } })
    const { index } = (await response.json()) as {
      index: { pages: number; pages_without_vectors: number }
    }
    if (index.pages > 0 && index.pages === before && index.pages_without_vectors === 0) return
    before = index.pages
    await pause(5000)
  }
}
