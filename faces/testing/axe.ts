import axe from "axe-core"
import type { Page } from "playwright"

/**
 * Over once nothing has moved twice in a row: a colour on its way to another one is neither, and one that is inherited sets out when its
 * parent's arrives. What turns without end is not waited for, and a page behind another one, where nothing arrives, two seconds.
 */
const SETTLED = `(async () => {
  for (let still = 0, looks = 0; still < 2 && looks < 100; looks++) {
    await new Promise((go) => setTimeout(go, 20))
    const moving = document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    still = moving ? 0 : still + 1
  }
})()`

/** What axe finds wrong with a page as it stands (WCAG 2.2 AA, and its best practices): each rule with the elements. */
export async function complaintsOf(page: Page): Promise<string[]> {
  // By the debugger, which the page's own policy does not bind.
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await page.evaluate(axe.source)
  await page.evaluate(SETTLED)
  const { violations } = await page.evaluate<{
    violations: readonly { id: string; nodes: readonly { html: string; failureSummary?: string }[] }[]
  }>(`axe.run({ resultTypes: ["violations"] })`)
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ")}`,
  )
}

/** What people look at pages with. */
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
/** Contrast depends on the colours and order on the width, so the states of a screen take turns. */
const TURNS: readonly Look[] = [
  { width: "desktop", colorScheme: "light" },
  { width: "phone", colorScheme: "dark" },
]
const seen = new WeakMap<Page, number>()

/** In what axe looks at a page this time. `npm run test:looks`: in every width and colour, each time. */
function looksNow(page: Page): readonly Look[] {
  if (process.env["FOSSICK_TEST_LOOKS"] === "all") return EVERY_LOOK
  const turn = seen.get(page) ?? 0
  seen.set(page, turn + 1)
  return [TURNS[turn % TURNS.length]!]
}

/**
 * What is wrong with a page as it is now: what {@link complaintsOf axe finds}, once on a desktop in light colours, the next time on a phone in
 * dark ones, and anything that is wider than a screen of any of the {@link WIDTHS widths}; tables in boxes of their own may be. The page stays
 * light and as wide as a desktop.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = []
  const looks = looksNow(page)
  for (const [name, size] of Object.entries(WIDTHS)) {
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
