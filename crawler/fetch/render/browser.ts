import { setTimeout as sleep } from "node:timers/promises"
import { type BrowserContext, type Browser as PlaywrightBrowser, chromium } from "playwright"
import { memoryOf } from "./process-memory.ts"
import { createProfile, type Profile, removeLeftovers } from "./profile.ts"
import type { ProxyPass } from "./guard-proxy.ts"

export interface BrowserOptions {
  readonly executablePath: string
  /** Address of the {@link GuardProxy}, the browser's only way to reach the network. */
  readonly proxy: string
  /** SHA-256, in Base64, of the one public key that is accepted for any host. */
  readonly trustedKey: string
  /** The crawler's name, such as `FossickBot/1.0 (+https://…)`. */
  readonly userAgent: string
  /** Memory limit for one page's scripts, in megabytes. */
  readonly heapMb: number
}

/**
 * Switches that keep everything from reaching the network except through the proxy, and keep anything that no page
 * requested from being loaded. The browser does not resolve names at all.
 */
const FLAGS = [
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  "--disable-quic",
  // The switch has different names in different versions.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--no-pings",
  "--block-new-web-contents",
  "--deny-permission-prompts",
  "--disable-notifications",
  "--disable-remote-fonts",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--safebrowsing-disable-auto-update",
  "--disable-sync",
  "--disable-gpu",
  "--disable-software-rasterizer",
]

/** Playwright's switches that turn these protections off for tests; we leave them out to keep the protections on. */
const KEPT_PROTECTIONS = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"]

const LAUNCH_TIMEOUT_MS = 30_000
/** Time that a browser has to close before its processes are killed. */
const CLOSE_MS = 5000
const GONE_MS = 5000
const GONE_POLL_MS = 20

/** The viewport is tall, so that lazily loaded content is in view. */
const VIEWPORT = { width: 1280, height: 3000 }

/** Whether the system allows browsers to use a sandbox; root never gets one. Remembered after the first try. */
let hasSandbox = process.getuid?.() !== 0

/**
 * One running browser with its own profile folder. It is connected by a pipe, so it ends when this process dies. {@link
 * removeLeftovers} removes anything that is still there before the next browser starts.
 */
export class Browser {
  /** The process id, which is also the id of its process group. */
  readonly pid: number
  readonly #persistent: BrowserContext
  readonly #browser: PlaywrightBrowser
  readonly #processes: () => Promise<readonly BrowserProcess[]>
  readonly #profile: Profile
  readonly #options: BrowserOptions
  readonly #listeners = new Set<() => void>()
  #isGone = false
  #closing: Promise<void> | null = null

  /** @throws Playwright's Error if it cannot be started. */
  static async launch(options: BrowserOptions): Promise<Browser> {
    await removeLeftovers()
    const profile = await createProfile()
    try {
      const persistent = await launch(profile.folder, options)
      const browser = persistent.browser()
      if (!browser) throw new Error("the browser exited while starting")
      const session = await browser.newBrowserCDPSession()
      const processes = async () => {
        const { processInfo } = await session.send("SystemInfo.getProcessInfo")
        return processInfo.map(({ id, type }) => ({ pid: id, type }))
      }
      const main = (await processes()).find(({ type }) => type === "browser")
      if (!main) throw new Error("the browser exited while starting")
      await profile.belongsTo(main.pid)
      return new Browser(persistent, browser, processes, main.pid, profile, options)
    } catch (error) {
      await profile[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(
    persistent: BrowserContext,
    browser: PlaywrightBrowser,
    processes: () => Promise<readonly BrowserProcess[]>,
    pid: number,
    profile: Profile,
    options: BrowserOptions,
  ) {
    this.#persistent = persistent
    this.#browser = browser
    this.#processes = processes
    this.pid = pid
    this.#profile = profile
    this.#options = options
    persistent.once("close", () => {
      this.#gone()
    })
  }

  /** Calls back once, when the browser is gone: closed, crashed or killed. */
  whenClosed(listener: () => void): void {
    if (this.#isGone) listener()
    else this.#listeners.add(listener)
  }

  /** A separate context for one page: no cookies, no storage, no permissions, and no way to reach the network except with the pass. */
  async newContext(pass: ProxyPass): Promise<BrowserContext> {
    return await this.#browser.newContext({
      userAgent: userAgentOf(this.#options.userAgent, this.#browser.version()),
      viewport: VIEWPORT,
      proxy: {
        server: this.#options.proxy,
        username: pass.username,
        password: pass.password,
        // Without this setting, Chromium connects to loopback directly.
        bypass: "<-loopback>",
      },
      serviceWorkers: "block",
      acceptDownloads: false,
      permissions: [],
      reducedMotion: "reduce",
    })
  }

  /** Private memory of each of the browser's processes, largest first; 0 if the system does not report it. */
  async memory(): Promise<readonly ProcessMemory[]> {
    const measured = await Promise.all(
      (await this.#processes()).map(async ({ pid, type }) => ({
        pid,
        isPage: type === "renderer",
        bytes: (await memoryOf(pid)) ?? 0,
      })),
    )
    return measured.sort((a, b) => b.bytes - a.bytes)
  }

  /** Closes the browser, by force if necessary. Once this resolves, none of its processes is running any more. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  /** Kills the browser immediately, with everything in it. {@link close} must still be called. */
  kill(): void {
    kill(this.pid)
    // Playwright would notify us only after processing everything that the browser sent before.
    this.#gone()
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  async #close(): Promise<void> {
    await Promise.race([
      this.#persistent.close().catch(() => undefined),
      sleep(CLOSE_MS, null, { ref: false }),
    ])
    for (let waited = 0; waited < GONE_MS; waited += GONE_POLL_MS) {
      // A browser that was closed gets some time to exit.
      const isLeft = waited < GONE_MS / 5 ? isThere(this.pid) : kill(this.pid)
      if (!isLeft) break
      await sleep(GONE_POLL_MS)
    }
    await this.#profile[Symbol.asyncDispose]()
  }
}

export interface ProcessMemory {
  readonly pid: number
  /** Whether the process runs pages. */
  readonly isPage: boolean
  readonly bytes: number
}

interface BrowserProcess {
  readonly pid: number
  readonly type: string
}

async function launch(profile: string, options: BrowserOptions): Promise<BrowserContext> {
  const start = (chromiumSandbox: boolean) =>
    chromium.launchPersistentContext(profile, {
      executablePath: options.executablePath,
      chromiumSandbox,
      headless: true,
      args: [
        ...FLAGS,
        // Accepts the proxy's key, which is used for nothing else. The proxy itself checks the sites' certificates.
        `--ignore-certificate-errors-spki-list=${options.trustedKey}`,
        `--js-flags=--max-old-space-size=${options.heapMb}`,
      ],
      ignoreDefaultArgs: KEPT_PROTECTIONS,
      // Requests without a pass are the browser's own, and are refused.
      proxy: { server: options.proxy, bypass: "<-loopback>" },
      timeout: LAUNCH_TIMEOUT_MS,
      // This process handles signals itself.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  if (!hasSandbox) return await start(false)
  try {
    return await start(true)
  } catch (error) {
    // Many containers forbid the system calls that the sandbox needs.
    if (!/sandbox|namespace|setuid/i.test((error as Error).message)) throw error
    const started = await start(false)
    hasSandbox = false
    return started
  }
}

/** A user agent that names the crawler and indicates that the page may use the features of this version of Chromium. */
function userAgentOf(crawler: string, version: string): string {
  const [major = ""] = version.split(".")
  const name = crawler.replace(/ \((.*)\)$/, "; $1")
  return `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}) Chrome/${major}.0.0.0 Safari/537.36`
}

/** Whether a browser's process group exists: Playwright makes the browser the leader of a group, except on Windows. */
function isThere(pid: number): boolean {
  return signal(pid, 0)
}

/** @returns whether there was anything to kill. */
function kill(pid: number): boolean {
  return signal(pid, "SIGKILL")
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name)
    return true
  } catch {
    return false
  }
}
