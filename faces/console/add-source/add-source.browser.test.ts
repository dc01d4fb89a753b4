import type { Page } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { article, html, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"

// Adds a source in a real browser, for a real site.

const RIGHT = `Basic ${Buffer.from("ada:lovelace").toString("base64")}`
const PAGES = ["/pumps", "/seals", "/valves", "/motors", "/gauges", "/filters"]

const executablePath = await findTestBrowser()

describe("adding a source in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop
  let site: TestSite

  beforeAll(async () => {
    process.env["PLANT_PASSWORD"] = "lovelace"
    site = await startTestSite({
      "/": article("The plant", { links: PAGES }),
      ...Object.fromEntries(PAGES.map((path) => [path, article(`About ${path.slice(1)}`)])),
      "/hostile": html(
        `<title>&lt;img src=x onerror=hacked=1&gt;</title><main><h1>&lt;script&gt;hacked=1&lt;/script&gt;</h1>
           <p>${"A page that &lt;img src=x onerror=hacked=1&gt; would like to run. ".repeat(6)}</p></main>`,
      ),
      "/inside/": (request, response) =>
        (request.headers.authorization === RIGHT ? html(article("Inside", { links: [] })) : status(401))(
          request,
          response,
        ),
    })
    workshop = await openWorkshop({ apiSecrets: "PLANT_PASSWORD" })
    browser = await openBrowser(executablePath!)
  })

  afterAll(async () => {
    delete process.env["PLANT_PASSWORD"]
    await browser?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
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
  const yaml = (page: Page) => page.getByRole("region", { name: /sources.yaml/ }).locator("pre")
  const asked = async (path: string, method = "GET") => {
    const headers = { Authorization: `Bearer ${workshop.adminKey}` }
    const response = await fetch(`${workshop.url}/admin${path}`, { method, headers })
    // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
    return { status: response.status, body: (await response.json()) as any }
  }

  test("one check fills in the form; it is changed, shown as YAML, saved and run", async () => {
    await using opened = await open("/console?view=sources")
    const { page, complaints } = opened
    await page.getByRole("link", { name: "Add a source" }).click()
    await page.getByLabel("Address of the site").fill(site.url("/"))
    await page.getByRole("button", { name: "Check the site" }).click()
    const found = page.getByRole("region", { name: "What the check found" })
    await found.getByText("The plant").waitFor()
    await found.getByText("None found, so the crawl follows links").waitFor()
    await found.getByText("Not needed").waitFor()
    const pages = page.getByRole("list", { name: "5 pages as Fossick reads them" })
    expect(await pages.getByText("Readable").count()).toBe(5)
    expect(await faultsOf(page, "desktop")).toEqual([])
    await page.getByLabel("Name", { exact: true }).fill("the plant")
    await page.getByLabel("Exclude").fill("/filters")
    await page.getByLabel("Maximum number of pages").fill("500")
    await page.getByText("limits:").waitFor()
    expect(await yaml(page).innerText()).toBe(
      `sources:\n  - name: the plant\n    seeds:\n      - ${site.url("/")}\n    exclude:\n      - /filters\n` +
        `    limits: { pages: 500 }\n    schedule: { everyHours: 24 }\n`,
    )
    await page.getByRole("button", { name: "Save and run" }).click()
    await page.getByRole("heading", { level: 1, name: "Runs for the plant" }).waitFor()
    await page.getByText("Queued").waitFor()
    const { body } = await asked("/sources/the%20plant/written")
    expect(body.source).toEqual({
      name: "the plant",
      seeds: [site.url("/")],
      exclude: ["/filters"],
      limits: { pages: 500 },
      schedule: { everyHours: 24 },
    })
    expect(complaints).toEqual([])
  })

  test("errors are shown at their fields, and nothing is saved", async () => {
    await using opened = await open("/console?view=add-source")
    const { page, complaints } = opened
    await page.getByRole("button", { name: "Check the site" }).click()
    await page.getByText("Enter the address of a site").waitFor()
    await page.getByRole("button", { name: "Skip the check" }).click()
    await page.getByLabel("Name", { exact: true }).fill("manual")
    await page.getByLabel("Start addresses").fill("https://docs.example.com/\nhttp://10.0.0.1/")
    await page.getByLabel("Maximum number of pages").fill("many")
    await page.getByLabel("Schedule").selectOption("Cron expression")
    await page.getByLabel("Cron expression").fill("often")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const alerts = page.getByRole("alert")
    await alerts.filter({ hasText: "This field must be" }).waitFor()
    expect(await page.evaluate("document.activeElement.name")).toBe("name")
    await alerts.filter({ hasText: "This field must not be the name of another source." }).waitFor()
    await page.getByLabel("Name", { exact: true }).fill("another manual")
    await page.getByLabel("Maximum number of pages").fill("")
    await alerts.filter({ hasText: /must have five fields/ }).waitFor()
    await page.getByLabel("Cron expression").fill("0 3 * * *")
    await alerts.filter({ hasText: "Line 2 must not be a private address over the API" }).waitFor()
    // The machine's operator may save the source anyway.
    await page.getByText("it is allowed in the sources file").waitFor()
    expect((await asked("/sources/another%20manual")).status).toBe(404)
    await page.getByLabel("How the crawler logs in").selectOption("Form")
    await page.getByLabel("Maximum number of pages").fill("many")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await alerts.first().waitFor()
    expect(await faultsOf(page, "phone")).toEqual([])
    expect(complaints).toEqual([])
  })

  test("the login is tested and sample pages are read before saving; hostile pages run nothing", async () => {
    await using opened = await open("/console?view=add-source")
    const { page, complaints } = opened
    await page.getByRole("button", { name: "Skip the check" }).click()
    await page.getByLabel("Name", { exact: true }).fill("inside")
    await page.getByLabel("Start addresses").fill(`${site.url("/inside/")}\n${site.url("/hostile")}`)
    // A message appears above the button while the button is pressed; the click counts nevertheless.
    const previewed = page.waitForResponse(/sources\/preview/)
    await page.getByLabel("Maximum number of pages").fill("many")
    await (await previewed).finished()
    await page.getByRole("button", { name: "Read five pages" }).click()
    await page.getByText("Correct the marked fields").waitFor()
    await page.getByLabel("Maximum number of pages").fill("")
    await page.getByLabel("How the crawler logs in").selectOption("User and password (basic authentication)")
    await page.getByLabel("User", { exact: true }).fill("charles")
    await page.getByLabel("Password", { exact: true }).fill("${PLANT_PASSWORD}")
    await page.getByRole("button", { name: "Test the login" }).click()
    await page.getByText("The login does not work").waitFor()
    await page.getByText(/answered 401/).waitFor()
    await page.getByLabel("User", { exact: true }).fill("ada")
    await page.getByRole("button", { name: "Test the login" }).click()
    await page.getByText("The login with user and password works").waitFor()
    const pages = page.getByRole("list", { name: "2 pages as Fossick reads them" })
    await pages.getByText("Inside", { exact: true }).waitFor()
    await pages.getByText("<img src=x onerror=hacked=1>", { exact: true }).waitFor()
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined()
    expect((await asked("/sources/inside")).status).toBe(404)
    expect(complaints).toEqual([])
  })

  test("a site in a private network is named, allowed after a confirmation, and read; Upkeep revokes it", async () => {
    await using closed = await openWorkshop({ isNew: true, networks: "" })
    await using opened = await openSignedIn(
      browser,
      { url: closed.url, key: closed.adminKey },
      "/console?view=add-source",
      WIDTHS.phone,
    )
    const { page, complaints } = opened
    const { port } = new URL(site.origin)
    const what = `127.0.0.1, port ${port}`
    await page.getByLabel("Address of the site").fill(site.url("/"))
    await page.getByRole("button", { name: "Check the site" }).click()
    const found = page.getByRole("region", { name: "What the check found" })
    await found.getByText("127.0.0.1 isn't a public address").waitFor()
    await found.getByText("Not read").waitFor()
    // A draft that can't be parsed can't be saved, either.
    expect(await page.getByRole("button", { name: /^Save/ }).count()).toBe(0)
    await page.getByRole("button", { name: `Allow ${what}` }).click()
    const question = page.getByRole("dialog", { name: `Let crawls reach ${what}?` })
    await question.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("button", { name: `Allow ${what}` }).click()
    await question.getByRole("button", { name: "Allow", exact: true }).click()
    await found.getByText("The plant").waitFor()
    await page.getByRole("button", { name: "Save and run" }).waitFor()
    await page.goto(`${closed.url}/console?view=upkeep&shown=connections`)
    const allowed = page.getByRole("list", { name: "Allowed private networks" })
    await allowed.getByText(`127.0.0.1/32, port ${port}`).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await allowed.getByRole("button", { name: "Revoke" }).click()
    await allowed.waitFor({ state: "detached" })

    // If the check is skipped, the form reports the problem too, and its buttons stay disabled.
    await page.goto(`${closed.url}/console?view=add-source`)
    await page.getByRole("button", { name: "Skip the check" }).click()
    await page.getByLabel("Name", { exact: true }).fill("plant")
    await page.getByLabel("Start addresses").fill(site.url("/"))
    await page.getByText("This source cannot be saved in the console").waitFor()
    for (const name of ["Save", "Save and run"])
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true)
    await page.getByRole("button", { name: `Allow ${what}` }).click()
    await question.getByRole("button", { name: "Allow", exact: true }).click()
    await page.getByText("This source cannot be saved in the console").waitFor({ state: "detached" })
    expect(await page.getByRole("button", { name: "Save and run" }).isDisabled()).toBe(false)
    expect(complaints).toEqual([])
  })

  test("a source created here is edited in the same form, and keeps what the form does not show", async () => {
    const headers = { Authorization: `Bearer ${workshop.adminKey}`, "Content-Type": "application/json" }
    const source = { seeds: [site.url("/")], removal: { maxShare: 0.5 }, limits: { minutes: 30 } }
    await fetch(`${workshop.url}/admin/sources/changed`, {
      method: "PUT",
      headers,
      body: JSON.stringify(source),
    })
    await using opened = await open("/console?view=sources")
    const { page } = opened
    await page.getByRole("link", { name: "Settings of changed" }).click()
    await page.getByRole("heading", { level: 1, name: "changed" }).waitFor()
    expect(await page.getByLabel("Name", { exact: true }).getAttribute("readonly")).not.toBeNull()
    await page.getByLabel("Scope").selectOption("Only the folder of the start address")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor()
    expect((await asked("/sources/changed/written")).body.source).toEqual({
      name: "changed",
      scope: "prefix",
      ...source,
    })
    await asked("/sources/changed", "DELETE")
  })

  test("a source from the file is shown with its YAML, and cannot be edited", async () => {
    await workshop.declareInFile("filed", { seeds: [site.url("/")], scope: "prefix" })
    await using opened = await open("/console?view=source&source=filed")
    const { page } = opened
    await page.getByText("This source is declared in the sources file").waitFor()
    expect(await yaml(page).innerText()).toContain("scope: prefix")
    expect(await page.getByRole("textbox").count()).toBe(0)
  })
})
