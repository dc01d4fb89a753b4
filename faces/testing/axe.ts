import axe from "axe-core"
import type { Page } from "playwright"

/** What axe finds wrong with a page as it stands (WCAG 2.2 AA, and its best practices): each rule with the elements. */
export async function complaintsOf(page: Page): Promise<string[]> {
  // By the debugger, which the page's own policy does not bind.
  await page.evaluate(axe.source)
  // A colour on its way to another one is neither.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished),
  )`)
  const { violations } = await page.evaluate<{
    violations: readonly { id: string; nodes: readonly { html: string; failureSummary?: string }[] }[]
  }>("axe.run()")
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ")}`,
  )
}
