import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { type BrowserContext, chromium } from "playwright"

import { childrenOfThisProcess, sharedProcesses } from "#base/testing/children.ts"
import { PATIENCE } from "#base/testing/patience.ts"

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Another page of the same site needs neither a new process nor a spare one.
  "--renderer-process-limit=1",
]

/** Pages in a browser that other test files in the process also use. The caller disposes of this object. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
}

/** One browser for all test files in a process, because starting it takes as long as a dozen pages. Its pages share a window, so one hides the others. */
let shared: Promise<SharedBrowser> | undefined

interface SharedBrowser extends AsyncDisposable {
  readonly context: BrowserContext
}

async function launch(executablePath: string): Promise<SharedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "fossick-browser-"))
  const forget = () => rm(profile, { recursive: true, force: true, maxRetries: 5 })
  const before = new Set(childrenOfThisProcess())
  const context = await chromium
    // Without this, moving elements would be drawn up to sixty times a second.
    .launchPersistentContext(profile, { executablePath, args: FLAGS, reducedMotion: "reduce" })
    .catch(async (error: unknown) => {
      await forget()
      throw error
    })
  for (const pid of childrenOfThisProcess()) if (!before.has(pid)) sharedProcesses().add(pid)
  context.setDefaultTimeout(PATIENCE.expect.poll.timeout)
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      await forget()
    },
  }
}

/** The headless browser at `executablePath` (see `findTestBrowser`), without pages and cookies. It has the same time limit as all tests. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const browser = await (shared ??= launch(executablePath))
  const { context } = browser
  return {
    context,
    async [Symbol.asyncDispose]() {
      // A command ends only when its browser has been closed; between test files the browser stays open.
      if (process.env["VITEST"] === undefined) {
        shared = undefined
        return await browser[Symbol.asyncDispose]()
      }
      // The window closes with its last page, and the browser with the window.
      await context.newPage()
      for (const page of context.pages().slice(0, -1)) await page.close()
      await context.clearCookies()
    },
  }
}
