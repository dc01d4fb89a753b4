import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import axe from "axe-core"
import type { Page } from "playwright"

import { findTestBrowser, NO_BROWSER } from "#crawler/testing/test-browser.ts"
import { pause } from "#base/flow/pause.ts"
import { steadyNow } from "#base/steady-time.ts"

import { FossickClient } from "../../../api/client/client.ts"
import { startAppliance } from "../../../api/testing/appliance.ts"
import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { SITES, type SiteKind } from "./sites.ts"
import { serveFolder } from "./static-site.ts"

// `npm run prove:widget [folder] [sites]`: see README.md.

const WIDTHS = { 390: 844, 1280: 800, 1920: 1080 } as const
const POLL_MS = 500

const [pictures = "screenshots", named] = process.argv.slice(2)
const wanted = named?.split(",")
mkdirSync(pictures, { recursive: true })
const executablePath = await findTestBrowser()
if (executablePath === null) throw new Error(NO_BROWSER)

await using appliance = await startAppliance({ FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8" })
await using browser = await openBrowser(executablePath)
const client = new FossickClient({ url: appliance.url, key: appliance.apiKey })

for (const kind of SITES) {
  if (wanted && !wanted.includes(kind.name)) continue
  const folder = mkdtempSync(join(tmpdir(), `fossick-${kind.name}-`))
  try {
    await prove(kind, folder, browser)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function prove(kind: SiteKind, folder: string, { context }: TestBrowser): Promise<void> {
  const tell = (what: string) => process.stdout.write(`${kind.name}: ${what}\n`)
  await using site = await serveFolder(join(folder, kind.output))
  const { name } = kind
  await client.call("PUT /admin/sources/{name}", {
    path: { name },
    body: { seeds: [`${site.origin}/`], politeness: { delayMs: 0 } },
  })
  const { key } = await client.call("POST /admin/public-keys", {
    body: { source: name, origins: [site.origin], answers: true },
  })
  const began = steadyNow()
  await kind.build(folder, { site: site.origin, appliance: appliance.url.replace(/\/$/, ""), key })
  tell(`built in ${seconds(began)} s`)
  await crawl(name)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Fossick")) complaints.push(message.text())
  })
  await page.goto(`${site.origin}/`)
  await page.waitForFunction("window.fossick !== undefined")
  tell(`first results after ${await searchAndOpen(page, kind)} ms`)
  await keepToVersions(page, kind, site.origin)
  await answerAndCite(page, kind, site.origin)
  tell(`an answer and its citation, using only the keyboard`)
  await look(page, kind, site.origin)
  if (complaints.length > 0) throw new Error(`${kind.name}: ${complaints.join("; ")}`)
  tell("axe finds no problems in the widget, at 390, 1280 and 1920 pixels, light and dark")
  await page.close()
}

function seconds(since: number): string {
  return ((steadyNow() - since) / 1000).toFixed(1)
}

async function crawl(name: string): Promise<void> {
  const { id } = await client.call("POST /admin/sources/{name}/run", { path: { name }, body: {} })
  for (;;) {
    const now = await client.call("GET /admin/jobs/{id}", { path: { id } })
    if (now.state === "finished") {
      process.stdout.write(`${name}: crawled, ${JSON.stringify(now.outcomes)}\n`)
      return
    }
    if (!["queued", "running"].includes(now.state))
      throw new Error(`the crawl of ${name} ended: ${now.state}`)
    await pause(POLL_MS)
  }
}

function box(page: Page) {
  return page.locator("fossick-search").getByRole("combobox").first()
}

function answerOn(page: Page) {
  return page.locator("fossick-search").getByRole("region", { name: "Answer" })
}

function links(page: Page) {
  return page.locator("fossick-search a[role=option]")
}

async function openBox(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await box(page).waitFor()
  await page.keyboard.type(text)
}

/** @returns milliseconds from the last letter to the first results */
async function searchAndOpen(page: Page, { word }: SiteKind): Promise<number> {
  await openBox(page, word)
  const since = steadyNow()
  await links(page).first().waitFor()
  const took = Math.round(steadyNow() - since)
  await page.keyboard.press("Enter")
  await page.waitForURL(/pumps/)
  return took
}

async function keepToVersions(page: Page, { versions, word }: SiteKind, origin: string): Promise<void> {
  await page.goto(`${origin}/`)
  await page.waitForFunction("window.fossick !== undefined")
  if (versions.length === 0) return
  await openBox(page, word)
  await links(page).first().waitFor()
  await page.keyboard.press("Tab")
  for (const { label, folder } of versions) {
    await page.keyboard.press("Home")
    const chosen = () => page.locator("fossick-search select option:checked").innerText()
    for (let steps = 0; (await chosen()) !== label; steps++) {
      if (steps > versions.length + 2)
        throw new Error(`the version ${label} cannot be reached with the arrow keys`)
      await page.keyboard.press("ArrowDown")
    }
    const others = versions.map((one) => one.folder).filter((one) => one !== folder && one.startsWith(folder))
    const isRight = async () => {
      const found = await links(page).evaluateAll((all) =>
        all.map((one) => new URL((one as unknown as { href: string }).href).pathname),
      )
      const isIn = (path: string) =>
        path.startsWith(folder) && !others.some((other) => path.startsWith(other))
      return found.length > 0 && found.every(isIn)
    }
    await until(isRight, `the version ${label} alone`)
  }
  await page.keyboard.press("Escape")
}

async function answerAndCite(page: Page, { question, answer }: SiteKind, origin: string): Promise<void> {
  await page.goto(`${origin}/`)
  await page.waitForFunction("window.fossick !== undefined")
  await openBox(page, question)
  await links(page).first().waitFor()
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  const region = answerOn(page)
  await region.getByText(answer).first().waitFor()
  const citation = region.getByRole("link", { name: /^Source 1: / }).first()
  const isFocused = () => citation.evaluate((one) => (one as unknown as Matching).matches(":focus"))
  for (let steps = 0; !(await isFocused()); steps++) {
    if (steps > 5) throw new Error("the citation cannot be reached with Tab")
    await page.keyboard.press("Tab")
  }
  await page.keyboard.press("Enter")
  await page.waitForURL(/pumps/)
}

interface Matching {
  matches(selector: string): boolean
}

/** Takes pictures and runs axe at each width, in light and dark colours. */
async function look(page: Page, { name, question, dark, answer }: SiteKind, origin: string): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
    for (const [width, height] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width: Number(width), height })
      await page.goto(`${origin}/`)
      await page.waitForFunction("window.fossick !== undefined")
      if (scheme === "dark") await page.evaluate(`(${dark.toString()})(document)`)
      const take = async (view: string) => {
        await page.screenshot({ path: join(pictures, `widget-${name}-${view}-${width}-${scheme}.png`) })
        await withoutComplaints(page, `${name} ${view} ${width} ${scheme}`)
      }
      await take("page")
      await openBox(page, question)
      await links(page).first().waitFor()
      await until(async () => !(await page.locator("fossick-search .busy").count()), "results")
      await take("results")
      await page.keyboard.press("ArrowUp")
      await page.keyboard.press("Enter")
      await answerOn(page).getByText(answer).first().waitFor()
      await take("answer")
    }
  }
}

async function withoutComplaints(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{
    violations: readonly { id: string; nodes: readonly { html: string }[] }[]
  }>("axe.run({ include: [['fossick-search']] })")
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
  if (found.length > 0) throw new Error(`${what}: axe finds ${found.join("; ")}`)
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 60) throw new Error(`timed out waiting for ${what}`)
    await pause(POLL_MS)
  }
}
