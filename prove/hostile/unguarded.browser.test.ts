import { type Browser, chromium } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { bytes, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { CASES } from "./attack.ts"
import { pageOf, SERVICE_WORKER } from "./browsing.ts"
import { startPrivateService } from "./private-service.ts"

const { pageTries: TRIES, securePageTries: SECURE_TRIES } = CASES

// Shows that the page attacks work: with each of them, a browser without the appliance's flags and proxy reaches the
// private service.

const browserPath = await findTestBrowser()
/** The attacks that aren't HTTP requests made by a page itself. */
const OTHERS = /WebRTC|WebTransport|service worker/

describe("an unguarded browser", { tags: ["chromium"] }, () => {
  let browser: Browser
  let site: TestSite

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? "" })
    site = await startTestSite({ "/sw.js": bytes(SERVICE_WORKER, { "content-type": "text/javascript" }) })
  })
  afterAll(async () => {
    await browser.close()
    await site[Symbol.asyncDispose]()
  })

  const special = Object.entries({ ...TRIES, ...SECURE_TRIES }).filter(([name]) => OTHERS.test(name))
  test.each(special)("reaches the private service by %s", async (name, html) => {
    await using inner = await startPrivateService()
    site.serve({ "/": pageOf(html, inner) })
    const page = await browser.newPage()
    // Pages served from this machine to itself count as secure.
    await page.goto(site.url("/").replace("127.0.0.1", "localhost"))
    const what = name.endsWith("over TCP")
      ? "a TCP connection"
      : name.includes("worker")
        ? "GET /sw"
        : "a UDP datagram"
    await expect.poll(() => inner.reached).toContain(what)
    await page.close()
  })

  test("reaches the private service by nearly all requests of a page", async () => {
    await using inner = await startPrivateService()
    const requests = Object.entries(TRIES).filter(([name]) => !OTHERS.test(name))
    const html = requests.map(([, one]) => one).join("\n")
    site.serve({
      "/": pageOf(html, inner),
      "/to-secret": (_, response) =>
        void response.writeHead(302, { location: inner.url("/redirected") }).end(),
    })
    const page = await browser.newPage()
    await page.goto(site.url("/"))
    const paths = () => new Set(inner.reached.filter((one) => one.includes(" /")))
    await expect.poll(() => paths().size).toBeGreaterThan(24)
    await page.close()
  })
})
