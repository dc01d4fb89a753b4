import type { PageUrl } from "#engine"
import type { RobotsCache } from "./robots.ts"

/**
 * The pause in milliseconds that a site's robots.txt asks for between requests, up to `FOSSICK_MAX_WAIT_MS`; null if it
 * doesn't ask for a pause.
 */
export async function crawlDelayMs(
  robots: RobotsCache,
  url: PageUrl,
  { maxWaitMs }: { readonly maxWaitMs: number },
): Promise<number | null> {
  const answer = await robots.for(url)
  const asked = answer.kind === "rules" ? answer.rules.crawlDelayMs : null
  return asked === null ? null : Math.min(asked, maxWaitMs)
}
