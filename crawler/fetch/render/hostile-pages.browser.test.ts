import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { until } from "#base/testing/until.ts"
import type { VisitOptions } from "../../reading.ts"
import { PageReader } from "../visit/reader.ts"
import { browserProcesses, signalBrowsers } from "../../testing/browser-processes.ts"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { article, bytes, hangs, startTestSite, type TestSite } from "../../testing/test-site.ts"

const browserPath = await findTestBrowser()

/** Time limit for a page that keeps a processor busy until its time is up. */
const BUSY_MS = 8000
/** Time limit for a page that ends sooner or later, one way or another. */
const GIVEN_UP_MS = 4000

function readerOf(site: TestSite): PageReader {
  const config = testConfig({
    FOSSICK_BROWSER_PATH: browserPath ?? "",
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_MAX_PAGE_BYTES: "200000",
    FOSSICK_BROWSER_MEMORY_MB: "500",
  })
  return new PageReader(config, { rendering: "browser" })
}

/** A page with content and a script. */
function page(script: string): string {
  return article("Windmills").replace("</body>", `<script>${script}</script></body>`)
}

describe("a hostile page", { tags: ["chromium"] }, () => {
  let site: TestSite
  let reader: PageReader

  beforeAll(async () => {
    site = await startTestSite({})
    reader = readerOf(site)
    // The browser and the reading thread are running before a page's time begins.
    const { kind } = await visit("/first", page(""))
    if (kind !== "read") throw new Error(`a page without scripts is ${kind}`)
  })
  afterAll(async () => {
    await reader[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  const visit = (path: string, body: string, options: VisitOptions = {}) => {
    site.serve({ [path]: body })
    return reader.visit(site.url(path) as PageUrl, options)
  }

  test.for<readonly [name: string, script: string]>([
    ["never ends", `for (;;);`],
    [
      // Each iteration waits for a response, so the script never returns but leaves processor time for other tests.
      "never ends once it is there, and alerts",
      `setTimeout(() => { for (;;) {
        alert("!"); prompt("…"); print()
        const slow = new XMLHttpRequest(); slow.open("GET", "/slow", false); slow.send()
      } })`,
    ],
    [
      "spoils what could read it",
      `Element.prototype.getAttribute = JSON.stringify = Array.prototype.push = String.prototype.replaceAll = () => { throw 1 }
      Object.defineProperty(Node.prototype, "childNodes", { get: () => [] })`,
    ],
  ])("that %s is read as far as it loaded", async ([name, script]) => {
    site.serve({ "/slow": (_, response) => void setTimeout(() => response.end(), 300) })
    const result = await visit(`/${name.replaceAll(/\W+/g, "-")}`, page(script), { timeoutMs: BUSY_MS })
    expect(result).toMatchObject({ kind: "read", reading: { rendered: true } })
    const markdown = result.kind === "read" ? result.reading.extracted.markdown : ""
    expect(markdown).toContain("explained here in a few plain sentences")
  })

  test("that does everything at once, repeatedly, is read or given up, and opens nothing", async () => {
    site.serve({
      "/silence": hangs(),
      "/file": bytes("x".repeat(1000), { "content-type": "application/zip" }),
    })
    const result = await visit(
      "/all-at-once",
      page(`fetch("/silence")
      for (let n = 0; n < 1000; n++) setInterval(() => document.title += n, 10)
      setInterval(() => { for (let n = 0; n < 50; n++) open("/popup") }, 10)
      setInterval(() => { for (let n = 0; n < 99; n++) history.pushState(0, "", "?" + Math.random()) }, 10)
      setInterval(() => Object.assign(document.createElement("a"), { href: "/file", download: "x" }).click(), 10)
      setInterval(() => location.reload(), 50)
      onbeforeunload = () => "stay"
      onpagehide = () => { for (;;); }
      navigator.geolocation.getCurrentPosition(() => {})
      Notification.requestPermission()
      navigator.mediaDevices?.getUserMedia({ video: true }).catch(() => {})`),
      { timeoutMs: GIVEN_UP_MS },
    )
    // On a busy machine the page's scripts may leave no time to read it.
    const isFair = result.kind === "read" || (result.kind === "failed" && result.transient)
    expect({ result, isFair }).toMatchObject({ isFair: true })
    expect(site.requests).not.toContain("/popup")
    const next = await visit("/after-it", page(""))
    expect(next).toMatchObject({ kind: "read", reading: { rendered: true } })
  })

  test("that grows endlessly is too large", async () => {
    const result = await visit(
      "/grows",
      page(`setInterval(() => document.body.append("more ".repeat(10000)), 20)`),
    )
    // On a busy machine the page reaches the memory limit before it is read.
    expect([
      { kind: "skipped", because: "too-large" },
      { kind: "failed", because: "unreadable" },
    ]).toContainEqual("because" in result ? { kind: result.kind, because: result.because } : result)
  })

  test("that requests more and more is stopped, and the next page is read", async () => {
    const flood = `setInterval(() => { for (let n = 0; n < 9; n++) fetch("/flood?" + Math.random()) }, 20)`
    expect(["read", "failed"]).toContain((await visit("/asks", page(flood))).kind)
    expect(site.requests.filter((path) => path.startsWith("/flood")).length).toBeLessThan(1000)
    expect(await visit("/well", page(""))).toMatchObject({ kind: "read" })
  })

  test("that takes all memory is given up, and its browser keeps working", async () => {
    const before = await visit("/well", page(""))
    // The page keeps changing, so that it is not read before it has used too much memory.
    const hog = `const kept = []
      setInterval(() => document.body.append(kept.push(new Uint8Array(50e6).fill(1)) + " "), 10)`
    const result = await visit("/memory", page(hog))
    expect(result).toMatchObject({ kind: "failed", because: "unreadable", transient: false })
    expect(await visit("/well", page(""))).toEqual(before)
  })

  test("fails when its process or its browser is killed, and the next page is read", async () => {
    site.serve({ "/more": hangs() })
    const waiting = visit("/waits", page(`fetch("/more")`))
    await asked("/more", waiting)
    await signalBrowsers("SIGKILL")
    expect(await waiting).toMatchObject({ kind: "failed", because: "unreadable", transient: true })
    expect(await visit("/well", page(""))).toMatchObject({ kind: "read" })
  })

  test("is left when the caller stops waiting", async () => {
    const stop = new AbortController()
    const busy = page(`fetch("/called"); setTimeout(() => { for (;;); }, 50)`)
    const visiting = visit("/left", busy, { signal: stop.signal })
    await asked("/called", visiting)
    stop.abort()
    expect(await visiting).toMatchObject({ kind: "failed", because: "cancelled" })
  })

  test("leaves no process behind", async () => {
    await reader[Symbol.asyncDispose]()
    expect(await browserProcesses()).toEqual([])
  })

  /** Resolves when the site gets a request for this path. Rejects if the visit ends before that, because the test would otherwise wait for ever. */
  async function asked(path: string, visiting: Promise<unknown>): Promise<void> {
    const ended = visiting.then((result) => {
      throw new Error(`It ended first: ${JSON.stringify(result)}`)
    })
    ended.catch(() => undefined)
    await Promise.race([ended, until(() => site.requests.some((one) => one.startsWith(path)))])
    site.requests.length = 0
  }
})
