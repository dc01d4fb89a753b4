import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { promisify } from "node:util"
import { findBrowser } from "../render/find-browser.ts"

const run = promisify(execFile)

const INSTALL_TIMEOUT_MS = 10 * 60_000

/** Why browser tests are skipped, for the name of the skipped suite. */
export const NO_BROWSER =
  "no browser: run `npx playwright install chromium`, or install the chromium package of your distribution"

/**
 * Path of a Chromium for tests: the one that renders pages, else (as root on Debian and its kin) one installed now from
 * the distribution, which takes a few minutes. Null when there is none to be had.
 */
export async function findTestBrowser(): Promise<string | null> {
  const found = await findBrowser("")
  if ("path" in found) return found.path
  const installed = (await installFromDistribution()) ? await findBrowser("") : found
  return "path" in installed ? installed.path : null
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
