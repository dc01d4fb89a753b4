import { isHeading } from "../html/anchors.ts"
import { type Sign, signsOf, type Suspicion } from "./boilerplate.ts"
import { captionsOfImages } from "../html/captions.ts"
import { skipClutter } from "./clutter.ts"
import { skipCopies } from "./doubled.ts"
import { skipLanguageLinks } from "./language-links.ts"
import { showNoscript, skipNeverText } from "./noscript.ts"
import type { PageSigns } from "./page-signs.ts"
import { isFactTable, readsAsText } from "./text-boxes.ts"
import { measureAgain, measureText, type TextMeasure } from "./text-measure.ts"
import {
  closest,
  type Element,
  elementsOf,
  firstElement,
  isBlockTag,
  isInside,
  textOf,
} from "../html/tree.ts"

export interface MainContent {
  readonly root: Element
  /** The root's text, without skipped parts. */
  readonly measure: TextMeasure
  /** Boilerplate inside the root, with everything below it. */
  readonly skipped: ReadonlySet<Element>
  /** Parts of the root that stand apart from its text, such as the sidebars of a book. */
  readonly boxes: ReadonlySet<Element>
  /** Captions that were left out of the text, by their image. */
  readonly captions: ReadonlyMap<Element, string>
}

type Measures = ReadonlyMap<Element, TextMeasure>

/** The largest share of the page's text that a sign can cover before it is ignored. */
const MAX_SHARE: Record<Suspicion, number> = {
  some: 0.25,
  strong: 0.4,
  discussion: 0.97,
  "on-shop": 0.5,
  "on-discussion": 0.25,
  "on-article": 0.25,
  "beside-text": 0.25,
}
const MIN_PROSE = 250
/** The share of its parent's prose above which a child is taken to contain the content. */
const DESCENT_SHARE = 0.85

/**
 * Finds the main content of a document in three steps: leave out elements that are never text; leave out elements whose
 * tag, role or class marks them as boilerplate, unless they contain too much of the page's text; then descend from the
 * body (or the single `main`, `article` or `articleBody`) as long as one child contains nearly all the prose. `leftOut`
 * lists parts known not to belong to the content.
 */
export function findMainContent(
  document: Element,
  signs: PageSigns,
  baseUrl: string,
  leftOut: readonly Element[] = [],
): MainContent {
  const body = firstElement(document, (element) => element.tag === "body") ?? document
  const skipped = new Set(leftOut)
  skipNeverText(body, skipped)
  let measures = measureText(body, skipped)
  if (measures.get(body)!.chars < 600 && showNoscript(body, skipped, measures.get(body)!.chars))
    measures = measureText(body, skipped)
  let measured = skipped.size
  const { boxes, captions: leftOutCaptions } = skipBoilerplate(body, skipped, measures, signs)
  const captions = captionsOfImages(body, leftOutCaptions, skipped, baseUrl)
  const named = namedParts(body, skipped)
  if (named.heading !== null) skipConsent(body, named.heading, skipped, measures)
  measureAgain(measures, body, skipped, measured)
  measured = skipped.size
  const chosen = chooseRoot(body, named, skipped, measures, signs)
  const root = named.heading === null ? chosen : withHeadedText(chosen, named.heading, skipped, measures)
  skipLanguageLinks(root, skipped, measures)
  skipCopies(root, skipped, measures, signs.isDiscussion)
  skipClutter(root, skipped, measures, signs, URL.parse(baseUrl))
  measureAgain(measures, root, skipped, measured)
  // A page may call an inline element its main content.
  const measure = measures.get(root) ?? measureText(root, skipped).get(root)!
  return { root, measure, skipped, boxes, captions }
}

/** Returns the boxes that look like boilerplate but belong to the text, and the captions that were left out. */
function skipBoilerplate(
  body: Element,
  skipped: Set<Element>,
  measures: Measures,
  signs: PageSigns,
): { boxes: Set<Element>; captions: Element[] } {
  const signed = new SignedParts(skipped, measures, signs)
  signed.skipBelow(body)
  return signed
}

/** An element's position in the page. */
interface Place {
  /** Whether the position is outside the part that the page calls its main content. */
  readonly isBeside: boolean
  readonly isInMain: boolean
  /** Names that look like boilerplate, but that also mark a surrounding element whose content is text. */
  readonly trusted: readonly string[]
}

/** The elements of a page that have signs of boilerplate. */
class SignedParts {
  readonly boxes = new Set<Element>()
  readonly captions: Element[] = []
  readonly #skipped: Set<Element>
  readonly #measures: Measures
  readonly #signs: PageSigns
  readonly #signed = new Map<Element, readonly Sign[]>()
  /**
   * The amount of text that each sign covers. A sign that covers much of a page means nothing there: some site builders
   * call every box "widget", some forums call every post "comment".
   */
  readonly #covered = new Map<string, number>()
  readonly #paragraphs = new Map<Element, readonly Element[]>()
  readonly #mains: Element[] = []
  #main: Element | null = null
  #total = 1

  constructor(skipped: Set<Element>, measures: Measures, signs: PageSigns) {
    this.#skipped = skipped
    this.#measures = measures
    this.#signs = signs
  }

  skipBelow(body: Element): void {
    this.#total = Math.max(1, this.#weight(body))
    if (isCalledMain(body)) this.#mains.push(body)
    this.#cover(body, [])
    const [main] = this.#mains
    const isLarge = main !== undefined && (this.#measures.get(main)?.chars ?? 0) >= MIN_PROSE
    this.#main = isLarge && this.#mains.length === 1 ? main : null
    this.#skip(body, { isBeside: true, isInMain: false, trusted: [] })
  }

  #weight(element: Element): number {
    const own = this.#measures.get(element)
    return own ? own.prose + UNSURE_WEIGHT * Math.max(0, own.chars - own.linkChars - own.prose) : 0
  }

  #cover(parent: Element, above: readonly string[]): void {
    for (const child of parent.children) {
      if (typeof child === "string" || this.#skipped.has(child)) continue
      if (isCalledMain(child)) this.#mains.push(child)
      let names = above
      const found = signsOf(child)
      if (found.length > 0) this.#signed.set(child, found)
      for (const { name } of found) {
        if (names.includes(name)) continue
        this.#covered.set(name, (this.#covered.get(name) ?? 0) + this.#weight(child))
        names = [...names, name]
      }
      this.#cover(child, names)
    }
  }

  #skip(parent: Element, { isBeside, isInMain, trusted }: Place): void {
    for (let at = 0; at < parent.children.length; at++) {
      const child = parent.children[at]!
      if (typeof child === "string" || this.#skipped.has(child)) continue
      const place = {
        isBeside: isBeside && child !== this.#main,
        isInMain: isInMain || MAIN_TAGS.has(child.tag) || child.get("role") === "main",
        trusted,
      }
      const found = this.#signsOf(child)
      if (found.length > 0 && this.#believes(found, child, place) && !this.#isKept(parent, at)) {
        if (this.#isText(child, isInMain)) place.trusted = [...trusted, ...found.map(({ name }) => name)]
        else {
          this.#skipped.add(child)
          if (found.some(({ suspicion }) => suspicion === "on-article")) this.captions.push(child)
          continue
        }
      }
      this.#skip(child, place)
    }
  }

  #signsOf(element: Element): readonly Sign[] {
    const found = this.#signed.get(element) ?? NO_SIGNS
    return found.length > 0 && isOneOfMany(element, this.#signed, this.#measures) ? NO_SIGNS : found
  }

  /** Whether the signs on an element show that it is boilerplate. */
  #believes(found: readonly Sign[], element: Element, { isBeside, trusted }: Place): boolean {
    if (found.some(({ suspicion }) => suspicion === "beside-text") && this.#isAmongText(element))
      this.boxes.add(element)
    return found.some(({ name, suspicion }) => {
      const covered = this.#covered.get(name) ?? 0
      return (
        applies(suspicion, this.#signs) &&
        !trusted.includes(name) &&
        !(suspicion === "beside-text" && this.boxes.has(element)) &&
        !(suspicion === "discussion" && this.#total - covered < LEAST_BESIDE) &&
        (covered <= this.#total * MAX_SHARE[suspicion] ||
          // Outside the part that the page marks as its main content, a strong sign applies no matter how much it
          // covers.
          (isBeside && this.#main !== null && suspicion === "strong" && !isInside(this.#main, element)))
      )
    })
  }

  /** Whether a child is kept, regardless of its signs. */
  #isKept(parent: Element, at: number): boolean {
    const child = parent.children[at] as Element
    return isWithinSentence(parent, at) || (this.#weight(child) > this.#total * 0.1 && holdsMain(child))
  }

  #isText(element: Element, isInMain: boolean): boolean {
    if (isFactTable(element)) return true
    return readsAsText(element, this.#measures.get(element)) && (isInMain || this.#isAmongText(element))
  }

  #isAmongText(element: Element): boolean {
    return isAmongText(element, this.#skipped, this.#measures, this.#paragraphs)
  }
}

const NO_SIGNS: readonly Sign[] = []

/** Whether a child has words right before and after it: a sentence needs all of its parts. */
function isWithinSentence({ children }: Element, at: number): boolean {
  const child = children[at] as Element
  const [before, behind] = [children[at - 1], children[at + 1]]
  return (
    !isBlockTag(child.tag) &&
    !child.containsBlock &&
    typeof before === "string" &&
    typeof behind === "string" &&
    WORD.test(before) &&
    WORD.test(behind)
  )
}

const WORD = /\p{L}{2}/u

/** The least number of siblings of the same kind without a sign. */
const FEWEST_EQUALS = 2
/** The minimum share of siblings of the same kind without a sign. */
const EQUAL_SHARE = 0.4

/**
 * Whether an element with a sign is one of a row of similar elements, many of which have no sign. The word then
 * describes this one element, as `product_cat-accessories` describes one product among others.
 */
function isOneOfMany(
  element: Element,
  signed: ReadonlyMap<Element, readonly Sign[]>,
  measures: Measures,
): boolean {
  if (!signed.has(element) || element.parent === null) return false
  const kind = kindOf(element)
  if (kind === "") return false
  let equals = 0
  let plain = 0
  for (const child of element.parent.children.slice(0, MOST_EQUALS)) {
    if (typeof child === "string" || child.tag !== element.tag || kindOf(child) !== kind) continue
    if ((measures.get(child)?.chars ?? 0) === 0) continue
    equals++
    if (!signed.has(child)) plain++
  }
  return plain >= FEWEST_EQUALS && plain >= equals * EQUAL_SHARE
}

/** The maximum number of siblings compared with an element that has a sign, so that a list of a hundred thousand takes linear time. */
const MOST_EQUALS = 100

/** The first class, which the whole row shares. */
const kindOf = (element: Element): string => /\S+/.exec((element.get("class") ?? "").slice(0, 100))?.[0] ?? ""

const MAIN_TAGS = new Set(["main", "article"])

/** On a page with less text than this besides its comments, the comments are the text. */
const LEAST_BESIDE = 60

/** The weight of a character of short text, such as a label or a cell, compared with one of prose. */
const UNSURE_WEIGHT = 0.3

function applies(suspicion: Suspicion, signs: PageSigns): boolean {
  switch (suspicion) {
    case "discussion":
      return !signs.isDiscussion
    case "on-shop":
      return signs.isShop
    case "on-discussion":
      return signs.isDiscussion
    case "on-article":
      return signs.isArticle
    default:
      return true
  }
}

/** Whether an element has prose and few links, and is among paragraphs. */
function isAmongText(
  element: Element,
  skipped: ReadonlySet<Element>,
  measures: Measures,
  paragraphs: Map<Element, readonly Element[]>,
): boolean {
  const own = measures.get(element)
  if (!own || own.prose === 0 || own.linkChars > own.chars * 0.3) return false
  const parent = element.parent!
  let around = paragraphs.get(parent)
  if (around === undefined) {
    around = parent.children.filter(
      (child): child is Element =>
        typeof child !== "string" &&
        isBlockTag(child.tag) &&
        !child.containsBlock &&
        (measures.get(child)?.prose ?? 0) > 0,
    )
    paragraphs.set(parent, around)
  }
  return around.some((child) => child !== element && !skipped.has(child))
}

const holdsMain = (element: Element): boolean => firstElement(element, isMain) !== null

function chooseRoot(
  body: Element,
  named: NamedParts,
  skipped: ReadonlySet<Element>,
  measures: Measures,
  signs: PageSigns,
): Element {
  let root = body
  const prose = (element: Element) => measures.get(element)?.prose ?? 0
  const chars = (element: Element) => measures.get(element)?.chars ?? 0
  const main = most(named.main, chars)
  if (
    main &&
    (prose(main) >= prose(body) * 0.5 || (prose(body) < MIN_PROSE && chars(main) > chars(body) * 0.3))
  )
    root = main
  for (const group of [named.articleBody, named.article]) {
    const inside = group.filter((element) => root === body || isInside(element, root))
    const largest = most(inside, prose)
    if (!largest || prose(largest) < MIN_PROSE) continue
    const sum = inside.reduce((total, element) => total + prose(element), 0)
    if (group === named.article && !signs.isArticle && losesText(root, largest, measures)) continue
    if (prose(largest) >= prose(root) * 0.4 && prose(largest) >= sum * 0.65) return largest
  }
  return prose(root) < MIN_PROSE ? root : descend(root, skipped, measures, signs)
}

/** A part with nearly all the prose must also contain this share of the text around it to be taken as the whole content. */
const LEAST_SHARE = 0.5
/** A part with this much prose is an article in any surroundings: about ten paragraphs, if it has the page's `h1`. */
const ARTICLE_PROSE = 1000
/** The same for a part without the page's `h1`: about forty paragraphs. */
const LONG_PROSE = 4000

/**
 * Whether going down from an element to one below it loses most of the text. A list of products or tables has hardly any
 * prose, and the paragraph that a shop writes below it for search engines is not the content.
 */
function losesText(from: Element, to: Element, measures: Measures): boolean {
  const all = measures.get(from)!
  const own = measures.get(to)!
  if (own.chars >= all.chars * LEAST_SHARE || own.prose >= LONG_PROSE) return false
  return own.prose < ARTICLE_PROSE || firstElement(to, ({ tag }) => tag === "h1") === null
}

/** The minimum amount of text outside links that must accompany the first heading for both to be kept: a short notice. */
const LEAST_HEADED = 60

/**
 * A long notice beside a short article has more prose, but the article has the page's only `h1`. Both are the content
 * then, without the rest of their surroundings.
 */
function withHeadedText(root: Element, heading: Element, skipped: Set<Element>, measures: Measures): Element {
  if (isInside(heading, root) || isNamedWithout(heading, root)) return root
  let box = heading
  while (!isInside(root, box) && !hasTextBeside(heading, box, measures)) box = box.parent!
  if (isInside(root, box)) {
    const parts = paragraphsBelow(heading, root, skipped)
    const chars = parts.reduce((sum, part) => sum + (measures.get(part)?.prose ?? 0), 0)
    if (chars < LEAST_HEADED) return root
    keepOnly(box, [heading, ...parts, root], skipped)
    return box
  }
  let common = root
  while (!isInside(box, common)) common = common.parent!
  keepOnly(common, [root, box], skipped)
  return common
}

/** The paragraphs between a heading and a part of the page that is beside it. */
function paragraphsBelow(heading: Element, root: Element, skipped: ReadonlySet<Element>): readonly Element[] {
  const siblings = heading.parent?.children ?? []
  const below = siblings.slice(siblings.indexOf(heading) + 1)
  const end = below.findIndex((one) => typeof one !== "string" && isInside(root, one))
  return below
    .slice(0, Math.max(0, end))
    .filter((one) => typeof one !== "string" && one.tag === "p" && !skipped.has(one)) as Element[]
}

/** Whether the page marks an element, or one around it, as content, and that content does not include the heading. */
const isNamedWithout = (heading: Element, element: Element): boolean =>
  closest(element, (one) => isMain(one) && !isInside(heading, one)) !== null

/** A notice that asks for consent to cookies mentions them at its beginning and again later. */
const COOKIES = /cookie/gi
const MAX_CONSENT_LEAD = 300
const MAX_CONSENT_CHARS = 5000

/**
 * Leaves out a cookie consent notice (with a button) beside the text that contains the page's only `h1`. Its class may
 * give no hint, but the word "cookie" and the button do, in any language.
 */
function skipConsent(body: Element, heading: Element, skipped: Set<Element>, measures: Measures): void {
  if (/cookie/i.test(textOf(heading, MAX_CONSENT_LEAD))) return
  let hasText = false
  for (let at = heading; at !== body; at = at.parent!) {
    hasText ||= hasTextBeside(heading, at, measures)
    if (!hasText) continue
    for (const box of at.parent!.children)
      if (typeof box !== "string" && box !== at && isConsent(box)) skipped.add(box)
  }
}

function isConsent(box: Element): boolean {
  if (firstElement(box, ({ tag }) => tag === "button") === null) return false
  const text = textOf(box, MAX_CONSENT_CHARS)
  const [first, second] = text.matchAll(COOKIES)
  return (
    second !== undefined &&
    first!.index <= MAX_CONSENT_LEAD &&
    text.length < MAX_CONSENT_CHARS &&
    !holdsMain(box)
  )
}

/** Whether a box around a heading has text of its own outside links. */
function hasTextBeside(heading: Element, box: Element, measures: Measures): boolean {
  const { chars, linkChars } = measures.get(box) ?? { chars: 0, linkChars: 0 }
  return chars - linkChars - (measures.get(heading)?.chars ?? 0) >= LEAST_HEADED
}

const isMain = (element: Element): boolean =>
  MAIN_TAGS.has(element.tag) || element.get("role") === "main" || element.get("itemprop") === "articleBody"

const isCalledMain = (element: Element): boolean =>
  element.tag === "main" || (element.tag !== "article" && element.get("role") === "main")

/** Leaves out everything below an element except these parts. */
function keepOnly(element: Element, parts: readonly Element[], skipped: Set<Element>): void {
  for (const child of element.children) {
    if (typeof child === "string" || parts.includes(child)) continue
    if (parts.some((part) => isInside(part, child))) keepOnly(child, parts, skipped)
    else skipped.add(child)
  }
}

function descend(
  from: Element,
  skipped: ReadonlySet<Element>,
  measures: Measures,
  signs: PageSigns,
): Element {
  let root = from
  for (;;) {
    const needed = (measures.get(root)?.prose ?? 0) * DESCENT_SHARE
    const next = root.children.find(
      (child): child is Element =>
        typeof child !== "string" && !skipped.has(child) && (measures.get(child)?.prose ?? 0) >= needed,
    )
    if (next && !signs.isArticle && losesText(root, next, measures)) return root
    if (next && closest(root, isMain) !== null && isHeadedBefore(root, next, skipped, measures)) return root
    if (!next || next.tag === "p" || next.tag === "ul" || next.tag === "ol" || next.tag === "table")
      return root
    root = next
  }
}

/** Whether text without a heading follows text with a heading, as a notice does after a short article. */
function isHeadedBefore(
  parent: Element,
  child: Element,
  skipped: ReadonlySet<Element>,
  measures: Measures,
): boolean {
  if (firstElement(child, isHeading) !== null) return false
  const before = parent.children.slice(0, parent.children.indexOf(child))
  return before.some(
    (other) =>
      typeof other !== "string" &&
      !skipped.has(other) &&
      firstElement(other, isHeading) !== null &&
      firstElement(other, (below) => below.tag === "p" && (measures.get(below)?.prose ?? 0) > 0) !== null,
  )
}

/** The parts of a page that its markup names, without those left out. */
interface NamedParts {
  readonly main: readonly Element[]
  readonly article: readonly Element[]
  readonly articleBody: readonly Element[]
  /** The page's `h1`, if it has only one. */
  readonly heading: Element | null
}

function namedParts(body: Element, skipped: ReadonlySet<Element>): NamedParts {
  const main: Element[] = []
  const article: Element[] = []
  const articleBody: Element[] = []
  const headings: Element[] = []
  for (const element of elementsOf(body, skipped)) {
    const itemprop = element.get("itemprop")
    if (itemprop !== null && /(?:^|\s)articleBody(?:\s|$)/.test(itemprop)) articleBody.push(element)
    if (element.tag === "article") article.push(element)
    else if (isCalledMain(element)) main.push(element)
    if (element.tag === "h1") headings.push(element)
  }
  return { main, article, articleBody, heading: headings.length === 1 ? headings[0]! : null }
}

function most(elements: readonly Element[], value: (element: Element) => number): Element | null {
  let best: Element | null = null
  for (const element of elements) if (!best || value(element) > value(best)) best = element
  return best
}
