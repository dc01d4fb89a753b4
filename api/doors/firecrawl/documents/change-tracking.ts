import type { Page } from "#engine"

import { writeDiff } from "../../../services/pages/unified-diff.ts"

/** How a page has changed, in wire format. */
export interface ChangeTracking {
  readonly previousScrapeAt: string | null
  readonly changeStatus: "new" | "same" | "changed"
  readonly visibility: "visible" | "hidden"
  readonly diff?: { readonly text: string }
}

const HEAD = "--- previous\n+++ current\n"

/**
 * Compares a page with the version that a crawl last put into the index.
 * @param stored the part of that version that the caller may see, or null
 * @throws WorkError when the texts are too long to compare
 */
export async function trackChange(
  markdown: string,
  stored: Page | null,
  { withDiff, signal }: { readonly withDiff: boolean; readonly signal: AbortSignal },
): Promise<ChangeTracking> {
  if (stored === null) return { previousScrapeAt: null, changeStatus: "new", visibility: "hidden" }
  const isSame = stored.markdown.trim() === markdown.trim()
  return {
    previousScrapeAt: stored.fetchedAt.toISOString(),
    changeStatus: isSame ? "same" : "changed",
    visibility: "visible",
    ...(withDiff &&
      !isSame && { diff: { text: HEAD + (await writeDiff(stored.markdown, markdown, signal)) } }),
  }
}
