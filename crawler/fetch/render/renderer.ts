import { tmpdir } from "node:os"
import { steadyNow } from "#base/steady-time.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import { Browser } from "./browser.ts"
import { findBrowser } from "./find-browser.ts"
import { GuardProxy } from "./guard-proxy.ts"
import { renderPage, type RenderResult, type RenderTask } from "./render-page.ts"

export interface RendererOptions {
  /** The crawler's user agent. */
  readonly userAgent: string
  /** Path of the browser; if empty, the renderer looks for one. */
  readonly browserPath: string
  /** Maximum number of pages open at the same time. */
  readonly pages: number
  /** Maximum memory that all open pages may use together, in megabytes; one page's scripts get half of it. */
  readonly memoryMb: number
  /** Idle time after which a browser is closed. */
  readonly idleMs?: number
  /** Number of pages after which a browser is replaced, since its memory grows. */
  readonly pagesPerBrowser?: number
}

const MEGABYTE = 1024 * 1024
const WATCH_MS = 500
/** How long to wait before searching again on a system without a browser. */
const MISSING_MS = 60_000

/** Maximum length of the path of the folder for temporary files: Chromium creates a socket below it, and the path of a socket can have at most 107 bytes. */
const LONGEST_TEMPORARY_FOLDER = 59

/**
 * Renders pages in one browser, which starts with the first page and ends after some idle time, so an idle appliance
 * runs no browser. There is never more than one browser, nor more than `pages` pages in it; other pages wait, and their
 * owners take turns.
 */
export class Renderer implements AsyncDisposable {
  readonly #options: Required<RendererOptions>
  #proxy: Promise<GuardProxy> | null = null
  #browser: Promise<Browser | Missing> | null = null
  /** Number of pages opened in this browser. */
  #given = 0
  readonly #room: FairPool
  /** Browsers that are shutting down. */
  readonly #closing = new Set<Promise<void>>()
  #idle: NodeJS.Timeout | null = null
  #watch: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: RendererOptions) {
    this.#options = { idleMs: 15_000, pagesPerBrowser: 100, ...options }
    this.#room = new FairPool("browser-pages", {
      places: this.#options.pages,
      // A browser that has opened its maximum number of pages gets no more, and is replaced when its last page is done.
      isOpen: () => this.#given < this.#options.pagesPerBrowser || this.#room.running === 0,
    })
  }

  /** Renders one page; its time limit starts when there is room for it. Anything that goes wrong on the page is returned as a value, not thrown. */
  async render(task: RenderTask): Promise<RenderResult> {
    const late =
      task.deadline === undefined ? [] : [AbortSignal.timeout(Math.max(0, task.deadline - steadyNow()))]
    const given = task.signal === undefined ? [] : [task.signal]
    const signal = AbortSignal.any([...given, ...late])
    let hasRoom = false
    try {
      return await this.#room.run(
        () => {
          hasRoom = true
          return this.#renderNow(task)
        },
        { key: task.party, signal },
      )
    } catch (error) {
      if (hasRoom || !(signal.aborted || this.#isClosed)) throw error
      return task.signal?.aborted === true || this.#isClosed
        ? { kind: "failed", because: "cancelled", detail: "the caller stopped waiting", transient: true }
        : {
            kind: "failed",
            because: "timeout",
            detail: "the browser had no free place for the page in time",
            transient: true,
          }
    } finally {
      if (hasRoom && this.#room.running === 0) this.#rest()
    }
  }

  async #renderNow(task: RenderTask): Promise<RenderResult> {
    this.#stir()
    try {
      this.#browser ??= this.#launch()
      const browser = await this.#browser
      if ("missing" in browser) return { kind: "no-browser", detail: browser.missing }
      this.#given += 1
      return await renderPage(browser, await this.#startProxy(), task)
    } finally {
      if (this.#room.running === 1 && this.#given >= this.#options.pagesPerBrowser) await this.#retire()
    }
  }

  /** Closes the browser; pages that are open in it fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#room.close(new Error("The browser was closed."))
    this.#rest()
    await this.#retire()
    await Promise.all(this.#closing)
    await (await this.#proxy)?.[Symbol.asyncDispose]()
  }

  async #launch(): Promise<Browser | Missing> {
    const found = await findBrowser(this.#options.browserPath)
    if ("missing" in found) return this.#without(found.missing)
    try {
      const proxy = await this.#startProxy()
      const browser = await Browser.launch({
        executablePath: found.path,
        proxy: proxy.address,
        trustedKey: proxy.trustedKey,
        userAgent: this.#options.userAgent,
        heapMb: Math.floor(this.#options.memoryMb / 2),
      })
      const launched = this.#browser
      browser.whenClosed(() => {
        if (this.#browser === launched) this.#forget()
        void this.#end(browser)
      })
      return browser
    } catch (error) {
      const [reason] = (error as Error).message.split("\n", 1)
      const isTooLong = Buffer.byteLength(tmpdir()) > LONGEST_TEMPORARY_FOLDER
      const advice = `; set TMPDIR to a folder whose path is at most ${LONGEST_TEMPORARY_FOLDER} bytes long`
      return this.#without(
        `the browser ${found.path} could not be started: ${reason}${isTooLong ? advice : ""}`,
      )
    }
  }

  #without(missing: string): Missing {
    setTimeout(() => {
      this.#forget()
    }, MISSING_MS).unref()
    return { missing }
  }

  #startProxy(): Promise<GuardProxy> {
    return (this.#proxy ??= GuardProxy.start())
  }

  #forget(): void {
    this.#browser = null
    this.#given = 0
  }

  async #retire(): Promise<void> {
    const browser = await this.#browser
    this.#forget()
    if (browser && !("missing" in browser)) await this.#end(browser)
  }

  /** Closes a browser, or cleans up after one that crashed. */
  #end(browser: Browser): Promise<void> {
    const closing = browser.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
    return closing
  }

  /** Called when there is work. */
  #stir(): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    this.#watch ??= setInterval(() => {
      void this.#limitMemory()
    }, WATCH_MS).unref()
  }

  /** Called when there is no more work. */
  #rest(): void {
    if (this.#watch) clearInterval(this.#watch)
    this.#watch = null
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = this.#isClosed
      ? null
      : setTimeout(() => {
          if (this.#room.running === 0) void this.#retire()
        }, this.#options.idleMs).unref()
  }

  /** Kills the largest process if too much memory is used: usually that of one page, otherwise the browser itself. */
  async #limitMemory(): Promise<void> {
    const browser = await this.#browser
    if (!browser || "missing" in browser) return
    const processes = await browser.memory().catch(() => [])
    const total = processes.reduce((sum, { bytes }) => sum + bytes, 0)
    const [largest] = processes
    if (!largest || total <= this.#options.memoryMb * MEGABYTE) return
    if (largest.isPage) killProcess(largest.pid)
    else browser.kill()
  }
}

interface Missing {
  readonly missing: string
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The process ended in the meantime.
  }
}
