import { execFile } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import { Jobs, Sources } from "#crawler"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { WebhookQueue } from "#crawler/reporting/webhooks/webhook-queue.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { firstSourceFile, readFirstSource } from "#engine/lifecycle/filling/first-source.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// Running the appliance, in a real browser: vectors, recent days, backups, webhooks, payments, settings, and the
// playground. Axe checks each screen once it shows content.

const ROOT = join(import.meta.dirname, "../../..")
const run = promisify(execFile)

const executablePath = await findTestBrowser()

describe("the upkeep screens in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop

  beforeAll(async () => {
    workshop = await openWorkshop()
    await workshop.keepHistory(3_600_000)
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

  test("vectors show their progress, and a source can be put first and back again", async () => {
    await using opened = await open("/console?view=vectors")
    const { page, complaints } = opened
    await page.getByRole("region", { name: "Progress" }).getByText("100%").waitFor()
    await page.getByRole("button", { name: "Put forum first" }).click()
    await page.getByRole("cell", { name: "forum goes first" }).waitFor()
    expect(await readFirstSource(firstSourceFile(workshop.dir))).toBe("forum")
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Don't put first: forum" }).click()
    await page.getByRole("button", { name: "Put forum first" }).waitFor()
    expect(await readFirstSource(firstSourceFile(workshop.dir))).toBeNull()
    await page.getByRole("heading", { name: "Model" }).waitFor()
    expect(complaints).toEqual([])
  })

  test("the multilingual model is offered when pages or questions are in languages the current model does not read", async () => {
    await using opened = await open("/console?view=upkeep")
    const { page, complaints } = opened
    // The answer says that no index for another model is being built; the rest of it comes from the appliance, apart
    // from `why`.
    let why: object = { suited: "multilingual" }
    await page.route("**/admin/model", async (route) => {
      if (route.request().method() !== "GET") return await route.fallback()
      const response = await route.fetch()
      const { model, ...others } = (await response.json()) as { readonly model: object }
      const json = { ...others, model: { ...model, ...why }, change: null }
      return await route.fulfill({ response, json })
    })
    await page.goto(`${workshop.url}/console?view=vectors`)
    await page.getByText("Many pages are in a language that the model in use does not read").waitFor()
    why = { unread_questions: { count: 30, of: 200 } }
    await page.reload()
    await page.getByText("30 of the last 200 questions are in a language that the model in use").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByRole("button", { name: "Use the multilingual model" }).click()
    const asked = page.getByRole("dialog", { name: "Use Multilingual?" })
    await asked.getByRole("button", { name: "Change the model" }).click()
    await page.getByText("The model has been changed").waitFor()
    await page.getByText("as requested").waitFor()
    expect(await page.getByRole("button", { name: "Use the multilingual model" }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test("the overview's charts show measured values, as graphics and as tables", async () => {
    await using opened = await open("/console")
    const { page, complaints } = opened
    const over = page.getByRole("region", { name: "Over time" })
    const crawl = over.getByRole("figure").filter({ hasText: "Crawl rate" })
    await crawl.getByText(/^[1-9]\d* visits$/).waitFor()
    expect(await crawl.locator("rect").count()).toBeGreaterThan(0)
    expect(await faultsOf(page, "phone")).toEqual([])
    await crawl.getByText("As a table").click()
    expect(await crawl.getByRole("row").count()).toBeGreaterThan(1)
    await page.getByRole("button", { name: "6 hours" }).click()
    await page.getByRole("button", { name: "6 hours", pressed: true }).waitFor()
    await over.getByText("Freshness").waitFor()
    expect(complaints).toEqual([])
  })

  test("backups start without a schedule, can be made now, and come with restore instructions", async () => {
    await using opened = await open("/console?view=upkeep")
    const { page, complaints } = opened
    await page.getByText("No backup schedule yet").waitFor()
    const folder = join(workshop.dir, "backups")
    await mkdir(folder)
    await writeFile(join(folder, "fossick-2026-05-01T02-30-00Z.tar"), "twelve bytes")
    const schedule = { cron: "30 2 * * *", everyHours: null, timeZone: "UTC", jitterMinutes: 0 }
    const backups = new BackupTable(workshop.db)
    await backups.declare({ name: "fossick", folder, keep: 7, schedule })
    await page.reload()
    await page.getByRole("button", { name: "Back up now" }).click()
    await page.getByRole("button", { name: "Backup in progress" }).waitFor()
    expect((await backups.unfinished())?.trigger).toBe("command")
    await page.getByRole("table", { name: "Backup files" }).getByText("2026-05-01T02-30-00Z").waitFor()
    await page.getByText(/npx fossick restore .*02-30-00Z\.tar --force/).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("webhooks can send a failed delivery again", async () => {
    const { db } = workshop
    const queue = new WebhookQueue(db)
    const sources = new Sources(db, new Jobs(db))
    const { source } = (await sources.get("manual"))!
    await sources.put({
      name: "manual",
      rendering: "http",
      seeds: source.seeds,
      webhooks: [{ url: "http://receiver.example/told", events: ["finished"] }],
    })
    const before = await workshop.pages()
    await sources.run("manual", { trigger: "api" })
    await workshop.work("manual")
    expect(await workshop.pages()).toBeGreaterThan(0)
    expect(before).toBeGreaterThan(0)
    await queue.collect()
    const [due] = await queue.due(new Set(), 1)
    await queue.settle(due!.id, { status: 503, error: "it answered 503", final: false })
    await using opened = await open("/console?view=upkeep&shown=webhooks")
    const { page, complaints } = opened
    const row = page.getByRole("table", { name: "Webhook deliveries" }).getByRole("row").nth(1)
    await row.getByText("it answered 503").waitFor()
    expect(await queue.due(new Set(), 1)).toEqual([])
    await row.getByRole("button", { name: "Send again to receiver.example" }).click()
    await page.getByText("The webhook will be sent again").waitFor()
    expect(await queue.due(new Set(), 1)).toHaveLength(1)
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("payments show that nothing is sold, and settings show their origins, without secrets", async () => {
    await using opened = await open("/console?view=upkeep&shown=payments")
    const { page, complaints } = opened
    await page.getByText("Searches are not for sale").waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("link", { name: "Settings" }).click()
    const settings = page.getByRole("table", { name: "Settings" })
    await settings.waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByLabel("Find").fill("FOSSICK_API_KEY")
    await settings.getByText("not set").first().waitFor()
    // No other setting mentions this word.
    await page.getByLabel("Find").fill("FOSSICK_SEND_SECONDS")
    await settings.getByText("60", { exact: true }).waitFor()
    expect(await settings.getByRole("row").count()).toBe(2)
    expect(complaints).toEqual([])
  })

  test("changes show who made them, and can be searched", async () => {
    const change = async (name: string) =>
      await fetch(`${workshop.url}/admin/appliance`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${workshop.adminKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name }),
      })
    await change("Pump works")
    await change("<b>Valve works")
    await using opened = await open("/console?view=upkeep&shown=changes")
    const { page, complaints } = opened
    const changes = page.getByRole("table", { name: "Changes" })
    await changes.getByText('"Pump works" → "<b>Valve works"').waitFor()
    await changes.getByText("POST /session").first().waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByLabel("What").fill("appliance")
    await page.getByText("2 changes").waitFor()
    expect(await changes.getByText("POST /session").count()).toBe(0)
    expect(await page.getByRole("link", { name: "Download the log" }).getAttribute("href")).toBe(
      "admin/audit.jsonl",
    )
    expect(complaints).toEqual([])
  })

  test("connections show the hosts contacted, and the purpose", async () => {
    const at = Date.now()
    const hosts = [{ purpose: "webhook", host: "hooks.example:8443", first: at, last: at, count: 3 }] as const
    await new OutboundLedger(workshop.db).add(hosts)
    await using opened = await open("/console?view=upkeep&shown=connections")
    const { page, complaints } = opened
    await page.getByRole("table", { name: "Connections" }).getByText("hooks.example:8443").waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("the playground shows responses, and the copied command does the same", async () => {
    await using opened = await open("/console?view=playground")
    const { page, complaints } = opened
    await page.getByLabel("Body").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByLabel("Body").fill(JSON.stringify({ query: "chapter's end", max_results: 2 }))
    await page.getByRole("button", { name: "Send" }).click()
    const answer = page.getByRole("region", { name: "Response text", exact: true })
    await answer.getByText('"results"').waitFor()
    const env = { ...process.env, FOSSICK_API_KEY: workshop.key }
    const copied = async (language: string) => {
      await page.getByRole("tab", { name: language }).click()
      return await page.getByRole("region", { name: language, exact: true }).innerText()
    }
    const shown = JSON.parse(await answer.innerText())
    const curl = await run("bash", ["-c", await copied("curl")], { env })
    expect(JSON.parse(curl.stdout).results.map(({ url }: { url: string }) => url)).toEqual(
      shown.results.map(({ url }: { url: string }) => url),
    )
    expect(JSON.parse(curl.stdout).query).toBe("chapter's end")
    const code = await copied("TypeScript")
    const script = await run(process.execPath, ["--input-type=module", "-e", code], { env, cwd: ROOT })
    expect(JSON.parse(script.stdout).query).toBe("chapter's end")
    expect(await copied("Python")).toContain('query="chapter\'s end",')
    expect(JSON.parse(await copied("MCP")).mcpServers.fossick.url).toBe(`${workshop.url}/mcp`)
    await page.getByLabel("Body").fill("{")
    await page.getByText("This is not valid JSON").waitFor()
    await page.getByLabel("Call").selectOption("GET /admin/jobs/{id}")
    await page.getByLabel("id (required)").fill("1")
    await page.getByRole("button", { name: "Send" }).click()
    await answer.getByText('"outcomes"').waitFor()
    expect(complaints).toEqual([])
  })
})
