import { isBoilerplate, isInvisible } from "./boilerplate.ts"
import { type Element, firstElement, isBlockTag, walk } from "./tree.ts"

export interface MainContent {
  readonly root: Element
  /** Boilerplate inside the root, with everything below it. */
  readonly skipped: ReadonlySet<Element>
}

/** Text measures of an element without its skipped parts. */
interface Measure {
  chars: number
  linkChars: number
  /** What speaks for the element being the main content minus what speaks against. */
  score: number
}

const LINK_COST = 0.6
const MIN_CHARS = 250

/**
 * Finds the main content of a document.
 *
 * Boilerplate is taken out first, then the subtree is chosen whose text weighs most: whole sentences count for it,
 * links and short scraps against it, so that growing the subtree pays only while it brings in more text than clutter.
 */
export function findMainContent(document: Element): MainContent {
  const body = firstElement(document, (element) => element.tag === "body") ?? document
  const title = ""
  for (const strictness of ["strict", "lenient", "none"] as const) {
    const skipped = new Set<Element>()
    mark(body, skipped, strictness, title)
    const measures = new Map<Element, Measure>()
    const all = measure(body, skipped, measures, false)
    if (all.chars < MIN_CHARS && strictness !== "none") {
      const invisible = new Set<Element>()
      mark(body, invisible, "none", title)
      if (measure(body, invisible, new Map(), false).chars > all.chars * 3) continue
    }
    const root = choose(body, skipped, measures)
    return { root, skipped }
  }
  return { root: body, skipped: new Set() }
}

type Strictness = "strict" | "lenient" | "none"

function mark(element: Element, skipped: Set<Element>, strictness: Strictness, title: string): void {
  for (const child of element.children) {
    if (typeof child === "string") continue
    if (isInvisible(child) || (strictness !== "none" && isBoilerplate(child, strictness === "strict")))
      skipped.add(child)
    else mark(child, skipped, strictness, title)
  }
}

function measure(
  element: Element,
  skipped: ReadonlySet<Element>,
  measures: Map<Element, Measure>,
  inLink: boolean,
): Measure {
  const own: Measure = { chars: 0, linkChars: 0, score: 0 }
  let blockChildren = 0
  const linked = inLink || element.tag === "a"
  let inlineChars = 0
  let inlineLinkChars = 0
  const close = () => {
    if (inlineChars > 0) own.score += blockScore(inlineChars, inlineLinkChars, element)
    inlineChars = 0
    inlineLinkChars = 0
  }
  for (const child of element.children) {
    if (typeof child === "string") {
      const chars = textLength(child)
      own.chars += chars
      inlineChars += chars
      if (linked) {
        own.linkChars += chars
        inlineLinkChars += chars
      }
      continue
    }
    if (skipped.has(child)) continue
    const below = measure(child, skipped, measures, linked)
    own.chars += below.chars
    own.linkChars += below.linkChars
    if (isBlockTag(child.tag) || child.containsBlock) {
      close()
      own.score += below.score
      blockChildren++
    } else {
      inlineChars += below.chars
      inlineLinkChars += below.linkChars
    }
  }
  if (isBlockTag(element.tag) || element.containsBlock || blockChildren > 0) {
    close()
    measures.set(element, own)
  }
  return own
}

/** Long unlinked text scores its length; linked and short text costs a little. */
function blockScore(chars: number, linkChars: number, element: Element): number {
  const plain = chars - linkChars
  if (linkChars > plain) return -linkChars * LINK_COST - 5
  if (/^h[1-6]$/.test(element.tag)) return 0
  if (element.tag === "pre" || element.tag === "code") return chars
  if (chars < 40)
    return element.tag === "td" || element.tag === "li" || element.tag === "p" ? chars * 0.2 : -5
  return plain - linkChars
}

function textLength(text: string): number {
  let length = 0
  let space = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isSpace = code === 32 || (code >= 9 && code <= 13) || code === 160
    if (isSpace && space) continue
    length++
    space = isSpace
  }
  return space && length > 0 ? length - 1 : length
}

function choose(
  body: Element,
  skipped: ReadonlySet<Element>,
  measures: ReadonlyMap<Element, Measure>,
): Element {
  const semantic = semanticRoot(body, skipped, measures)
  if (semantic) return semantic
  let best = body
  let bestScore = -Infinity
  const visit = (element: Element): void => {
    const own = measures.get(element)
    if (!own) return
    // On a tie the deeper one is the closer fit.
    if (own.score >= bestScore) {
      bestScore = own.score
      best = element
    }
    for (const child of element.children) if (typeof child !== "string" && !skipped.has(child)) visit(child)
  }
  visit(body)
  return best
}

function semanticRoot(
  body: Element,
  skipped: ReadonlySet<Element>,
  measures: ReadonlyMap<Element, Measure>,
): Element | null {
  const total = measures.get(body)
  if (!total) return null
  const found: Element[][] = [[], [], []]
  walk(body, (element) => {
    if (skipped.has(element)) return false
    const itemprop = element.get("itemprop")
    if (itemprop === "articleBody") found[0]!.push(element)
    else if (element.tag === "article") found[1]!.push(element)
    else if (element.tag === "main" || element.get("role") === "main") found[2]!.push(element)
    return undefined
  })
  for (const group of found) {
    const chars = group.map((element) => measures.get(element)?.chars ?? 0)
    const most = Math.max(0, ...chars.slice(0, 1000))
    const sum = chars.reduce((a, b) => a + b, 0)
    if (most >= MIN_CHARS && most > total.chars * 0.3 && most > sum * 0.7) return group[chars.indexOf(most)]!
  }
  return null
}
