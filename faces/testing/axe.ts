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
  await page.evaluate(axe.source)
  await page.evaluate(SETTLED)
  const { violations } = await page.evaluate<{
    violations: readonly { id: string; nodes: readonly { html: string; failureSummary?: string }[] }[]
  }>("axe.run()")
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join(" | ")}`,
  )
}
