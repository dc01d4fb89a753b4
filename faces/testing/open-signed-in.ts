import type { Page } from "playwright"

import type { TestBrowser } from "../../api/testing/browser.ts"
import { openWatchedPage } from "./watched-page.ts"

/** A page of its own at a path, {@link openWatchedPage watched}, where somebody has just pressed "Sign in" with a key. */
export async function openSignedIn(
  browser: TestBrowser,
  { url, key }: { readonly url: string; readonly key: string },
  path: string,
  size: { readonly width: number; readonly height: number },
): Promise<{ readonly page: Page; readonly complaints: string[]; [Symbol.asyncDispose](): Promise<void> }> {
  const { page, complaints } = await openWatchedPage(browser, url, size)
  await page.goto(url + path)
  await signIn(page, key)
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
}
