// How soon people see the search page and the console: npm run bench -- faces --rounds 9
import { parseArgs } from "node:util"

import type { Locator, Page } from "playwright"

import { readSettings } from "#base/settings.ts"
import { Jobs, Sources } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { findTestBrowser, NO_BROWSER } from "#crawler/testing/test-browser.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import { openAdmin } from "../../../api/operator/admin/open-admin.ts"
import { openPageKnowledge } from "../../../api/services/pages/page-knowledge.ts"
import { openBrowser } from "../../../api/testing/browser.ts"
import { serveAccounts } from "../../../api/testing/serve-accounts.ts"
import { TEST_KEY } from "../../../api/testing/serve-app.ts"
import { machine, median, table } from "../../measure.ts"
import { gatherVitals, type Vitals, vitalsOf } from "./vitals.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } })
const rounds = Number(values.rounds)
/** Number of pages in the index, and of sources in the console. */
const PAGES = 400
const SOURCES = 100
/** How many of these sources have run: the console's first page names eight. */
const CRAWLED = 8
/** The slowdown of a phone compared with this machine. */
const THROTTLED = 4
const WIDTHS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }

const TEXT =
  "Pumps are cleaned with warm water and a soft brush, once a month. Do it before the frost comes, and dry the parts well. "

const executablePath = await findTestBrowser()
if (executablePath === null) throw new Error(NO_BROWSER)
await using opened = new AsyncDisposableStack()
const { dir, db, engine } = await openDataFolder(opened)
await engine.index(
  Array.from({ length: PAGES }, (_, i) =>
    aPage(`manual/${i % 8}.${i % 5}/chapter-${i}`, {
      title: `Chapter ${i} of cleaning pumps`,
      source: `source-${i % SOURCES}`,
      markdown: `# Chapter ${i}\n\n${TEXT.repeat(2)}Number ${i} is ${"very ".repeat(i % 7)}special.\n\n## Parts\n\n${TEXT}`,
      publishedAt: new Date(Date.UTC(2018 + (i % 8), i % 12, 1 + (i % 28))),
    }),
  ),
)
await engine.settled()
const jobs = new Jobs(db)
const sources = new Sources(db, jobs)
const site = opened.use(
  await startTestSite(
    Object.fromEntries(Array.from({ length: SOURCES }, (_, i) => [`/${i}/`, article(`Source ${i}`)])),
  ),
)
for (let i = 0; i < SOURCES; i += 1) {
  const name = `source-${i}`
  await sources.put({ name, seeds: [site.url(`/${i}/`)], rendering: "http" })
  if (i < CRAWLED) await runSource(name, db, engine)
}
const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
const app = opened.use(
  await serveAccounts({
    dir,
    engine,
    pages: openPageKnowledge(db, jobs),
    sourceNames: () => sourceNames(db),
    admin: () => openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig }),
  }),
)
const browser = opened.use(await openBrowser(executablePath))

const answered = (page: Page): Locator =>
  page.locator(".results li:nth-child(10) h2").and(page.locator(".found:has(.answer[aria-busy=false]) h2"))
const PAGES_SEEN: readonly (readonly [name: string, path: string, isThere: (page: Page) => Locator])[] = [
  ["search page, before a question", "/", (page) => page.getByRole("list", { name: "Sources" })],
  ["search page, 10 results and an answer", "/?q=how+are+pumps+cleaned%3F", answered],
  ["search page, 50 results and an answer", "/?q=how+are+pumps+cleaned%3F&count=50", answered],
  ["console, overview", "/console", (page) => page.getByRole("heading", { name: "Latest runs" })],
  ["console, 100 sources", "/console?view=sources", (page) => page.getByRole("list", { name: "Sources" })],
]

const page = await browser.context.newPage()
await page.goto(app.url)
await page.getByLabel("API key").fill(TEST_KEY)
await page.getByRole("button", { name: "Sign in" }).click()
await page.getByRole("combobox", { name: "Search" }).waitFor()
await gatherVitals(page)

const rows: string[][] = []
for (const [name, path, isThere] of PAGES_SEEN) {
  for (const [device, slower] of [
    ["desktop", 1],
    ["phone", THROTTLED],
  ] as const) {
    await page.setViewportSize(WIDTHS[device])
    const seen: Vitals[] = []
    for (let round = 0; round < rounds; round += 1) {
      seen.push(await vitalsOf(page, app.url + path, { slower, isThere }))
    }
    const of = (field: keyof Vitals) => median(seen.map((one) => one[field]))
    const ms = (field: keyof Vitals) => of(field).toFixed(0)
    const kilobytes = (field: keyof Vitals) => (of(field) / 1000).toFixed(1)
    rows.push([
      name,
      slower === 1 ? device : `${device}, ${slower} times slower`,
      ms("firstPaint"),
      ms("largestPaint"),
      ms("settled"),
      of("shift").toFixed(3),
      ms("blocking"),
      kilobytes("scriptBytes"),
      kilobytes("styleBytes"),
    ])
  }
}
process.stdout.write(
  `${machine()}\n${rounds} openings of each, medians; milliseconds, kilobytes as sent\n\n${table([
    [
      "page",
      "on a",
      "first paint",
      "largest paint",
      "settled",
      "shift",
      "blocking",
      "script kB",
      "styles kB",
    ],
    ...rows,
  ])}\n`,
)
