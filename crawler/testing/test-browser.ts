import { findBrowser } from "../fetch/render/find-browser.ts"

/** Why a command that shows pages can't run here. */
export const NO_BROWSER =
  "no browser: run `npx playwright install chromium`, or install the chromium package of your distribution"

/** Path of a Chromium for tests, the one that renders pages; null when there is none. Tests that need one have the tag `chromium`. */
export async function findTestBrowser(): Promise<string | null> {
  const found = await findBrowser("")
  return "path" in found ? found.path : null
}
