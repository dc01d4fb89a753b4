import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright"
import sharp from "sharp"

import { findTestBrowser, NO_BROWSER } from "#crawler/testing/test-browser.ts"
import { pause } from "#base/flow/pause.ts"

import { startAppliance } from "../../api/testing/appliance.ts"
import { openBrowser } from "../../api/testing/browser.ts"
import { shootConsole } from "./console-pictures.ts"

// `npm run screenshots [folder] [address key]`: pictures of every view of the pages, at three widths, light and dark, over
// an appliance that has crawled its own handbook: a new one, unless the address and a key of one are given. The first
// screen of the README shows one of them, which goes to docs/search-page.webp.

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
  await using appliance = await startAppliance()
  await shoot(appliance.url, appliance.apiKey)
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
      await page.getByLabel("API key").fill(apiKey)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("listitem").first().waitFor()
      await take("home")
      await views(page, url, take)
      if (width === "1280" && scheme === "light") await readmePicture(page, url)
    }
  }
}

async function views(page: Page, url: string, take: (name: string) => Promise<void>): Promise<void> {
  const box = page.getByRole("combobox", { name: "Search" })
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
  await page.goto(`${url}/?q=${encodeURIComponent("settings crawler")}&view=images`)
  await page.getByRole("tabpanel").waitFor()
  await take("images")
  await page.goto(`${url}/?q=${encodeURIComponent("recipe for apple strudel with vanilla")}&type=pdf`)
  await page.locator(".nothing").waitFor()
  await take("nothing")
}

async function readmePicture(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/?q=${encodeURIComponent(QUESTION)}`)
  await page.locator(".answer:not([aria-busy=true])").waitFor()
  await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(README_PICTURE)
}

/** Waits until the handbook is read. */
async function answered(url: string, apiKey: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: QUESTION, explain: true }),
    })
    const { results, coverage } = (await response.json()) as {
      results: readonly unknown[]
      coverage?: { sources: readonly { waiting_for_vectors: number; pages: number }[] }
    }
    const [source] = coverage?.sources ?? []
    if (results.length > 0 && (source === undefined || source.waiting_for_vectors === 0)) return
    await pause(2000)
  }
}
