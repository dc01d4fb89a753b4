import type { Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../testing/axe.ts"
import { openWorkshop, type Workshop } from "../testing/workshop.ts"
import { openSignedIn } from "../testing/open-signed-in.ts"

// The console in a real browser, with real runs: one that succeeded, one that failed, one that would remove too much.

// The parts of the page that are used by functions running inside the browser.
declare const document: { readonly activeElement: unknown }

/** Scripts that drop or shorten the page's long timers: results arrive at once, or never. */
const LONG_TIMERS: Readonly<Record<string, string>> = {
  drop: "const later = setTimeout; window.setTimeout = (run, ms) => ms > 3500 ? 0 : later(run, ms)",
  hurry: "const later = setTimeout; window.setTimeout = (run, ms) => later(run, ms > 3500 ? 200 : ms)",
}

const executablePath = await findTestBrowser()

describe("the console in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop
  /** An appliance that starts without a source. */
  let bare: Workshop

  beforeAll(async () => {
    workshop = await openWorkshop()
    bare = await openWorkshop({ isNew: true })
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await bare?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
  })

  /** A separate page, signed in as admin by default; errors reported by the browser are collected. */
  async function open(
    path = "/console",
    { at = workshop, key = at.adminKey }: { at?: Workshop; key?: string } = {},
  ) {
    return await openSignedIn(browser, { url: at.url, key }, path, WIDTHS.desktop)
  }

  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })
  const view = (page: Page, name: RegExp) =>
    page.getByRole("navigation", { name: "Console" }).getByRole("link", { name })
  const row = (page: Page, name: string) =>
    page.getByRole("list", { name: "Sources" }).getByRole("listitem").filter({ hasText: name })
  /** The response of the admin API to a call with the key. */
  const asked = async (path: string) =>
    (await (
      await fetch(`${workshop.url}/admin${path}`, {
        headers: { Authorization: `Bearer ${workshop.adminKey}` },
      })
    )
      // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
      .json()) as any

  test("only keys with the admin role can use it, and signing out ends a session", async () => {
    await using opened = await open("/console?view=sources", { key: workshop.key })
    const { page } = opened
    await page.getByText("This key cannot use the console").waitFor()
    await page.getByRole("button", { name: "Sign in with another key" }).click()
    await page.getByLabel("API key").fill("no such key")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("This key is not valid").waitFor()
    await page.getByLabel("API key").fill(workshop.adminKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await heading(page, "Sources").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor()
    expect(await page.getByRole("navigation", { name: "Console" }).count()).toBe(0)
  })

  test("an operator sees sources, runs and removals, and no forbidden actions", async () => {
    const made = await fetch(`${workshop.url}/admin/keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${workshop.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ role: "operator", name: "Otto" }),
    })
    const { key } = (await made.json()) as { readonly key: string }
    await using opened = await open("/console", { key })
    const { page, complaints } = opened
    await heading(page, "Sources").waitFor()
    const views = page.getByRole("navigation", { name: "Console" }).getByRole("link")
    expect((await views.allInnerTexts()).map((text) => text.split("\n")[0])).toEqual([
      "Sources",
      "Runs",
      "Removals",
    ])
    await page.getByText("Signed in as operator").waitFor()
    await row(page, "manual").getByRole("button", { name: "Run manual" }).waitFor()
    expect(await page.getByRole("button", { name: "Delete manual" }).count()).toBe(0)
    expect(await page.getByRole("link", { name: /Settings of|Add/ }).count()).toBe(0)
    expect(await faultsOf(page, "desktop")).toEqual([])
    for (const name of [/Runs/, /Removals/]) {
      await view(page, name).click()
      await page.getByRole("heading", { level: 1, name }).waitFor()
    }
    expect(await page.getByRole("alert").count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test("the overview shows what needs the operator's attention, and links there", async () => {
    await using opened = await open()
    const { page, complaints } = opened
    const needs = page.getByRole("region", { name: "Needs your attention" })
    await needs.getByText("The last run of forum had problems").waitFor()
    await needs.getByText("4 pages would be removed from manual").waitFor()
    const tiles = page.getByRole("region", { name: "At a glance" })
    await tiles.getByText("from 3 sources").waitFor()
    expect(await tiles.getByText("free of").count()).toBe(2)
    expect(await page.getByRole("table", { name: "Latest runs" }).getByRole("row").count()).toBe(4)
    expect(await faultsOf(page, "desktop")).toEqual([])
    await needs.getByRole("link", { name: "Open the run" }).click()
    await heading(page, "forum").waitFor()
    expect(await page.title()).toBe("Run for forum · Fossick")
    // Shows every failed address, without running any script in its text.
    const addresses = page.getByRole("table", { name: "Addresses: failed" })
    await addresses.getByText("the site answered 500").first().waitFor()
    expect(await addresses.getByRole("row").count()).toBe(4)
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByRole("link", { name: /skipped: robots/ }).click()
    await page
      .getByRole("table", { name: "Addresses: skipped: robots" })
      .getByRole("link", { name: /thread-9/ })
      .waitFor()
    await page.goBack()
    await addresses.waitFor()
    expect(complaints).toEqual([])
  })

  test("sources show their state, and their schedules can be paused", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    const forum = row(page, "forum")
    await forum.getByText("Problems").waitFor()
    const facts = await forum.locator("dl > div").allInnerTexts()
    expect(facts.map((text) => text.split(/\s*\n\s*/))).toEqual([
      ["Pages", "7"],
      ["New", "7"],
      ["Changed", "0"],
      ["Removed", "0"],
      ["Failed", "3"],
      ["Skipped", "1"],
      ["Vectors", "100%"],
      ["Next run", "manual"],
    ])
    await page.getByRole("button", { name: "Pause the schedule of manual" }).click()
    await row(page, "manual").getByText("Paused", { exact: true }).waitFor()
    expect((await asked("/sources/manual")).paused).toBe(true)
    await page.getByRole("button", { name: "Resume the schedule of manual" }).click()
    await page.getByRole("button", { name: "Pause the schedule of manual" }).waitFor()
    expect((await asked("/sources/manual")).paused).toBe(false)
    expect(complaints).toEqual([])
  })

  /** Requests a page, like a user who couldn't find it. */
  async function ask(body: object): Promise<void> {
    const headers = { Authorization: `Bearer ${workshop.key}`, "Content-Type": "application/json" }
    const said = await fetch(`${workshop.url}/page-requests`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    })
    expect(said.status).toBe(200)
  }

  test("requested pages are listed, lead to a new source, and can be dismissed", async () => {
    const url = `https://zebras.example/${"a-long-way-down/".repeat(9)}`
    await ask({ url, query: "<img src=x onerror=hacked=1>" })
    await ask({ query: "how do zebras migrate?" })
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    const wanted = page.getByRole("list", { name: "Pages that people requested" })
    await wanted.getByText("<img src=x onerror=hacked=1>").waitFor()
    expect(await wanted.getByRole("link", { name: "Add it" }).getAttribute("href")).toBe(
      `${workshop.url}/console?view=add-source&url=${encodeURIComponent(url)}`,
    )
    expect(await faultsOf(page, "phone")).toEqual([])
    await wanted.getByRole("button", { name: `Dismiss ${url}` }).click()
    await expect.poll(() => wanted.getByRole("listitem").count()).toBe(1)
    await wanted.getByRole("button", { name: /^Dismiss how do zebras/ }).press("Enter")
    await wanted.waitFor({ state: "detached" })
    expect(complaints).toEqual([])
  })

  test("an appliance without sources says what to do, and one that goes down shows it and recovers", async () => {
    await using opened = await open("/console", { at: bare })
    const { page } = opened
    await heading(page, "Set up this appliance").waitFor()
    await view(page, /^Sources/).click()
    await page.getByText("No sources yet").waitFor()
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1")
    await page.route("**/admin/**", (route) => route.abort())
    await view(page, /^Runs/).click()
    await page.getByText("The appliance cannot be reached").waitFor()
    await page.unroute("**/admin/**")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("No runs yet").waitFor()
  })

  test.each([
    ["hears of what changed by events alone", "drop", 200],
    ["asks by itself where there are no events", "hurry", 429],
  ])("a screen %s", async (_, timers, status) => {
    await using opened = await open("/console?view=sources", { at: bare })
    const { page, complaints } = opened
    await heading(page, "Sources").waitFor()
    await page.addInitScript(LONG_TIMERS[timers]!)
    const streams: number[] = []
    page.on("response", (response) => {
      if (response.url().endsWith("/admin/events")) streams.push(response.status())
    })
    if (status !== 200)
      await page.route("**/admin/events", (route) =>
        route.fulfill({ status, contentType: "application/json", body: "{}" }),
      )
    await page.reload()
    await heading(page, "Sources").waitFor()
    await expect.poll(() => streams).toContain(status)
    const headers = { Authorization: `Bearer ${bare.adminKey}`, "Content-Type": "application/json" }
    const call = async (method: string, path: string, body: object) => {
      const said = await fetch(`${bare.url}/admin${path}`, { method, headers, body: JSON.stringify(body) })
      expect(said.ok).toBe(true)
    }
    const name = `told-${status}`
    await call("PUT", `/sources/${name}`, { seeds: ["http://127.0.0.1:9/"] })
    await call("POST", "/sources/run", { names: [name] })
    await row(page, name).getByText("Queued").waitFor()
    expect(complaints.filter((one) => !one.includes("429"))).toEqual([])
  })

  test("a run is watched live, continues after a waiting host is skipped, and lists every address", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    await page.getByRole("button", { name: "Run archive" }).click()
    await row(page, "archive").getByRole("link", { name: "Watch" }).click()
    workshop.begin("archive")
    await page.getByText(/the site answered 429; next try in 0\d:\d\d/).waitFor()
    await page.getByRole("button", { name: "Skip this host" }).click()
    await page.getByRole("region", { name: "Waiting for" }).waitFor({ state: "detached" })
    workshop.openGate()
    await page.getByRole("region", { name: "Figures" }).getByText("Not visited").waitFor()
    const addresses = page.getByRole("table", { name: "Addresses" })
    await addresses.getByText("/year-2025").waitFor()
    expect(await addresses.getByRole("row").count()).toBe(11)
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test("an unwanted run is paused, resumed, and cancelled after a confirmation", async () => {
    await using opened = await open("/console?view=sources")
    const { page } = opened
    await page.getByRole("button", { name: "Run forum" }).click()
    await row(page, "forum").getByRole("link", { name: "Watch" }).click()
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Keep running" }).click()
    expect((await asked("/jobs?source=forum&limit=1")).jobs[0].state).toBe("queued")
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click()
    await page.getByText("Cancelled", { exact: true }).waitFor()
    expect((await asked("/jobs?source=forum&limit=1")).jobs[0].state).toBe("cancelled")
  })

  test("removals are approved, carried out and undone with the keyboard alone", async () => {
    await using opened = await open("/console?view=removals")
    const { page, complaints } = opened
    const sample = page.getByRole("list", { name: "Pages that would be removed from manual" })
    await sample.waitFor()
    expect(await sample.getByRole("listitem").count()).toBe(4)
    expect(await faultsOf(page, "phone")).toEqual([])
    const before = await workshop.pages()
    const press = async (name: string | RegExp) => {
      const button = page.getByRole("button", { name })
      for (let tabs = 0; tabs < 40; tabs++) {
        await page.keyboard.press("Tab")
        if (await button.evaluate((one) => one === document.activeElement)) break
      }
      await page.keyboard.press("Enter")
    }
    await press("Remove 4 pages")
    const dialog = page.getByRole("dialog")
    await dialog.waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect((await asked("/removals")).total).toBe(4)
    // The focus returns to the element that opened the dialog.
    await page.locator("button:focus", { hasText: "Remove 4 pages" }).waitFor()
    await page.reload()
    await sample.waitFor()
    await press("Remove 4 pages")
    await dialog.waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByText("Nothing is waiting for you").waitFor()
    await workshop.settle()
    expect(await workshop.pages()).toBe(before - 4)

    await page.getByRole("link", { name: "Removed" }).press("Enter")
    await page.getByRole("table", { name: "Removed" }).waitFor()
    await page.getByRole("button", { name: /^Restore .*chapter-2$/ }).press("Enter")
    await page.getByText("The page will be restored").waitFor()
    await workshop.settle()
    expect(await workshop.pages()).toBe(before - 3)
    expect(complaints).toEqual([])
  })

  test("a hidden tab sends no requests, and an expired session leads to the sign-in", async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByRole("table", { name: "Latest runs" }).waitFor()
    const see = (isSeen: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { configurable: true, value: ${!isSeen} });
           document.dispatchEvent(new Event("visibilitychange"))`,
      )
    await see(false)
    const calls: string[] = []
    page.on("request", (request) => calls.push(request.url()))
    await view(page, /^Runs/).click()
    await page.getByText("Loading").waitFor()
    expect(calls).toEqual([])
    await see(true)
    await page.getByRole("table", { name: "Runs" }).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(calls.some((url) => url.includes("/admin/jobs"))).toBe(true)
    await browser.context.clearCookies()
    // No click here, because it could miss: any timer may make a call first, and the sign-in then replaces the screen.
    await see(true)
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor()
  })
})
