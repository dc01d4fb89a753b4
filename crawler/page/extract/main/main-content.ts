import { isHeading } from "../html/anchors.ts"
import { type Sign, signsOf, type Suspicion } from "./boilerplate.ts"
import { captionsOfImages } from "../html/captions.ts"
import { skipClutter } from "./clutter.ts"
import { skipCopies } from "./doubled.ts"
import { skipLanguageLinks } from "./language-links.ts"
import { showNoscript, skipNeverText } from "./noscript.ts"
import type { PageSigns } from "./page-signs.ts"
import { isFactTable, readsAsText } from "./text-boxes.ts"
import { measureText, type TextMeasure } from "./text-measure.ts"
import { closest, type Element, firstElement, isBlockTag, textOf, walk } from "../html/tree.ts"

export interface MainContent {
  readonly root: Element
  /** Boilerplate inside the root, with everything below it. */
  readonly skipped: ReadonlySet<Element>
  /** Parts of it that stand beside its text, such as the sidebars of a book. */
  readonly boxes: ReadonlySet<Element>
  /** Captions that were left out of the text, by their image. */
  readonly captions: ReadonlyMap<Element, string>
}

type Measures = ReadonlyMap<Element, TextMeasure>

/** The largest share of the page's text that a sign may cover and still be believed. */
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
/** A child that holds this share of its parent's prose is where the content is. */
const DESCENT_SHARE = 0.85

/**
 * Finds the main content of a document in three steps: leave out what is never text; leave out what its tag, role or
 * class calls boilerplate, unless too much of the page's text is called so; then go down from the body (or the one
 * `main`, `article` or `articleBody`) as long as one child holds nearly all the prose. `leftOut`: what is known before to
 * be none of it.
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
  const { boxes, captions: leftOutCaptions } = skipBoilerplate(body, skipped, measures, signs)
  const captions = captionsOfImages(body, leftOutCaptions, skipped, baseUrl)
  skipConsent(body, skipped, measures)
  measures = measureText(body, skipped)
  const root = withHeadedText(chooseRoot(body, skipped, measures, signs), body, skipped, measures)
  skipLanguageLinks(root, skipped, measures)
  skipCopies(root, skipped, measures, signs.isDiscussion)
  skipClutter(root, skipped, measures, signs, URL.parse(baseUrl))
  return { root, skipped, boxes, captions }
}

/** Gives the boxes that look like boilerplate and belong to the text, and the captions that were left out. */
function skipBoilerplate(
  body: Element,
  skipped: Set<Element>,
  measures: Measures,
  signs: PageSigns,
): { boxes: Set<Element>; captions: Element[] } {
  const boxes = new Set<Element>()
  const captions: Element[] = []
  const weight = (element: Element) => {
    const own = measures.get(element)
    return own ? own.prose + UNSURE_WEIGHT * Math.max(0, own.chars - own.linkChars - own.prose) : 0
  }
  const total = Math.max(1, weight(body))

  // A sign that covers much of a page says nothing there: a builder calls every box "widget", a forum every post "comment".
  const covered = new Map<string, number>()
  const signed = new Map<Element, readonly Sign[]>()
  const cover = (parent: Element, above: readonly string[]): void => {
    for (const child of parent.children) {
      if (typeof child === "string" || skipped.has(child)) continue
      let names = above
      const found = signsOf(child)
      if (found.length > 0) signed.set(child, found)
      for (const { name } of found) {
        if (names.includes(name)) continue
        covered.set(name, (covered.get(name) ?? 0) + weight(child))
        names = [...names, name]
      }
      cover(child, names)
    }
  }
  cover(body, [])

  const main = namedMain(body, skipped, measures)
  const paragraphs = new Map<Element, readonly Element[]>()
  const isAmong = (element: Element) => isAmongText(element, skipped, measures, paragraphs)
  const isText = (element: Element, isInside: boolean): boolean =>
    isFactTable(element) || (readsAsText(element, measures.get(element)) && (isInside || isAmong(element)))
  const skip = (parent: Element, isBeside: boolean, isInMain: boolean, trusted: readonly string[]): void => {
    for (const [i, child] of parent.children.entries()) {
      if (typeof child === "string" || skipped.has(child)) continue
      // Where the page says which part is its content, what stands beside that and says that it is none is believed.
      const beside = isBeside && child !== main
      const inside = isInMain || MAIN_TAGS.has(child.tag) || child.get("role") === "main"
      const found = isOneOfMany(child, signed, measures) ? [] : (signed.get(child) ?? [])
      if (found.some(({ suspicion }) => suspicion === "beside-text") && isAmong(child)) boxes.add(child)
      const believed = found.some(
        ({ name, suspicion }) =>
          applies(suspicion, signs) &&
          !trusted.includes(name) &&
          !(suspicion === "beside-text" && boxes.has(child)) &&
          !(suspicion === "discussion" && total - (covered.get(name) ?? 0) < LEAST_BESIDE) &&
          ((covered.get(name) ?? 0) <= total * MAX_SHARE[suspicion] ||
            (beside && main !== null && suspicion === "strong" && !isInside(main, child))),
      )
      if (!believed || isWithinSentence(parent, i) || (weight(child) > total * 0.1 && holdsMain(child)))
        skip(child, beside, inside, trusted)
      else if (isText(child, isInMain))
        skip(child, beside, inside, [...trusted, ...found.map(({ name }) => name)])
      else {
        skipped.add(child)
        if (found.some(({ suspicion }) => suspicion === "on-article")) captions.push(child)
      }
    }
  }
  skip(body, true, false, [])
  return { boxes, captions }
}

/** Whether a child has words right before and behind it: a sentence can do without none of its parts. */
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

/** Least children of one kind without a sign beside the one that has one. */
const FEWEST_EQUALS = 2
/** Share of the children of one kind that have no sign. */
const EQUAL_SHARE = 0.4

/**
 * Whether an element with a sign is one of a row of equals, most of which have none: the word then says what this one is
 * about, as `product_cat-accessories` does of one product among others.
 */
function isOneOfMany(
  element: Element,
  signed: ReadonlyMap<Element, readonly Sign[]>,
  measures: Measures,
): boolean {
  const kind = kindOf(element)
  if (kind === "" || !signed.has(element) || element.parent === null) return false
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

/** Most children looked at for each with a sign, to keep a list of a hundred thousand linear. */
const MOST_EQUALS = 100

/** The first class, which is what the row shares. */
const kindOf = (element: Element): string => /\S+/.exec((element.get("class") ?? "").slice(0, 100))?.[0] ?? ""

/** The one element that the page calls its main content, if it has some. */
function namedMain(body: Element, skipped: ReadonlySet<Element>, measures: Measures): Element | null {
  const { main } = namedContainers(body, skipped)
  const [only] = main
  return main.length === 1 && (measures.get(only!)?.chars ?? 0) >= MIN_PROSE ? only! : null
}

const MAIN_TAGS = new Set(["main", "article"])

/** A page with less text beside its comments has nothing else to say. */
const LEAST_BESIDE = 60

/** What a character of short text, such as a label or a cell, counts beside one of prose. */
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

/** Whether an element has prose and few links, and stands among paragraphs. */
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
  skipped: ReadonlySet<Element>,
  measures: Measures,
  signs: PageSigns,
): Element {
  let root = body
  const prose = (element: Element) => measures.get(element)?.prose ?? 0
  const chars = (element: Element) => measures.get(element)?.chars ?? 0
  const named = namedContainers(body, skipped)
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

/** The share of the text around it that a part with nearly all the prose must have, to be the content alone. */
const LEAST_SHARE = 0.5
/** With so much prose it is an article, whatever is around it: some ten paragraphs below the page's first heading, */
const ARTICLE_PROSE = 1000
/** and forty without it. */
const LONG_PROSE = 4000

/**
 * Whether most of the text is lost on the way from an element to one below. A list of products or of tables has
 * hardly any prose, and the paragraph that a shop writes below it for search engines is not its content.
 */
function losesText(from: Element, to: Element, measures: Measures): boolean {
  const all = measures.get(from)!
  const own = measures.get(to)!
  if (own.chars >= all.chars * LEAST_SHARE || own.prose >= LONG_PROSE) return false
  return own.prose < ARTICLE_PROSE || firstElement(to, ({ tag }) => tag === "h1") === null
}

/** Least text outside links beside a first heading: a short notice. */
const LEAST_HEADED = 60

/**
 * A long notice beside a short article has more prose, but the article has the page's one first heading: both are the
 * content then, without the rest of what is around them.
 */
function withHeadedText(root: Element, body: Element, skipped: Set<Element>, measures: Measures): Element {
  const heading = onlyFirstHeading(body, skipped)
  if (heading === null || isInside(heading, root) || isNamedWithout(heading, root)) return root
  const own = measures.get(heading)?.chars ?? 0
  let box = heading
  for (; !isInside(root, box); box = box.parent!) {
    const { chars, linkChars } = measures.get(box) ?? { chars: 0, linkChars: 0 }
    if (chars - linkChars - own >= LEAST_HEADED) break
  }
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

/** Whether the page marks an element, or one around it, as its content, and the heading is not in that. */
const isNamedWithout = (heading: Element, element: Element): boolean =>
  closest(element, (one) => isMain(one) && !isInside(heading, one)) !== null

/** Who asks for consent to cookies names them at the beginning and again. */
const COOKIES = /cookie/gi
const MAX_CONSENT_LEAD = 300
const MAX_CONSENT_CHARS = 5000

/**
 * Leaves out a notice with a button that asks for consent to cookies, beside the text with the page's one first heading. Its class
 * may say nothing; the word and the button do, in any language.
 */
function skipConsent(body: Element, skipped: Set<Element>, measures: Measures): void {
  const around = new Set<Element>()
  const looked = new Set<Element>()
  let heading: Element | null | undefined
  walk(body, (element) => {
    if (element.tag !== "button" || heading === null) return
    if (heading === undefined) {
      heading = onlyFirstHeading(body, skipped)
      for (let at = heading; at !== null; at = at.parent) around.add(at)
    }
    let box = element
    while (box.parent !== null && !around.has(box.parent)) box = box.parent
    if (heading === null || box.parent === null || looked.has(box)) return
    looked.add(box)
    if (
      isConsent(box) &&
      !/cookie/i.test(textOf(heading, 300)) &&
      hasTextBeside(heading, box.parent, measures)
    )
      skipped.add(box)
  })
}

function isConsent(box: Element): boolean {
  const text = textOf(box, MAX_CONSENT_CHARS)
  const [first, second] = text.matchAll(COOKIES)
  return (
    second !== undefined &&
    first!.index <= MAX_CONSENT_LEAD &&
    text.length < MAX_CONSENT_CHARS &&
    !holdsMain(box)
  )
}

/** Whether a box around a heading, below this one, has text of its own. */
function hasTextBeside(heading: Element, below: Element, measures: Measures): boolean {
  const own = measures.get(heading)?.chars ?? 0
  for (let at = heading; at !== below; at = at.parent!) {
    const { chars, linkChars } = measures.get(at) ?? { chars: 0, linkChars: 0 }
    if (chars - linkChars - own >= LEAST_HEADED) return true
  }
  return false
}

const isMain = (element: Element): boolean =>
  MAIN_TAGS.has(element.tag) || element.get("role") === "main" || element.get("itemprop") === "articleBody"

function onlyFirstHeading(body: Element, skipped: ReadonlySet<Element>): Element | null {
  const found: Element[] = []
  walk(body, (element) => {
    if (skipped.has(element)) return false
    if (element.tag === "h1") found.push(element)
    return undefined
  })
  return found.length === 1 ? found[0]! : null
}

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

/** Whether a text without a heading comes after one with a heading, as a notice does after a short article. */
function isHeadedBefore(
  parent: Element,
  child: Element,
  skipped: ReadonlySet<Element>,
  measures: Measures,
): boolean {
  const before = parent.children.slice(0, parent.children.indexOf(child))
  const isHeaded = before.some(
    (other) =>
      typeof other !== "string" &&
      !skipped.has(other) &&
      firstElement(other, isHeading) !== null &&
      firstElement(other, (below) => below.tag === "p" && (measures.get(below)?.prose ?? 0) > 0) !== null,
  )
  return isHeaded && firstElement(child, isHeading) === null
}

function namedContainers(
  body: Element,
  skipped: ReadonlySet<Element>,
): { main: Element[]; article: Element[]; articleBody: Element[] } {
  const found = { main: [] as Element[], article: [] as Element[], articleBody: [] as Element[] }
  walk(body, (element) => {
    if (skipped.has(element)) return false
    const itemprop = element.get("itemprop")
    if (itemprop !== null && /(?:^|\s)articleBody(?:\s|$)/.test(itemprop)) found.articleBody.push(element)
    if (element.tag === "article") found.article.push(element)
    else if (element.tag === "main" || element.get("role") === "main") found.main.push(element)
    return undefined
  })
  return found
}

function most(elements: readonly Element[], value: (element: Element) => number): Element | null {
  let best: Element | null = null
  for (const element of elements) if (!best || value(element) > value(best)) best = element
  return best
}

const isInside = (element: Element, ancestor: Element): boolean =>
  closest(element, (at) => at === ancestor) !== null
