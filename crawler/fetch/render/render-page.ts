import { setTimeout as sleep } from "node:timers/promises"
import type { BrowserContext, Page, Request, Route } from "playwright"
import { type PageUrl, routeOf, toPageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { Party } from "#base/flow/fair-queue.ts"
import type { AddressGuard } from "../guard/address-guard.ts"
import type { Fetched, FetchFailure, FetchResult } from "../fetch.ts"
import type { Session } from "../session.ts"
import type { CrawlOutcome } from "../../outcome.ts"
import type { Screenshot, ScreenshotOptions } from "../../reading.ts"
import type { Browser } from "./browser.ts"
import type { GuardProxy, ProxyPass } from "./guard-proxy.ts"
import { measurePage, muteDialogs, type PageMeasure, PageSerialiser, serialisePage } from "./in-page.ts"
import { PageWorld } from "./page-world.ts"
import {
  type Closed,
  findClosed,
  keepOpened,
  openClosed,
  PanelOpener,
  restoreOpened,
} from "./panel-opener.ts"

export interface RenderTask {
  /** The guard that decides what the page may reach. */
  readonly guard: AddressGuard
  /** The owner of the page: owners that share the browser take turns. */
  readonly party: Party
  /** The page as the site sent it: an HTML document. The browser gets it from here and does not fetch it again. */
  readonly document: Fetched
  /** Fetches a document that the page's scripts navigate to. The visit ends if the result is not a document. */
  readonly follow: (url: PageUrl) => Promise<FetchResult>
  /** Gives the browser the cookies of a logged-in user. */
  readonly session?: Session | undefined
  /** Maximum length of the HTML, in characters. */
  readonly maxChars: number
  /** Time limit for the page alone, from the moment there is room for it. */
  readonly timeoutMs: number
  /** When rendering must be finished, including the wait for room, in milliseconds since 1970. Default: no deadline. */
  readonly deadline?: number
  readonly signal?: AbortSignal | undefined
  /** Whether to take a screenshot at the end; images and fonts are then loaded, too. */
  readonly screenshot?: ScreenshotOptions | undefined
  /** Minimum time to wait before each document is read. Default 0. */
  readonly settleMs?: number | undefined
  /** Called before a branch is opened. If it returns true, another page of the site has opened the branch, so it stays closed. */
  readonly isOpenElsewhere?: (mark: string) => boolean
}

export interface Rendered {
  readonly kind: "rendered"
  /** The document displayed at the end; it differs from the task's document if scripts navigated elsewhere. */
  readonly document: Fetched
  /** The page's HTML as the browser displays it at the end. */
  readonly html: string
  /** Number of bytes that the page loaded in addition to its document. */
  readonly bytes: number
  /** The requests that were refused, in words. They can explain why something is missing. */
  readonly refused: readonly string[]
  /** The screenshot, if one was requested and there was time for it. */
  readonly screenshot?: Screenshot
}

/** The HTML, or the reason why there is none. */
export type RenderResult =
  | Rendered
  | Extract<CrawlOutcome, { kind: "skipped" | "postponed" }>
  | FetchFailure
  /** No browser was available; `detail` says what to do. */
  | { readonly kind: "no-browser"; readonly detail: string }

/** Maximum number of bytes that a page may load in addition to its document. */
const MAX_TRAFFIC_BYTES = 50_000_000
/** Maximum number of times that scripts may navigate to another document. */
const MAX_HOPS = 5
/** The share of a page's time that it may use to settle; the rest is for reading it. */
const SETTLE_SHARE = 0.75
const POLL_MS = 100
/** A page is considered complete after this long without a request or a change. */
const QUIET_MS = 400
/** As `QUIET_MS`, but for a page that has almost no text yet. */
const THIN_QUIET_MS = 1500
const THIN_CHARS = 200
/** As `QUIET_MS`, but for a page that has not run all of its scripts yet. */
const LOADING_QUIET_MS = 4000
const MAX_MEASURED_NODES = 100_000
/** Maximum number of requests that a page may make; after that it is read as it is. */
const MAX_REQUESTS = 500
/** Time limit for reading the page. If it is exceeded, the page's scripts are stopped and reading is tried again. */
const READ_MS = 3000
/** Time limit for opening a page. Opening takes far less than a second, except on a busy machine. */
const OPEN_MS = 15_000
const CLOSE_MS = 3000
/** Time limit for taking a screenshot. */
const SCREENSHOT_MS = 10_000
/** Maximum number of controls opened on one page: branches of a tree all at once, panels one by one. */
const MAX_BRANCHES = 40
const MAX_PANELS = 30
/** Maximum number of levels of a tree that are opened on one page. */
const MAX_LEVELS = 4
/** A panel is considered open once a click has caused no request for this long: on a busy machine requests are reported late. */
const OPENED_MS = 300
/** Maximum number of characters kept from a panel that the next panel may replace. */
const MAX_PANEL_CHARS = 200_000
/** Maximum height of a screenshot in pixels: the browser keeps all of it in memory, at about four bytes per pixel. */
const SCREENSHOT_HEIGHT = 10_000
const VIEWPORT = { width: 1280, height: 720 }

/** Types that are never loaded, because they contain no text. */
const UNWANTED = new Set(["image", "media", "font", "texttrack", "manifest", "ping", "cspviolationreport"])
/** Types that are loaded only when a screenshot is taken. */
const SEEN = new Set(["image", "font"])
/** Types of connections that can stay open as long as the page does. */
const LASTING = new Set(["websocket", "eventsource"])

/**
 * Loads one page in a separate context and returns its final HTML. This process provides the main documents, and also
 * handles redirects and robots.txt; everything else goes through the proxy.
 */
export async function renderPage(
  browser: Browser,
  proxy: GuardProxy,
  task: RenderTask,
): Promise<RenderResult> {
  using pass = proxy.admit(task.guard, MAX_TRAFFIC_BYTES)
  const deadline = Math.min(steadyNow() + task.timeoutMs, task.deadline ?? Infinity)
  const opened = await open(browser, pass)
  if (!opened) return failed("unreadable", "the browser opened no page", true)
  const { context, page } = opened
  const over = new AbortController()
  try {
    const visit = new PageVisit(context, page, task, deadline)
    const lost = endOf(browser, page, task, deadline, over.signal)
    const work = visit.run().catch(async (error: unknown): Promise<RenderResult> => {
      // The reason why the page ended arrives right after its calls have failed.
      const end = await Promise.race([lost, sleep(1000, null, { ref: false })])
      return end ?? failed("unreadable", `the browser failed: ${firstLine(error)}`, true)
    })
    const result = await Promise.race([work, lost])
    if (result.kind !== "rendered") return result
    const refused = pass.refused.map((host) => `${host} was refused by the address guard`)
    refused.push(...pass.insecure)
    if (pass.isSpent) refused.push(`it was cut off after ${MAX_TRAFFIC_BYTES} bytes`)
    return { ...result, bytes: pass.bytes, refused }
  } finally {
    over.abort()
    await closed(context, browser)
  }
}

/** A browser that cannot open a page is no longer usable. */
async function open(browser: Browser, pass: ProxyPass) {
  const opening = browser.newContext(pass).then(async (context) => ({
    context,
    page: await context.newPage(),
  }))
  const opened = await Promise.race([opening.catch(() => null), sleep(OPEN_MS, null, { ref: false })])
  if (!opened) browser.kill()
  return opened
}

/** The visit to one page, from its first document to its HTML. */
class PageVisit {
  readonly #context: BrowserContext
  readonly #page: Page
  readonly #task: RenderTask
  readonly #deadline: number
  #document: Fetched
  /** Whether the next main document requested is the one already fetched. */
  #isExpected = false
  /** The address that scripts navigate to. */
  #next: PageUrl | null = null
  readonly #inFlight = new Set<Request>()
  #activeAt = 0
  #requests = 0
  /** Whether the page's controls are being clicked. */
  #isOpening = false

  constructor(context: BrowserContext, page: Page, task: RenderTask, deadline: number) {
    this.#context = context
    this.#page = page
    this.#task = task
    this.#deadline = deadline
    this.#document = task.document
  }

  async run(): Promise<RenderResult> {
    const page = this.#page
    const world = new PageWorld(await this.#context.newCDPSession(page))
    await this.#context.addInitScript(muteDialogs)
    await this.#context.route("**/*", (route) => this.#decide(route))
    this.#context.on("page", (other) => {
      if (other !== page) void other.close().catch(() => undefined)
    })
    const ended = (request: Request) => {
      this.#inFlight.delete(request)
      this.#activeAt = steadyNow()
    }
    page.on("request", (request) => {
      this.#requests += 1
      // Not awaited, because requests made in the meantime must be handled too.
      if (this.#requests === MAX_REQUESTS) void world.stopScripts(READ_MS)
      if (!LASTING.has(request.resourceType())) this.#inFlight.add(request)
      this.#activeAt = steadyNow()
    })
    page.on("requestfinished", ended)
    page.on("requestfailed", ended)
    const viewport = this.#task.screenshot?.viewport
    if (viewport !== undefined) await page.setViewportSize(viewport)
    const settleBy = steadyNow() + (this.#deadline - steadyNow()) * SETTLE_SHARE
    for (let hops = 0; ; hops += 1) {
      await this.#load()
      const isCalm = await this.#settle(world, settleBy)
      const next = this.#next
      if (next === null) return await this.#seen(await this.#opened(world, isCalm, settleBy))
      if (hops === MAX_HOPS) {
        return failed("redirect-loop", `its scripts keep moving to other pages, the last time to ${next}`)
      }
      const fetched = await this.#task.follow(next)
      if (fetched.kind === "not-modified")
        throw new Error(`${next} answered 304 to a request without validators`)
      if (fetched.kind !== "fetched") return fetched
      this.#document = fetched
    }
  }

  async #load(): Promise<void> {
    this.#next = null
    this.#isExpected = true
    this.#inFlight.clear()
    const timeout = Math.max(1, this.#deadline - steadyNow())
    const cookies = this.#task.session?.cookiesFor(new URL(this.#document.url)) ?? []
    await this.#context.addCookies([...cookies])
    await this.#page.goto(this.#document.url, { waitUntil: "commit", timeout })
    this.#activeAt = steadyNow()
  }

  /**
   * Waits until nothing happens on the page any more or scripts navigate to another page.
   * @returns whether scripts may keep running while the page is read.
   */
  async #settle(world: PageWorld, until: number): Promise<boolean> {
    const { maxChars } = this.#task
    let last: PageMeasure | null = null
    let changedAt = steadyNow()
    const leftUntil = steadyNow() + (this.#task.settleMs ?? 0)
    while (steadyNow() < until && this.#next === null) {
      await sleep(POLL_MS)
      if (this.#requests >= MAX_REQUESTS) return false
      const measured = await world.run(measurePage, [MAX_MEASURED_NODES, maxChars], until - steadyNow())
      if (!measured) return false
      const now = steadyNow()
      const { value } = measured
      if (value.nodes !== last?.nodes || value.text !== last.text) changedAt = now
      last = value
      const doneMs = value.text < THIN_CHARS ? THIN_QUIET_MS : QUIET_MS
      const quietMs = value.isLoaded ? doneMs : LOADING_QUIET_MS
      const isQuiet = this.#inFlight.size === 0 && now - this.#activeAt >= quietMs
      const isDone = isQuiet && now - changedAt >= quietMs && now >= leftUntil
      if (isDone || value.text > maxChars) return true
    }
    return true
  }

  /** Reads the page with its branches and panels open, or as it was before if opening one of them led to another address. */
  async #opened(world: PageWorld, isCalm: boolean, until: number): Promise<RenderResult> {
    const closed = isCalm ? await world.run(findClosed, [1], until - steadyNow(), PanelOpener) : null
    const hasClosed = closed !== null && closed.value.length > 0
    if (!hasClosed) return await this.#read(world, isCalm)
    const asItCame = await this.#read(world, true)
    if (asItCame.kind !== "rendered") return asItCame
    const address = toPageUrl(this.#page.url())
    this.#isOpening = true
    await this.#openBranches(world, until)
    await this.#openPanels(world, until)
    if (toPageUrl(this.#page.url()) !== address) return asItCame
    const open = await this.#read(world, true)
    return open.kind === "rendered" ? open : asItCame
  }

  async #openBranches(world: PageWorld, until: number): Promise<void> {
    let room = MAX_BRANCHES
    for (let level = 0; level < MAX_LEVELS && room > 0 && steadyNow() < until; level += 1) {
      const found = await this.#find(world, until)
      let opened = 0
      for (const [at, { kind, mark }] of found.entries()) {
        if (kind !== "branch" || opened >= room || this.#task.isOpenElsewhere?.(mark) === true) continue
        await world.run(openClosed, [at], until - steadyNow(), PanelOpener)
        opened += 1
      }
      if (opened === 0) return
      room -= opened
      await this.#calm(until)
    }
  }

  async #openPanels(world: PageWorld, until: number): Promise<void> {
    for (let opened = 0; opened < MAX_PANELS && steadyNow() < until; opened += 1) {
      const at = (await this.#find(world, until)).findIndex(({ kind }) => kind === "panel")
      if (at < 0) break
      await world.run(openClosed, [at], until - steadyNow(), PanelOpener)
      await this.#calm(until)
      await world.run(keepOpened, [MAX_PANEL_CHARS], until - steadyNow(), PanelOpener)
    }
    await world.run(restoreOpened, [], READ_MS, PanelOpener)
  }

  async #find(world: PageWorld, until: number): Promise<readonly Closed[]> {
    const most = MAX_BRANCHES + MAX_PANELS
    return (await world.run(findClosed, [most], until - steadyNow(), PanelOpener))?.value ?? []
  }

  /** Waits until opened panels have fetched their content. */
  async #calm(until: number): Promise<void> {
    this.#activeAt = steadyNow()
    while (steadyNow() < until && (this.#inFlight.size > 0 || steadyNow() - this.#activeAt < OPENED_MS))
      await sleep(OPENED_MS / 3)
  }

  async #read(world: PageWorld, isCalm: boolean): Promise<RenderResult> {
    const { maxChars } = this.#task
    const given: [string, number] = [this.#document.url, maxChars]
    const left = () => this.#deadline - steadyNow()
    let read = isCalm
      ? await world.run(serialisePage, given, Math.min(READ_MS, left() / 3), PageSerialiser)
      : null
    if (!read) {
      await world.stopScripts(Math.min(READ_MS, left() / 3))
      read = await world.run(serialisePage, given, left(), PageSerialiser)
    }
    if (!read) return BUSY
    if (read.value === null) {
      return {
        kind: "skipped",
        because: "too-large",
        detail: `more than ${maxChars} characters in the browser`,
      }
    }
    return { kind: "rendered", document: this.#document, html: read.value, bytes: 0, refused: [] }
  }

  /** Adds the screenshot to the result, if one was requested. */
  async #seen(result: RenderResult): Promise<RenderResult> {
    const { screenshot: asked } = this.#task
    if (asked === undefined || result.kind !== "rendered") return result
    const { quality, fullPage } = asked
    const { width, height } = this.#page.viewportSize() ?? VIEWPORT
    const bytes = await this.#page
      .screenshot({
        fullPage,
        ...(fullPage && { clip: { x: 0, y: 0, width, height: await this.#heightOf(height) } }),
        ...(quality === undefined ? { type: "png" } : { type: "jpeg", quality }),
        animations: "disabled",
        timeout: Math.max(1, Math.min(SCREENSHOT_MS, this.#deadline - steadyNow())),
      })
      .catch(() => null)
    if (bytes === null) return result
    return { ...result, screenshot: { type: quality === undefined ? "image/png" : "image/jpeg", bytes } }
  }

  /** Height of the whole page as the browser reports it; at least one screen. */
  async #heightOf(screen: number): Promise<number> {
    const session = await this.#context.newCDPSession(this.#page)
    const { cssContentSize } = await session.send("Page.getLayoutMetrics")
    return Math.min(SCREENSHOT_HEIGHT, Math.max(screen, Math.ceil(cssContentSize.height)))
  }

  async #decide(route: Route): Promise<void> {
    const request = route.request()
    try {
      const type = request.resourceType()
      const isUnwanted = UNWANTED.has(type) && !(this.#task.screenshot !== undefined && SEEN.has(type))
      // Requests caused by a click must not change anything.
      const mayChange = this.#isOpening && request.method() !== "GET" && request.method() !== "HEAD"
      if (this.#requests >= MAX_REQUESTS || isUnwanted || mayChange) await route.abort("blockedbyclient")
      else if (!request.isNavigationRequest()) await route.continue()
      else if (request.frame().parentFrame() !== null) await this.#frame(route, request)
      else if (this.#isExpected) {
        this.#isExpected = false
        const { status, headers, body } = this.#document
        await route.fulfill({ status, headers: headersToKeep(headers), body: Buffer.from(body) })
      } else {
        if (!this.#isOpening) this.#goesTo(request)
        await route.abort("aborted")
      }
    } catch {
      // The page was closed.
    }
  }

  /** Handles a request for a frame. Another site's frame is not read, so there is no need to load it. */
  async #frame(route: Route, request: Request): Promise<void> {
    const isOwn = URL.parse(request.url())?.origin === new URL(this.#document.url).origin
    await (isOwn ? route.continue() : route.abort("blockedbyclient"))
  }

  #goesTo(request: Request): void {
    const url = request.method() === "GET" ? toPageUrl(request.url()) : null
    const known = [this.#document.url, this.#task.document.url].map(withoutRoute)
    if (url !== null && !known.includes(withoutRoute(url))) this.#next ??= url
  }
}

const withoutRoute = (url: string): string => url.slice(0, url.length - routeOf(url).length)

/** Resolves with the outcome of a page whose rendering is cut short from outside. */
async function endOf(
  browser: Browser,
  page: Page,
  task: RenderTask,
  deadline: number,
  over: AbortSignal,
): Promise<RenderResult> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(BUSY)
    }, deadline - steadyNow())
    const cancel = () => {
      resolve(failed("cancelled", "the caller stopped waiting"))
    }
    if (task.signal?.aborted) cancel()
    task.signal?.addEventListener("abort", cancel, { once: true })
    page.once("crash", () => {
      resolve(failed("unreadable", "the page crashed in the browser, or exceeded its memory limit"))
    })
    browser.whenClosed(() => {
      resolve(failed("unreadable", "the browser exited while the page was open", true))
    })
    over.addEventListener("abort", () => {
      clearTimeout(timer)
      task.signal?.removeEventListener("abort", cancel)
    })
  })
}

/** Closes a page's context. A page that cannot be closed causes its browser to be killed. */
async function closed(context: BrowserContext, browser: Browser): Promise<void> {
  const closing = context.close().then(
    () => true,
    () => true,
  )
  if (!(await Promise.race([closing, sleep(CLOSE_MS, false, { ref: false })]))) browser.kill()
}

/** Headers as sent, except those that only describe the bytes on the wire. */
function headersToKeep(headers: Fetched["headers"]): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ON_THE_WIRE.has(name)) continue
    kept[name] = Array.isArray(value) ? value.join("\n") : value
  }
  return kept
}

const ON_THE_WIRE = new Set([
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "link",
  "alt-svc",
  "strict-transport-security",
])

const BUSY = failed("timeout", "its scripts kept the browser busy until the page's time limit", true)

function failed(because: FetchFailure["because"], detail: string, transient = false): FetchFailure {
  return { kind: "failed", because, detail, transient }
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n", 1)[0] ?? ""
}
