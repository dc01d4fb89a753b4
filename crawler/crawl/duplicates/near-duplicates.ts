import { differingBits } from "#engine/index/page/fingerprint.ts"
import { type PageText, UNTITLED } from "./page-text.ts"

/** Shorter texts count as the same only if they are equal: a single word may make all the difference. */
const FEWEST_WORDS = 150
/**
 * Two long texts with the same title are compared closely if they differ in at most this many of 64 bits. Of 2,707
 * manual pages and 1,665 web pages no two with the same title are closer than 12; adding one line above and one below
 * moves 99 of 100 texts by 7 or less.
 */
const NEAR_BITS = 7
/**
 * A page resembles its canonical if they differ in at most this many bits. Of 3.7 million pairs of manual pages, 0.02%
 * are that close, while adding one paragraph to a page changes at most 13 bits.
 */
const CANONICAL_BITS = 14
/**
 * How much longer one page may be than the other at its head and foot, for text such as "Print this page" or "Was this
 * helpful?".
 */
const EXTRA_LINES = 4
const EXTRA_WORDS = 30
const EXTRA_SHARE = 0.05
/** Number of lines at the head and foot that may contain the time of the answer. */
const EDGE = 3
const TIME_WITH_SECONDS = /\b\d{1,2}:\d{2}:\d{2}\b/

/** Why two pages of one source are the same page; `null` if they are not. */
export type Sameness = "same text" | "same lines" | null

/**
 * Whether two pages contain the same text, judged by their fingerprints. Their titles must be equal, because only the
 * title distinguishes pages on which nothing but a notice could be read. Short pages, whose text may come from a form
 * or a gallery, also need equal images and a title.
 */
export function sameText(a: PageText, b: PageText): Sameness {
  if (a.title !== b.title || a.words === 0) return null
  const isLong = mayBeNear(a)
  if (!isLong && (a.images !== b.images || a.title === UNTITLED)) return null
  if (a.exact === b.exact) return "same text"
  return isLong && a.lines === b.lines ? "same lines" : null
}

/** Whether a text is long enough to count as the same as one that differs slightly. */
export function mayBeNear(text: PageText): boolean {
  return text.words >= FEWEST_WORDS
}

/** Whether two texts are close enough to be compared line by line with {@link sameButEdges}. */
export function isNear(a: PageText, b: PageText): boolean {
  if (a.title !== b.title || !mayBeNear(a) || !mayBeNear(b)) return false
  return a.similar !== null && b.similar !== null && differingBits(a.similar, b.similar) <= NEAR_BITS
}

/**
 * Whether a page resembles the one that it names as its canonical. Titles are not compared, since the site itself names
 * the page.
 */
export function isLike(a: PageText, b: PageText): boolean {
  if (a.exact === b.exact || a.lines === b.lines) return true
  return a.similar !== null && b.similar !== null && differingBits(a.similar, b.similar) <= CANONICAL_BITS
}

/**
 * Whether two texts are the same except for an extra line or two at head and foot, or for the time of day at which they
 * were sent. A replaced word is never overlooked, nor is anything with a digit: versions of a manual and variants of a
 * product may differ in just that.
 */
export function sameButEdges(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [untimed(a), untimed(b)] : [untimed(b), untimed(a)]
  const more = long.length - short.length
  if (more > EXTRA_LINES || short.length === 0) return false
  for (let head = 0; head <= more; head++) {
    if (!short.every((line, at) => line === long[at + head])) continue
    const extra = [...long.slice(0, head), ...long.slice(head + short.length)].join(" ")
    if (/\p{N}/u.test(extra)) continue
    const words = countWords(extra)
    if (words <= EXTRA_WORDS && words <= EXTRA_SHARE * countWords(short.join(" "))) return true
  }
  return false
}

function untimed(lines: readonly string[]): readonly string[] {
  const isEdge = (at: number) => at < EDGE || at >= lines.length - EDGE
  return lines.map((line, at) =>
    isEdge(at) && TIME_WITH_SECONDS.test(line) ? line.replace(/\p{N}+/gu, "0") : line,
  )
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu)?.length ?? 0
}
