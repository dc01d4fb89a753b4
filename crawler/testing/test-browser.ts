import { findBrowser } from "../fetch/render/find-browser.ts"

/** The message when there is no browser, for commands that show pages. */
export const NO_BROWSER =
  "no browser: run `npx playwright install chromium`, or install the chromium package of your distribution"

/** Path of the Chromium that renders pages, for tests, or `null`. Tests that need it have the tag `chromium`. */
export async function findTestBrowser(): Promise<string | null> {
  const found = await findBrowser("")
  return "path" in found ? found.path : null
}
