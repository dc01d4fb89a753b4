import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BrowserContext, chromium } from "playwright"

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

/** A browser with a profile of its own. Whoever opens it disposes of it; its profile goes with it. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
}

/** Starts the browser at `executablePath` (see `findTestBrowser`), headless, with an empty profile. It waits as long as all tests do. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "fossick-browser-"))
  const forget = () => rm(profile, { recursive: true, force: true, maxRetries: 5 })
  const context = await chromium
    .launchPersistentContext(profile, { executablePath, args: FLAGS })
    .catch(async (error: unknown) => {
      await forget()
      throw error
    })
  context.setDefaultTimeout(PATIENCE.expect.poll.timeout)
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close()
      await forget()
    },
  }
}
