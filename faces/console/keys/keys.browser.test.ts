import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"
import { byDay } from "./use-days.ts"

// Keys in a real browser; each key's rights are tried with the key itself.

test("usage is shown by UTC day, including days without calls", () => {
  const NONE = { calls: 0, credits: 0 }
  const endpoints = { search: NONE, extract: NONE, crawl: NONE, map: NONE, research: NONE }
  const use = (time: string, key_id: string, calls: number) => ({
    time,
    key_id,
    calls,
    credits: 0,
    endpoints,
  })
  const usage = [use("2026-03-02", "a", 3), use("2026-03-02", "b", 4), use("2026-02-28", "a", 1)]
  const now = Date.parse("2026-03-02T00:30:00Z")
  const all = byDay(usage, ({ calls }) => calls, { key: null, now })
  expect(all).toHaveLength(30)
  expect(all.slice(-3).map(({ value }) => value)).toEqual([1, 0, 7])
  expect(byDay(usage, ({ calls }) => calls, { key: "a", now }).at(-1)?.value).toBe(3)
})

const executablePath = await findTestBrowser()

describe("keys in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop

  beforeAll(async () => {
    workshop = await openWorkshop()
    browser = await openBrowser(executablePath!)
    const body = { name: "website", source: "manual", origins: ["https://www.example.com"] }
    await fetch(`${workshop.url}/admin/public-keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${workshop.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
  })

  async function open() {
    const opened = await openSignedIn(
      browser,
      { url: workshop.url, key: workshop.adminKey },
      "/console?view=keys",
      WIDTHS.desktop,
    )
    await opened.page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    return opened
  }
  /** The HTTP status of a search with a key, from a web page of the given origin. */
  const asks = async (key: string, origin?: string) =>
    (
      await fetch(`${workshop.url}/search`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          ...(origin !== undefined && { Origin: origin }),
        },
        body: JSON.stringify({ query: "chapter" }),
      })
    ).status

  test("a key is created for a source, shown once, used, disabled, enabled, rotated and deleted", async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await page.getByRole("button", { name: "New key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("chat")
    await dialog.getByLabel("Calls").fill("lots")
    await dialog.getByLabel("manual").check()
    await dialog.getByLabel("Reads pages as").fill("group:hr\nuser:anna@example.com")
    await dialog.getByRole("button", { name: "Create the key" }).click()
    await dialog.getByText(/must be a list such as search=100/).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await dialog.getByLabel("Calls").fill("search=60/m")
    await dialog.getByRole("button", { name: "Create the key" }).click()
    await dialog.getByRole("heading", { name: "The key for chat" }).waitFor()
    const key = await dialog.getByRole("region", { name: "Key", exact: true }).innerText()
    expect(key).toMatch(/^fsk-/)
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(await dialog.getByRole("region", { name: "MCP configuration" }).innerText()).toContain(key)
    expect(await asks(key)).toBe(200)
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    await page.reload()
    const card = page.getByRole("list", { name: "Keys" }).getByRole("listitem").filter({ hasText: "chat" })
    await card.getByText("1 call").waitFor()
    await card.getByText("source manual, as group:hr, user:anna@example.com").waitFor()
    await card.getByText("search 60 a minute").waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await faultsOf(page, "phone")).toEqual([])

    await card.getByRole("link", { name: "Usage of chat" }).click()
    await page.getByRole("heading", { name: "chat, the last 30 days" }).waitFor()
    await page.getByRole("img", { name: "Calls a day: from 0 to 1, last 1" }).waitFor()
    await page.getByRole("link", { name: "All keys" }).click()

    await card.getByRole("button", { name: "Disable chat" }).click()
    await dialog.getByRole("button", { name: "Disable key" }).click()
    await card.getByText("Disabled").waitFor()
    expect(await asks(key)).toBe(401)
    await card.getByRole("button", { name: "Enable chat" }).click()
    await card.getByRole("button", { name: "Rotate chat" }).waitFor()
    expect(await asks(key)).toBe(200)

    await card.getByRole("button", { name: "Rotate chat" }).click()
    await dialog.getByLabel("The old key").selectOption("Stops working now")
    await dialog.getByRole("button", { name: "Create the new key" }).click()
    const second = await dialog.getByRole("region", { name: "Key", exact: true }).innerText()
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    expect([await asks(key), await asks(second)]).toEqual([401, 200])
    const active = card.filter({ has: page.getByRole("button", { name: "Rotate chat" }) })
    await active.getByRole("button", { name: "Delete chat" }).click()
    await dialog.getByRole("button", { name: "Delete key" }).click()
    await active.waitFor({ state: "detached" })
    expect(await asks(second)).toBe(401)
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  })

  test("a key for a front end comes with a secret, and gets a new one when rotated", async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await page.getByRole("button", { name: "New key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("front end")
    await dialog.getByLabel("For", { exact: true }).selectOption("A front end that searches for its users")
    expect(await dialog.getByLabel("Reads pages as").count()).toBe(0)
    await dialog.getByRole("button", { name: "Create the key" }).click()
    await dialog.getByRole("heading", { name: "The key for front end" }).waitFor()
    const secret = dialog.getByRole("region", { name: "Signing secret" })
    const first = await secret.innerText()
    expect(await faultsOf(page, "phone")).toEqual([])
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    const card = page
      .getByRole("list", { name: "Keys" })
      .getByRole("listitem")
      .filter({ hasText: "front end" })
    await card.getByText("acts for people").waitFor()
    await card.getByRole("button", { name: "Rotate front end" }).click()
    await dialog.getByRole("button", { name: "Create the new key" }).click()
    await dialog.getByRole("heading", { name: "The key for front end" }).waitFor()
    expect(await secret.innerText()).not.toBe(first)
    expect(complaints).toEqual([])
  })

  test("a public key is created for an origin's web pages, disabled and deleted", async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await page.getByRole("button", { name: "New key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("our docs")
    await dialog.getByLabel("For", { exact: true }).selectOption("Web pages: a public key")
    await dialog.getByLabel("Source").selectOption("manual")
    await dialog.getByLabel("Web pages that can use the key").fill("docs.example.com/x")
    await dialog.getByRole("button", { name: "Create the key" }).click()
    await dialog.locator("[aria-invalid]").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await dialog.getByLabel("Web pages that can use the key").fill("https://docs.example.com")
    await dialog.getByRole("button", { name: "Create the key" }).click()
    const key = await dialog.getByRole("region", { name: "Key", exact: true }).innerText()
    await dialog.getByRole("button", { name: "Done" }).click()
    expect(await asks(key, "https://docs.example.com")).toBe(200)
    expect(await asks(key, "https://elsewhere.example")).not.toBe(200)
    const table = page.getByRole("table", { name: "Public keys" })
    await table.getByText("https://docs.example.com").waitFor()
    await page.getByRole("button", { name: "Disable our docs" }).click()
    await table.getByText("Disabled", { exact: true }).waitFor()
    expect(await asks(key, "https://docs.example.com")).not.toBe(200)
    await page.getByRole("button", { name: "Delete our docs" }).click()
    await dialog.getByRole("button", { name: "Delete key" }).click()
    await table.getByText("our docs").waitFor({ state: "detached" })
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  })
})
