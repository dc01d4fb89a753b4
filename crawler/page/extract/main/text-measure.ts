import { isFragmentLink, isHeading, isLink } from "../html/anchors.ts"
import { type Element, isBlockTag } from "../html/tree.ts"

/** How much text an element shows, and of what sort. Lengths in characters, white space collapsed. */
export interface TextMeasure {
  readonly chars: number
  readonly linkChars: number
  /** Text outside links, in blocks long enough to be sentences, and code. */
  readonly prose: number
}

const SENTENCE_CHARS = 80

/** Measures every block below `root` in one walk, without what is skipped. */
export function measureText(root: Element, skipped: ReadonlySet<Element>): Map<Element, TextMeasure> {
  const measures = new Map<Element, TextMeasure>()
  measure(root, skipped, measures, false, false)
  return measures
}

interface Sum {
  chars: number
  linkChars: number
  prose: number
}

function measure(
  element: Element,
  skipped: ReadonlySet<Element>,
  measures: Map<Element, TextMeasure>,
  inLink: boolean,
  inHeading: boolean,
): Sum {
  const own: Sum = { chars: 0, linkChars: 0, prose: 0 }
  const headed = inHeading || isHeading(element)
  // A heading that leads to itself is text.
  const linked = inLink || (isLink(element) && !(headed && isFragmentLink(element)))
  const isBlock = isBlockTag(element.tag) || element.containsBlock || element.asBlock
  let runChars = 0
  let runLinkChars = 0
  const closeRun = () => {
    const plain = runChars - runLinkChars
    if (plain >= SENTENCE_CHARS && plain > runLinkChars) own.prose += plain
    runChars = 0
    runLinkChars = 0
  }
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
    const below = measure(child, skipped, measures, linked, headed)
    own.chars += below.chars
    own.linkChars += below.linkChars
    if (isBlockTag(child.tag) || child.containsBlock || child.asBlock) {
      closeRun()
      own.prose += below.prose
    } else {
      runChars += below.chars
      runLinkChars += below.linkChars
    }
  }
  if (isBlock || element.parent === null) {
    closeRun()
    if (element.tag === "pre") own.prose = Math.max(own.prose, own.chars)
    measures.set(element, own)
  }
  return own
}

/** Characters of a text, white space collapsed; ideographs and kana count threefold. */
export function textLength(text: string): number {
  let length = 0
  let space = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isSpace = code === 32 || (code >= 9 && code <= 13) || code === 160
    if (isSpace && space) continue
    // Ideographs and kana carry about as much as half a word each.
    length += code >= 0x3040 && code <= 0x9fff ? 3 : 1
    space = isSpace
  }
  return space && length > 0 ? length - 1 : length
}
