import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { type Person, PersonStore } from "../../../api/identity/people/person-store.ts"
import { SessionStore } from "../../../api/identity/sessions/session-store.ts"
import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// A wiki for everyone who has signed in, with one page only for HR, as its operator sees it.

const executablePath = await findTestBrowser()

describe("people and readers in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop
  let wiki: TestSite
  let anna: Person

  beforeAll(async () => {
    workshop = await openWorkshop()
    wiki = await startTestSite({
      "/": article("Wiki", { links: ["/salaries", "/lunch"] }),
      "/salaries": article("Salaries", { head: '<meta name="fossick-readers" content="allow=group:hr">' }),
      "/lunch": article("Lunch"),
    })
    await fetch(`${workshop.url}/admin/sources/wiki?run=true`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${workshop.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ seeds: [wiki.url("/")], rendering: "http", readers: { allow: ["signed-in"] } }),
    })
    await workshop.work("wiki")
    const people = new PersonStore(workshop.db)
    const sign = (user: string, name: string, groups: readonly string[]) => {
      const email = `${user}@example.com`
      const proof = {
        provider: "company",
        subject: user,
        user: email,
        name,
        email,
        groups,
        isRenewable: true,
      }
      return people.proved(proof, true)
    }
    await sign("ben", "Ben Bauer", ["it", "staff"])
    await sign("cleo", "Cleo Costa", ["admins", "staff"])
    anna = await sign("anna", "Anna Alder", ["hr", "staff"])
    await new SessionStore(workshop.db).add("token", anna.id, Date.now(), 3_600_000)
    browser = await openBrowser(executablePath!)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await wiki?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
  })

  const open = (query: string) =>
    openSignedIn(browser, { url: workshop.url, key: workshop.adminKey }, `/console?${query}`, WIDTHS.desktop)

  test("a person is found, viewed, searched as, signed out and disabled", async () => {
    await using opened = await open("view=people")
    const { page, complaints } = opened
    await page.getByRole("row").filter({ hasText: "Cleo" }).getByText("Admin", { exact: true }).waitFor()
    await page.getByLabel("Name or e-mail address").fill("alder")
    await page.getByText("1 of 1 person").waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByRole("link", { name: "Anna Alder" }).click()
    const source = page.getByRole("table", { name: "Sources" }).getByRole("row").filter({ hasText: "wiki" })
    await source.getByText("3 of 3").waitFor()
    await page.getByLabel("Question").fill("salaries")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await page.getByRole("list", { name: "Results" }).getByText("Salaries", { exact: true }).waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])

    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Sign out everywhere" }).click()
    await dialog.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("They are not signed in anywhere.").waitFor()
    await page.getByRole("button", { name: "Disable" }).click()
    await dialog.getByRole("button", { name: "Disable" }).click()
    await page.getByText("The operator disabled this person.").waitFor()
    await source.getByText("0 of 3").waitFor()
    await page.getByRole("button", { name: "Enable" }).click()
    await source.getByText("3 of 3").waitFor()
    await page.goto(`${workshop.url}/console?view=upkeep&shown=changes`)
    await page.getByText("anna@example.com", { exact: true }).first().waitFor()
    expect(complaints).toEqual([])
  })

  test("a page shows who may read it, and which rule keeps a person out", async () => {
    await using opened = await open("view=people&shown=matrix")
    const { page, complaints } = opened
    const row = page.getByRole("row").filter({ hasText: /^hr/ })
    await row.getByText("All").first().waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await page.getByRole("link", { name: "Readers", exact: true }).click()
    await page.getByLabel("Address of the page").fill(wiki.url("/salaries"))
    await page.getByRole("button", { name: "Check" }).click()
    await page.getByText("2 of 3 people may read this page.").waitFor()
    await page.getByLabel("Person").fill("ben@example.com")
    await page.getByRole("button", { name: "Check" }).click()
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict
      .getByText("may not read this page. The page (from source wiki) lets in only group:hr.")
      .waitFor()
    expect(await faultsOf(page, "desktop")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("opening a source to everyone requires a confirmation", async () => {
    await using opened = await open("view=source&source=wiki")
    const { page, complaints } = opened
    const readers = async () => {
      const answer = await fetch(`${workshop.url}/admin/sources/wiki`, {
        headers: { Authorization: `Bearer ${workshop.adminKey}` },
      })
      return ((await answer.json()) as { source: { readers: unknown } }).source.readers
    }
    await page.getByLabel("Readers", { exact: true }).selectOption("Everybody")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Everybody could read 2 of the 3 pages of wiki; now they can read none.").waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    await dialog.getByRole("button", { name: "Go back" }).click()
    expect(await readers()).toEqual({ allow: ["signed-in"] })
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("wiki has been saved").waitFor()
    expect(await readers()).toBeNull()
    await page.goto(`${workshop.url}/console?view=source&source=wiki`)
    await page.getByLabel("Readers", { exact: true }).selectOption("Only admins")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await expect.poll(readers).toEqual({ allow: [] })
    expect(complaints).toEqual([])
  })
})
