import { extractHtml } from "./extract-html.ts"
import type { Extracted } from "./extracted.ts"
import { LinkReading } from "./link-reading.ts"

/**
 * Reads only the parts of an HTML document that a walk along links needs: title, description, robots, canonical and
 * links. The result is the same as that of {@link extractHtml}, except that the title is the one in the head, and the
 * links have no texts. Everything else is left empty, at a fraction of the cost; a document that might redirect is read
 * in full. As pure and total as the full extraction.
 */
export function extractLinks(html: string, url: string): Extracted {
  const reading = new LinkReading(html, url)
  while (reading.step());
  return reading.mayRefresh ? extractHtml(html, url) : reading.end()
}
