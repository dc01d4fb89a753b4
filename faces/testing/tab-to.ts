import type { Locator, Page } from "playwright"

// The parts of the page used by functions that run inside the browser.
declare const document: { readonly activeElement: unknown }

const MOST_TABS = 120

/** Moves the focus to an element with the Tab key alone. */
export async function tabTo(page: Page, there: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await there.waitFor()
  // Checks the element itself, because finding it by role and name after each key press takes longer than the key
  // press.
  const element = await there.elementHandle()
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if (await element.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${String(there)}.`)
}
