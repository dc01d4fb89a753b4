import type { HitPassage } from "#engine"
import { shownOf } from "#engine/index/page/passage.ts"

/** Lines of a page that say nothing about its subject: captions of pictures and tables, and requests to the reader. */
const ASIDE =
  /^(?:(?:figure|fig\.|table|listing|image|photo|abbildung|tabelle|tableau|figura)\s+[\dIVX]+(?:[.-]\d+)*\s*[.:–—-].{0,200}|(?:was|is|did) this (?:page|article|section|topic|answer|information|content|help)?\s*(?:page|article)?\s*(?:helpful|useful|help(?: you)?)\b.{0,60}|(?:rate|share|print|edit|improve) this (?:page|article)(?: on .{1,30})?|(?:give|send|leave|submit) (?:us )?feedback.{0,40}|thanks? (?:you )?for your feedback.{0,40}|(?:yes\s*[/|·]?\s*no)|(?:image|photo) credits?:.{0,80})$/i

/** The text of a passage as shown in a result, with the passage that it comes from. */
interface Snippet {
  readonly text: string
  readonly of: HitPassage
}

/**
 * The passages of a hit as shown in a result: in the order of the page, without captions and without requests for the
 * reader's opinion. If a hit has only such passages, they are kept.
 */
export function snippetsOf(passages: readonly HitPassage[]): Snippet[] {
  const ordered = passages
    .toSorted((a, b) => a.position - b.position)
    .map((of) => ({ text: shownOf(of), of }))
  const shown = ordered
    .map(({ text, of }) => ({ text: withoutAsides(text), of }))
    .filter(({ text }) => text !== "")
  return shown.length > 0 ? shown : ordered
}

/** A text without captions and requests; lines of code are kept, although they may look like these. */
function withoutAsides(text: string): string {
  let isCode = false
  return text
    .split("\n")
    .filter((line) => {
      if (line.startsWith("```")) isCode = !isCode
      return isCode || !ASIDE.test(line.trim())
    })
    .join("\n")
    .trim()
}
