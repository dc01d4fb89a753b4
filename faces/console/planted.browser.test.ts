import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { openBrowser, type TestBrowser } from "../../api/testing/browser.ts"
import { WIDTHS } from "../testing/axe.ts"
import { openSignedIn } from "../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../testing/workshop.ts"
import { hrefOf, type Place, QUALITY_SHOWN, REMOVALS_SHOWN, REPORTS, UPKEEP_SHOWN } from "./place.ts"

// Puts markup into all the text that people, programs and sites can give the appliance, and checks every screen that
// shows it to an operator.

/** Markup that would run a script if inserted as text, in an attribute, or in a script. */
const PLANTED = `<img src=x onerror=hacked=1> "><svg onload=hacked=1> </script><script>hacked=1</script>`
/** Screens whose text contains the markup; on others it may be in a field, in an address, or absent. */
const SHOWN =
  /view=(?:rules|keys|judged-run|question)|shown=(?:changes|feedback|judged|runs)|report=(?:top|slow)|view=(?:source|runs|first-run|removals).*hacked/

/** Goes to a place as the Back button does, without reloading the console. Resolves when its screen is drawn. */
const goTo = (where: string) => `(async () => {
  history.pushState(null, "", ${JSON.stringify(where)})
  dispatchEvent(new PopStateEvent("popstate"))
  await new Promise((drawn) => setTimeout(drawn))
})()`

const executablePath = await findTestBrowser()

describe("injected markup", { tags: ["chromium"] }, () => {
  let browser: TestBrowser
  let workshop: Workshop
  let site: TestSite

  beforeAll(async () => {
    site = await startTestSite({
      "/": article("A forum", { links: ["/thread"] }),
      "/thread": article(PLANTED.replaceAll("<", "&lt;"), { links: [`/gone?${PLANTED}`] }),
    })
    workshop = await openWorkshop()
    browser = await openBrowser(executablePath!)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await workshop?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function call(method: string, path: string, body?: object, key = workshop.adminKey) {
    const response = await fetch(workshop.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
    return (await response.json()) as any
  }

  /** Puts the markup into everything that a call accepts as free text. @returns where it is shown */
  async function plant(text: string): Promise<Place[]> {
    await call("POST", "/search", { query: `${text} zyzzyva` }, workshop.key)
    await call("POST", "/feedback", { request_id: text, human_score: 0, comment: text }, workshop.key)
    const key = await call("POST", "/admin/keys", { name: text })
    await call("POST", "/admin/public-keys", {
      name: text,
      source: "manual",
      origins: ["https://docs.example.com"],
    })
    const url = site.url("/thread")
    await call("POST", "/admin/judged-questions", { question: text, pages: [{ url, grade: 3 }] })
    const run = await call("POST", "/admin/judged-runs", { note: text })
    while ((await call("GET", `/admin/judged-runs/${run.id}`)).run.state === "running")
      await Promise.resolve()
    await call("PUT", "/admin/rules/words", { kind: "synonym", words: [text, "pump"] })
    await call("PUT", "/admin/rules/pinned", { kind: "pin", questions: [text], url })
    return [
      { view: "question", question: `${text} zyzzyva` },
      { view: "question", question: text },
      { view: "judged-run", run: run.id, against: null },
      { view: "rule", id: "words", kind: "synonym", question: null, url: null },
      { view: "rule", id: "pinned", kind: "pin", question: text, url },
      { view: "rule", id: null, kind: "pin", question: text, url: text },
      { view: "keys", key: key.id },
      { view: "page", url, query: text },
      { view: "page", url: `${site.url("/gone")}?${text}`, query: text },
      { view: "add-source", url: text },
      { view: "source", source: text },
      { view: "runs", source: text },
      { view: "first-run", source: text },
      ...REMOVALS_SHOWN.map((shown) => ({ view: "removals", shown, source: text }) as const),
    ]
  }

  test("is shown as text on every screen, and runs on none", async () => {
    await call("PUT", "/admin/sources/planted", { seeds: [site.url("/")], rendering: "http" })
    const job = await call("POST", "/admin/sources/planted/run", {})
    await workshop.work("planted")
    const places: Place[] = [
      { view: "overview" },
      { view: "sources" },
      { view: "vectors" },
      { view: "playground" },
      { view: "runs", source: null },
      { view: "run", job: job.id, outcome: null },
      { view: "source", source: "planted" },
      { view: "rules" },
      { view: "keys", key: null },
      ...UPKEEP_SHOWN.map((shown) => ({ view: "upkeep", shown }) as const),
      ...QUALITY_SHOWN.map((shown) => ({ view: "quality", shown, report: "zero" }) as const),
      ...REPORTS.map((report) => ({ view: "quality", shown: "queries", report }) as const),
      ...REMOVALS_SHOWN.map((shown) => ({ view: "removals", shown, source: null }) as const),
      ...(await plant(PLANTED)),
    ]
    await using opened = await openSignedIn(
      browser,
      { url: workshop.url, key: workshop.adminKey },
      "/console",
      WIDTHS.desktop,
    )
    const { page, complaints } = opened
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    for (const place of places) {
      const where = hrefOf(place)
      await page.evaluate(goTo(`/${where}`))
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.locator(".loading").waitFor({ state: "detached" })
      // The markup is on the screen, where it could run as a script.
      if (SHOWN.test(where)) await page.getByText("onerror=hacked").first().waitFor()
      // Browsers also report wrong addresses, which are ignored here. A script that ran on an earlier screen would be
      // found here, too.
      const faults = complaints.filter((text) => !text.startsWith("Failed to load resource"))
      expect([where, await page.evaluate("globalThis.hacked"), ...faults]).toEqual([where, undefined])
    }
  })
})
