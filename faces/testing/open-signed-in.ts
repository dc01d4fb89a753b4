import type { Page } from "playwright"

import type { TestBrowser } from "../../api/testing/browser.ts"
import { openWatchedPage } from "./watched-page.ts"

/** A separate page at a path, {@link openWatchedPage watched}, for a user who has signed in with a key. */
export async function openSignedIn(
  browser: TestBrowser,
  { url, key }: { readonly url: string; readonly key: string },
  path: string,
  size: { readonly width: number; readonly height: number },
): Promise<{ readonly page: Page; readonly complaints: string[]; [Symbol.asyncDispose](): Promise<void> }> {
  const { page, complaints } = await openWatchedPage(browser, url, size)
  await beginSession(browser, { url, key })
  await page.goto(url + path)
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
}

/** Gives the browser a session as the page "Sign in" would, without showing the page. */
export async function beginSession(
  { context }: TestBrowser,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<void> {
  const headers = { "Sec-Fetch-Site": "same-origin" }
  const answer = await context.request.post(`${url}/session`, { data: { key }, headers })
  if (!answer.ok()) throw new Error(`${url} gave no session: ${answer.status()} ${await answer.text()}`)
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
}
