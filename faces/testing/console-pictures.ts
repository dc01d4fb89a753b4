import { join } from "node:path"
import type { Page } from "playwright"

import { article, bytes, startTestSite, type TestSite, textFile } from "#crawler/testing/test-site.ts"

import { openBrowser } from "../../api/testing/browser.ts"
import { signIn } from "./open-signed-in.ts"
import { fillQuality, shootQuality } from "./quality-pictures.ts"
import { openWorkshop } from "./workshop.ts"

/** The period for which the charts have data. */
const HISTORY_MS = 3_600_000
/** Views that are complete as soon as their address is open, by the names of their pictures. */
const PLACES: Readonly<Record<string, string>> = {
  "overview-whole": "",
  runs: "view=runs",
  vectors: "view=vectors",
  backups: "view=upkeep",
  webhooks: "view=upkeep&shown=webhooks",
  payments: "view=upkeep&shown=payments",
  settings: "view=upkeep&shown=settings",
  playground: "view=playground",
}

/** Takes pictures of every view of the console, at these widths, light and dark, and saves them in a folder. */
export async function shootConsole(
  executablePath: string,
  folder: string,
  widths: Readonly<Record<number, number>>,
): Promise<void> {
  await using bare = await openWorkshop({ isNew: true })
  await using workshop = await openWorkshop()
  await using browser = await openBrowser(executablePath)
  const page = await browser.context.newPage()
  const each = async (views: (take: (name: string) => Promise<void>) => Promise<void>) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      for (const [width, height] of Object.entries(widths)) {
        await page.setViewportSize({ width: Number(width), height })
        await views(async (name) => {
          await page.screenshot({ path: join(folder, `console-${name}-${width}-${colorScheme}.png`) })
        })
      }
    }
  }
  await openSigned(page, bare.url, bare.adminKey)
  await each(async (take) => {
    await page.goto(`${bare.url}/console`)
    await page.getByRole("button", { name: "Continue" }).waitFor()
    await take("first-run")
    await page.goto(`${bare.url}/console?view=sources`)
    await page.getByText("No sources yet").waitFor()
    await take("sources-empty")
  })
  await openSigned(page, workshop.url, workshop.adminKey)
  await using site = await openPlant()
  await each(async (take) => {
    await page.goto(`${workshop.url}/console?view=add-source`)
    await page.getByLabel("Address of the site").fill(site.url("/"))
    await take("add-source-empty")
    await page.getByRole("button", { name: "Check the site" }).click()
    await page.getByText("exclude:").waitFor()
    await page.getByRole("list", { name: /as Fossick reads them/ }).waitFor()
    await takeWhole(page, take, "add-source")
    await page.getByLabel("Name", { exact: true }).fill("manual")
    await page.getByLabel("Maximum number of pages").fill("many")
    await page.getByLabel("How the crawler logs in").selectOption("Form")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("alert").first().waitFor()
    await takeWhole(page, take, "add-source-wrong")
  })
  await page.getByRole("link", { name: "Sources", exact: true }).click()
  await page.getByRole("button", { name: "Run archive" }).click()
  await page.getByRole("link", { name: "Watch" }).waitFor()
  workshop.begin("archive")
  await page.getByRole("link", { name: "Watch" }).click()
  await page.getByRole("button", { name: "Skip this host" }).waitFor()
  const live = page.url()
  await each(async (take) => {
    await page.goto(`${workshop.url}/console`)
    await page.getByRole("table").waitFor()
    await take("overview")
    await page.goto(`${workshop.url}/console?view=sources`)
    await page.getByRole("link", { name: "Watch" }).waitFor()
    await take("sources")
    await page.getByRole("link", { name: "3", exact: true }).first().click()
    await page.getByRole("table").waitFor()
    await take("run-over")
    await page.goto(live)
    await page.getByRole("button", { name: "Skip this host" }).waitFor()
    await take("run-live")
    await page.goto(
      `${workshop.url}/console?${new URLSearchParams({ view: "page", url: `${workshop.start("forum")}thread-2`, query: "thread 2" }).toString()}`,
    )
    await page.getByRole("button", { name: "Read it now" }).click()
    await page.getByText("200 text/html").waitFor()
    await takeWhole(page, take, "page")
    await page.goto(
      `${workshop.url}/console?${new URLSearchParams({ view: "page", url: `${workshop.start("forum")}thread-9` }).toString()}`,
    )
    await page.getByRole("region", { name: "Verdict" }).waitFor()
    await take("page-missing")
    await page.goto(`${workshop.url}/console?view=removals`)
    await page.getByRole("button", { name: "Keep them" }).waitFor()
    await page.getByRole("list", { name: /would be removed/ }).waitFor()
    await take("removals")
    await page.getByRole("button", { name: /^Remove 4/ }).click()
    await page.getByRole("dialog").waitFor()
    await take("removals-asked")
  })
  await fillQuality(workshop, page)
  await each((take) => shootQuality(workshop.url, page, take))
  await workshop.keepHistory(HISTORY_MS)
  await each(async (take) => {
    for (const [name, place] of Object.entries(PLACES)) {
      await page.goto(`${workshop.url}/console?${place}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.locator(".loading").waitFor({ state: "detached" })
      await takeWhole(page, take, name)
    }
  })
}

/** The whole page, scrolled from top to bottom. */
async function takeWhole(page: Page, take: (name: string) => Promise<void>, name: string): Promise<void> {
  const size = page.viewportSize()!
  const height = await page.evaluate<number>("document.documentElement.scrollHeight")
  await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
  await take(name)
  await page.setViewportSize(size)
}

/** A documentation site that isn't declared yet. */
async function openPlant(): Promise<TestSite> {
  const topics = ["pumps", "seals", "valves", "motors", "gauges", "filters"]
  const site = await startTestSite({
    "/": article("The plant and its machines", {
      head: '<meta name="generator" content="mkdocs-1.6.1">',
      links: topics.map((topic) => `/${topic}/`),
    }),
    ...Object.fromEntries(
      topics.map((topic) => [`/${topic}/`, article(`How ${topic} are kept in working order`)]),
    ),
  })
  const rows = topics.map((topic) => `<url><loc>${site.url(`/${topic}/`)}</loc></url>`)
  site.serve({
    "/sitemap.xml": bytes(`<urlset>${rows.join("")}</urlset>`, { "content-type": "application/xml" }),
    "/robots.txt": textFile(`User-agent: *\nCrawl-delay: 1\nSitemap: ${site.url("/sitemap.xml")}\n`),
  })
  return site
}

async function openSigned(page: Page, url: string, key: string): Promise<void> {
  await page.goto(`${url}/console`)
  await signIn(page, key)
  await page.getByRole("navigation", { name: "Console" }).waitFor()
}
