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

/**
 * What is wrong with a page as it stands, in light and dark colours, on a phone, a desktop and a wide screen: what {@link complaintsOf axe finds}, and that
 * something is wider than the screen; tables in boxes of their own may be. The page stays light and as wide as a desktop.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    for (const [name, size] of Object.entries(WIDTHS)) {
      await page.setViewportSize(size)
      const where = `${colorScheme}, ${name}: `
      faults.push(...(await complaintsOf(page)).map((complaint) => where + complaint))
      const widest = await page.evaluate<number>("document.documentElement.scrollWidth")
      if (widest > size.width) faults.push(`${where}${widest} pixels wide`)
    }
  }
  await page.setViewportSize(WIDTHS.desktop)
  return faults
}
