import { isFragmentLink, isHeading, isLink } from "../html/anchors.ts"
import { type Element, elementsOf, isBlockTag } from "../html/tree.ts"

/** How much text an element shows, and of what kind. Lengths are in characters, with white space collapsed. */
export interface TextMeasure {
  readonly chars: number
  readonly linkChars: number
  /** Text outside links in blocks long enough to be sentences, plus code. */
  readonly prose: number
}

const SENTENCE_CHARS = 80

/** Measures `root` and every block below it in one walk, without the skipped parts. */
export function measureText(root: Element, skipped: ReadonlySet<Element>): Map<Element, TextMeasure> {
  const measures = new Map<Element, TextMeasure>()
  measure(root, { root, skipped, measures, changed: null }, false, false)
  return measures
}

/** Repeats the measurement of the parts that lost text when the elements of `skipped` from index `since` on were added. */
export function measureAgain(
  measures: Map<Element, TextMeasure>,
  root: Element,
  skipped: ReadonlySet<Element>,
  since: number,
): void {
  const changed = new Set<Element>()
  for (const element of [...skipped].slice(since)) {
    for (const below of elementsOf(element)) measures.delete(below)
    for (let at = element.parent; at !== null && !changed.has(at); at = at.parent) changed.add(at)
  }
  if (changed.has(root)) measure(root, { root, skipped, measures, changed }, false, false)
}

interface Walk {
  readonly root: Element
  readonly skipped: ReadonlySet<Element>
  readonly measures: Map<Element, TextMeasure>
  /** The elements to measure again; null means all of them. */
  readonly changed: ReadonlySet<Element> | null
}

interface Sum {
  chars: number
  linkChars: number
  prose: number
}

function measure(element: Element, walk: Walk, inLink: boolean, inHeading: boolean): Sum {
  const { skipped, measures, changed } = walk
  const own: Sum = { chars: 0, linkChars: 0, prose: 0 }
  const headed = inHeading || isHeading(element)
  // The text of a heading that links to itself is not link text.
  const linked = inLink || (isLink(element) && !(headed && isFragmentLink(element)))
  const isBlock = isBlockTag(element.tag) || element.containsBlock || element.asBlock
  let runChars = 0
  let runLinkChars = 0
  for (const child of element.children) {
    if (typeof child === "string") {
      const chars = textLength(child)
      own.chars += chars
      runChars += chars
      if (linked) {
        own.linkChars += chars
        runLinkChars += chars
      }
      continue
    }
    if (skipped.has(child)) continue
    const known = changed === null || changed.has(child) ? undefined : measures.get(child)
    const below = known ?? measure(child, walk, linked, headed)
    own.chars += below.chars
    own.linkChars += below.linkChars
    if (isBlockTag(child.tag) || child.containsBlock || child.asBlock) {
      own.prose += below.prose + proseOfRun(runChars, runLinkChars)
      runChars = 0
      runLinkChars = 0
    } else {
      runChars += below.chars
      runLinkChars += below.linkChars
    }
  }
  if (isBlock || element === walk.root) {
    own.prose += proseOfRun(runChars, runLinkChars)
    if (element.tag === "pre") own.prose = Math.max(own.prose, own.chars)
    measures.set(element, own)
  }
  return own
}

function proseOfRun(chars: number, linkChars: number): number {
  const plain = chars - linkChars
  return plain >= SENTENCE_CHARS && plain > linkChars ? plain : 0
}

/** Number of characters in a text, with white space collapsed; each ideograph or kana is counted as three. */
export function textLength(text: string): number {
  let length = 0
  let space = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isSpace = code === 32 || (code >= 9 && code <= 13) || code === 160
    if (isSpace && space) continue
    // An ideograph or kana carries about as much information as half a word.
    length += code >= 0x3040 && code <= 0x9fff ? 3 : 1
    space = isSpace
  }
  return space && length > 0 ? length - 1 : length
}
