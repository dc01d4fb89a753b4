import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

import type { AxeResults } from "axe-core"
import type { Page } from "playwright"

/** Each page that is looked at parses it, so it is the short form. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/**
 * Done once nothing has moved twice in a row: a colour in transition is neither of its values, and an inherited one
 * starts when its parent's arrives. Endless animations are not waited for, and a page behind another one, where nothing
 * arrives, gets two seconds.
 */
const SETTLED = `(async () => {
  for (let still = 0, looks = 0; still < 2 && looks < 100; looks++) {
    await new Promise((go) => setTimeout(go, 20))
    const moving = document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    still = moving ? 0 : still + 1
  }
})()`

/** The problems axe finds with a page as it is (WCAG 2.2 AA, and its best practices): each rule with the elements. */
export async function complaintsOf(page: Page): Promise<string[]> {
  // By the debugger, which the page's own policy does not bind.
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await page.evaluate(AXE)
  await page.evaluate(SETTLED)
  const { violations } = await page.evaluate<Pick<AxeResults, "violations">>(
    // The style sheets are not fetched again: the rule that reads them is not among these.
    `axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => ({ violations }))`,
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ")}`,
  )
}

/** The devices people view pages with. */
export const WIDTHS = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
  "wide screen": { width: 1920, height: 1080 },
}

interface Look {
  readonly width: keyof typeof WIDTHS
  readonly colorScheme: "dark" | "light"
}

const looksAt = (width: Look["width"]): Look[] => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" },
]
const EVERY_LOOK: readonly Look[] = (Object.keys(WIDTHS) as Look["width"][]).flatMap(looksAt)
/** Whether each screen is checked in every width and colour: `npm run test:looks`. */
export const WITH_EVERY_LOOK = process.env["FOSSICK_TEST_LOOKS"] === "all"

/** Contrast depends on the colours and order on the width, so the states of a screen take turns. */
const TURNS: readonly Look[] = [
  { width: "desktop", colorScheme: "light" },
  { width: "phone", colorScheme: "dark" },
]
const seen = new WeakMap<Page, number>()

/** In what axe looks at a page this time, at the width `at` if one is given. */
function looksNow(page: Page, at?: "phone" | "desktop"): readonly Look[] {
  if (WITH_EVERY_LOOK) return EVERY_LOOK
  if (at !== undefined) return TURNS.filter(({ width }) => width === at)
  const turn = seen.get(page) ?? 0
  seen.set(page, turn + 1)
  return [TURNS[turn % TURNS.length]!]
}

/**
 * The problems of a page as it is now: what {@link complaintsOf axe finds}, once on a desktop in light colours, the
 * next time on a phone in dark ones, and anything that is wider than the screen of a phone, or of the part axe looks
 * at; tables in boxes of their own may be. The page stays light and as wide as a desktop.
 * @param at which of the two, for a page that is looked at once
 */
export async function faultsOf(page: Page, at?: "phone" | "desktop"): Promise<string[]> {
  const faults: string[] = []
  const looks = looksNow(page, at)
  for (const [name, size] of Object.entries(WIDTHS)) {
    if (name !== "phone" && looks.every(({ width }) => width !== name)) continue
    await page.setViewportSize(size)
    // Boxes on their way to a new place are wider for a moment.
    await page.evaluate(SETTLED)
    const widest = await page.evaluate<number>("document.documentElement.scrollWidth")
    if (widest > size.width) faults.push(`${name}: ${widest} pixels wide`)
    for (const { colorScheme } of looks.filter(({ width }) => width === name)) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      const complaints = await complaintsOf(page)
      faults.push(...complaints.map((complaint) => `${colorScheme}, ${name}: ${complaint}`))
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  await page.setViewportSize(WIDTHS.desktop)
  return faults
}
