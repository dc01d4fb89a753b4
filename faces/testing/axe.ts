import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

import type { AxeResults } from "axe-core"
import type { Page } from "playwright"

/** The minified version, since every checked page has to parse it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/**
 * Resolves once nothing has moved in two consecutive checks: a colour in transition has neither its old nor its new
 * value, and an inherited transition starts when the parent's is done. Endless animations aren't waited for, and a
 * background page, where transitions never end, gets two seconds.
 */
const SETTLED = `(async () => {
  for (let still = 0, looks = 0; still < 2 && looks < 100; looks++) {
    await new Promise((go) => setTimeout(go, 20))
    const moving = document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    still = moving ? 0 : still + 1
  }
})()`

/** The problems that axe finds on a page in its current state (WCAG 2.2 AA, and its best practices): each rule with the elements that break it. */
export async function complaintsOf(page: Page): Promise<string[]> {
  // Runs through the debugger, which the page's own policy doesn't restrict.
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await page.evaluate(AXE)
  await page.evaluate(SETTLED)
  const { violations } = await page.evaluate<Pick<AxeResults, "violations">>(
    // Style sheets aren't fetched again, because the rule that reads them isn't used here.
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
/** Whether each screen is checked at every width and in every colour scheme: `npm run test:looks`. */
export const WITH_EVERY_LOOK = process.env["FOSSICK_TEST_LOOKS"] === "all"

/** Contrast depends on the colours and order on the width, so successive checks alternate between them. */
const TURNS: readonly Look[] = [
  { width: "desktop", colorScheme: "light" },
  { width: "phone", colorScheme: "dark" },
]
const seen = new WeakMap<Page, number>()

/** The looks in which axe checks a page this time, limited to the width `at` if given. */
function looksNow(page: Page, at?: "phone" | "desktop"): readonly Look[] {
  if (WITH_EVERY_LOOK) return EVERY_LOOK
  if (at !== undefined) return TURNS.filter(({ width }) => width === at)
  const turn = seen.get(page) ?? 0
  seen.set(page, turn + 1)
  return [TURNS[turn % TURNS.length]!]
}

/**
 * The problems with a page in its current state: what {@link complaintsOf axe finds}, alternating between a desktop in
 * light colours and a phone in dark ones, and anything wider than the phone's screen or than the part that axe checks,
 * except tables in boxes of their own. Afterwards the page is light and as wide as a desktop again.
 * @param at the device to use, for a page that is checked only once
 */
export async function faultsOf(page: Page, at?: "phone" | "desktop"): Promise<string[]> {
  const faults: string[] = []
  const looks = looksNow(page, at)
  for (const [name, size] of Object.entries(WIDTHS)) {
    if (name !== "phone" && looks.every(({ width }) => width !== name)) continue
    await page.setViewportSize(size)
    // Boxes that are moving to a new place are wider for a moment.
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
