import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type BrowserContext, chromium } from "playwright"

const run = promisify(execFile)

const SYSTEM_BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const INSTALL_TIMEOUT_MS = 10 * 60_000
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Why browser tests are skipped, for the name of the skipped suite. */
export const NO_BROWSER =
  "no browser: run `npx playwright install chromium`, or install the chromium package of your distribution"

/**
 * Path of a Chromium for tests: Playwright's own, else the system's, else (as root on Debian and its kin) one
 * installed now from the distribution, which takes a few minutes. Null when there is none to be had.
 */
export async function findBrowser(): Promise<string | null> {
  const known = [chromium.executablePath(), ...SYSTEM_BROWSERS]
  const present = (): string | null => known.find((path) => existsSync(path)) ?? null
  return present() ?? ((await installFromDistribution()) ? present() : null)
}

async function installFromDistribution(): Promise<boolean> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false
  console.info("Browser tests need a browser: installing chromium with apt-get (a few minutes, once) …")
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, timeout: INSTALL_TIMEOUT_MS }
  try {
    await run("apt-get", ["update", "-qq"], options)
    // The lock timeout lets two test files ask for the same browser at once.
    await run("apt-get", ["install", "-y", "-qq", "-o", "DPkg::Lock::Timeout=300", "chromium"], options)
    return true
  } catch (error) {
    console.warn(`Could not install chromium: ${(error as Error).message.split("\n")[0]}`)
    return false
  }
}

/** A browser with a profile of its own. Whoever opens it disposes of it; its profile goes with it. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
}

/** Starts the browser at `executablePath` (see {@link findBrowser}), headless, with an empty profile. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "fossick-browser-"))
  const forget = () => rm(profile, { recursive: true, force: true, maxRetries: 5 })
  const context = await chromium
    .launchPersistentContext(profile, { executablePath, args: FLAGS })
    .catch(async (error: unknown) => {
      await forget()
      throw error
    })
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      await forget()
    },
  }
}
