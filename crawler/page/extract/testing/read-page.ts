import { extractHtml } from "../extract-html.ts"
import type { Extracted } from "../extracted.ts"

const PROSE =
  "<p>Lantern keepers wrote every reading into a bound book, and the book of 1911 is the one that this page was set from, with the spelling of the time.</p>"

/** Reads a document, or a fragment of one inside an ordinary article. */
export function readPage(html: string): Extracted {
  const page = html.startsWith("<!")
    ? html
    : `<!doctype html><html lang=en><title>Readings</title><main><h1>Readings</h1>${PROSE}${html}${PROSE}</main>`
  return extractHtml(page, "https://example.org/a/b")
}
