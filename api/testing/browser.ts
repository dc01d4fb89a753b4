import { type Browser, type BrowserContext, chromium } from "playwright"

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
]

/** Cookies, storage and pages of their own, in a browser that others may use too. Whoever opens it disposes of it. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
}

/** One for all test files of a process: a start takes as long as a dozen pages. */
let shared: Promise<Browser> | undefined
let open = 0

async function launch(executablePath: string): Promise<Browser> {
  const before = new Set(childrenOfThisProcess())
  const browser = await chromium.launch({ executablePath, args: FLAGS })
  for (const pid of childrenOfThisProcess()) if (!before.has(pid)) sharedProcesses().add(pid)
  return browser
}

/** An empty profile in the headless browser at `executablePath` (see `findTestBrowser`). It waits as long as all tests do. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const browser = await (shared ??= launch(executablePath))
  const context = await browser.newContext()
  open++
  context.setDefaultTimeout(PATIENCE.expect.poll.timeout)
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      // A command ends only when its browser has; between test files the browser stays.
      if (--open > 0 || process.env["VITEST"] !== undefined) return
      shared = undefined
      await browser.close()
    },
  }
}
