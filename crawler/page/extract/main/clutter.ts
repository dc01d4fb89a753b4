import type { PageSigns } from "./page-signs.ts"
import { holdsCode, isField } from "./text-boxes.ts"
import type { TextMeasure } from "./text-measure.ts"
import { isCard, isLinkList, type Reading, skipCards, skipLinkRuns } from "./cards.ts"
import { type Element, elementsOf, firstElement, isBlockTag, textOf } from "../html/tree.ts"

type Measures = ReadonlyMap<Element, TextMeasure>

/** Minimum amount of prose on a page that is meant for reading: about six paragraphs. */
const LEAST_READ = 600
/** The same minimum for a page that declares itself an article: about three paragraphs. */
const LEAST_ARTICLE = 300

/** Leaves out parts of the main content that don't belong to it: teasers, lists of links, stray labels. */
export function skipClutter(
  root: Element,
  skipped: Set<Element>,
  measures: Measures,
  signs: PageSigns,
  site: URL | null,
): void {
  const prose = measures.get(root)?.prose ?? 0
  const chars = measures.get(root)?.chars ?? 0
  const reads = prose >= (signs.isArticle ? LEAST_ARTICLE : LEAST_READ) && prose >= chars * 0.4
  let paragraphs: number | null = null
  const text: Reading = {
    isArticle: signs.isArticle,
    prose,
    paragraphs: () => (paragraphs ??= mostParagraphs(root, measures)),
  }
  let asking: ReadonlySet<Element> | null = null
  const fields = () => (asking ??= aroundFields(root))
  if (reads) skipSignUps(root, skipped, measures)
  skipBelow(root, 0, { skipped, measures, signs, site, reads, text, fields })
  if (reads && signs.isArticle) skipAuthorBoxes(root, skipped, measures)
}

interface Content {
  readonly skipped: Set<Element>
  readonly measures: Measures
  readonly signs: PageSigns
  readonly site: URL | null
  /** Whether the page is mostly prose. */
  readonly reads: boolean
  readonly text: Reading
  /** The result of {@link aroundFields}. */
  readonly fields: () => ReadonlySet<Element>
}

/** `after`: amount of prose in the main content after `parent`. */
function skipBelow(parent: Element, after: number, content: Content): void {
  const { skipped, measures, signs, site, reads, text, fields } = content
  if (reads && !signs.isDiscussion) skipCards(parent, skipped, measures, text, after)
  if (reads) skipLinkRuns(parent, skipped, measures, site)
  const { children } = parent
  let behind = after + proseOf(parent, skipped, measures)
  for (let at = 0; at < children.length; at++) {
    const child = children[at]!
    if (typeof child === "string" || skipped.has(child)) continue
    const own = measures.get(child)
    if (!own) continue
    behind -= own.prose
    if (reads && isLinkList(child, own, site) && !isHeadOfText(parent, at, skipped, measures)) {
      skipped.add(child)
      continue
    }
    if (own.chars <= MAX_LABEL_CHARS && !CELLS.has(child.tag)) {
      const label = textOf(child, 200)
      if (!signs.isDiscussion && LEADS_ELSEWHERE.test(label)) {
        const end = skipSection(parent, at, skipped, measures, fields)
        if (end > at) {
          at = end - 1
          continue
        }
      }
      // A box with a figure is kept for its picture.
      if (
        STRAY_LABEL.test(label) &&
        !isHeadOfText(parent, at, skipped, measures) &&
        firstElement(child, ({ tag }) => tag === "figure") === null
      ) {
        skipped.add(child)
        continue
      }
    }
    skipBelow(child, behind, content)
  }
  skipEmptySections(parent, skipped, measures)
}

/** Maximum length of the text around a field for an e-mail address, and its maximum share of the prose. */
const MAX_SIGN_UP_CHARS = 500
const MAX_SIGN_UP_SHARE = 0.2

/** Leaves out short boxes around a field for an e-mail address: they ask readers to subscribe. */
function skipSignUps(root: Element, skipped: Set<Element>, measures: Measures): void {
  const most = measures.get(root)!.prose * MAX_SIGN_UP_SHARE
  const looked = new Set<Element>()
  for (const element of elementsOf(root)) {
    if (element.tag !== "input" || !asksForAddress(element)) continue
    let box: Element | null = null
    for (let at = element.parent; at !== null && at !== root; at = at.parent) {
      const own = measures.get(at)
      if (own === undefined) continue
      if (own.chars > MAX_SIGN_UP_CHARS || own.prose > most) break
      box = at
    }
    if (box === null || looked.has(box)) continue
    looked.add(box)
    if (firstElement(box, ({ tag }) => tag === "h1" || tag === "article") === null) skipped.add(box)
  }
}

const asksForAddress = (input: Element): boolean =>
  input.get("type") === "email" || /e-?mail/i.test(input.get("name") ?? "")

/** Maximum amount of prose after a box about the author: a short notice. */
const MOST_AFTER_AUTHOR = 200
const MAX_AUTHOR_CHARS = 1200
const MAX_AUTHOR_SHARE = 0.3

/** Leaves out boxes at the end of an article that contain a portrait of its author. */
function skipAuthorBoxes(root: Element, skipped: Set<Element>, measures: Measures): void {
  const most = measures.get(root)!.prose * MAX_AUTHOR_SHARE
  let behind = 0
  const visit = (parent: Element): void => {
    for (const child of parent.children.toReversed()) {
      if (behind > MOST_AFTER_AUTHOR) return
      if (typeof child === "string" || skipped.has(child)) continue
      const own = measures.get(child)
      if (own === undefined || own.chars === 0) continue
      if (own.chars <= MAX_AUTHOR_CHARS && own.prose <= most && isAuthorBox(child)) skipped.add(child)
      else if (child.containsBlock) visit(child)
      else behind += own.prose
    }
  }
  visit(root)
}

const AUTHOR = /(?:^|[\s_-])(?:author|bio|byline)/i

const isAuthorBox = (box: Element): boolean =>
  AUTHOR.test(`${box.get("class") ?? ""} ${box.get("id") ?? ""} ${box.get("itemprop") ?? ""}`) &&
  holdsPicture(box) &&
  firstElement(box, ({ tag }) => tag === "a") !== null

/** The amount of prose in the paragraphs of the box that has the most of it. */
function mostParagraphs(root: Element, measures: Measures): number {
  let most = 0
  for (const element of elementsOf(root)) {
    let prose = 0
    for (const child of element.children)
      if (typeof child !== "string" && child.tag === "p") prose += measures.get(child)?.prose ?? 0
    most = Math.max(most, prose)
  }
  return most
}

/** Amount of prose in the children that were not left out. */
function proseOf(parent: Element, skipped: ReadonlySet<Element>, measures: Measures): number {
  let prose = 0
  for (const child of parent.children)
    if (typeof child !== "string" && !skipped.has(child)) prose += measures.get(child)?.prose ?? 0
  return prose
}

/** Leaves out headings whose lists were all left out, because they no longer have a purpose. */
function skipEmptySections(parent: Element, skipped: Set<Element>, measures: Measures): void {
  let heading: Element | null = null
  let hasLost = false
  const close = () => {
    if (heading !== null && hasLost) skipped.add(heading)
    heading = null
    hasLost = false
  }
  for (const child of parent.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") heading = null
      continue
    }
    if (skipped.has(child)) {
      hasLost ||= (measures.get(child)?.chars ?? 0) > 0
      continue
    }
    const rank = /^h([2-6])$/.exec(child.tag)
    if (rank === null) {
      // An empty box doesn't count as content below the heading; a picture does.
      if (!measures.has(child) || measures.get(child)!.chars > 0 || holdsPicture(child)) heading = null
    } else {
      if (heading === null || Number(rank[1]) <= Number(heading.tag[1])) close()
      heading = child
      hasLost = false
    }
  }
  close()
}

function holdsPicture(element: Element): boolean {
  return firstElement(element, ({ tag }) => tag === "img" || tag === "picture" || tag === "svg") !== null
}

/** Elements in which "Open" and "Print" are content: cells of tables and lists of terms. */
const CELLS = new Set(["td", "th", "dt", "dd"])
const MAX_LABEL_CHARS = 60

const LEADS_ELSEWHERE =
  /^(?:related(?: (?:articles?|posts?|stories|content|topics|reading|links|news|products|items|resources))?|(?:you (?:may|might) (?:also )?(?:like|enjoy|be interested in)|recommended(?: (?:for you|reading|articles|stories|posts))?|more (?:from|stories|articles|news|posts|like this|on this|in)\b.*|(?:read|see|explore|discover) (?:more|also|next)|read next|up next|latest (?:news|posts|articles|stories)|recent (?:posts|articles|news)|most (?:read|popular)(?: (?:in|on|articles|stories|news)\b.*)?|popular (?:posts|articles|stories)|trending(?: now)?|also in the news|further reading|keep reading|about the authors?|share(?: this)?(?: (?:article|post|story|page))?|leave a (?:reply|comment)|comments?|join the conversation|sign up .*|subscribe.*|newsletter|get the latest .*|follow us.*|previous (?:post|article)|next (?:post|article)|customers (?:also|who) .*|recently viewed.*|have (?:any )?questions\?|contact us(?: today)?!?)|mehr zum thema|ähnliche (?:artikel|beiträge)|articles? (?:liés|similaires)|à lire aussi|artículos relacionados|veja também|leia (?:também|mais)|você pode gostar.*|leggi anche)[\s:.…!]*$/iu

const STRAY_LABEL =
  /^(?:advertisements?|publicidade|anzeige|publicité|sponsored|share(?: this)?(?: (?:on|via|article) ?\w*)?|tweet|pin it|email|print|(?:continue|keep) reading.*|story continues.*|read more[\s.…→»↓]*|learn more[\s→»]*|(?:see|view|show) (?:more|less|all)[\s→»]*|back to (?:top|gallery)|close|open in a new tab|view this (?:figure|table)|image \d+ of \d+|photos?:? .{0,50}|\(?(?:image )?credits?: .{0,60}|tags?:?|caption|loading\.*|\d+ (?:min(?:ute)?s?|mins) read|(?:published|updated|posted|last updated):? .{0,40}\d{4}.{0,25}|(?:posted|written) by .{0,40}|add to (?:cart|bag|wishlist)|skip to (?:main )?content|table of contents|copy(?: link)?|start free trial|no credit card required\.?)$/iu

/** Whether a heading, or a box with only a heading, has text below it, so that "Email" is the name of a section and not a button. */
function isHeadOfText(
  parent: Element,
  at: number,
  skipped: ReadonlySet<Element>,
  measures: Measures,
): boolean {
  const head = parent.children[at] as Element
  const heading = firstElement(head, (element) => headingRank(element) !== null)
  if (heading === null || measures.get(heading)?.chars !== measures.get(head)?.chars) return false
  for (const next of parent.children.slice(at + 1)) {
    if (typeof next === "string" || skipped.has(next)) continue
    const own = measures.get(next)
    if (!own || own.chars === 0) continue
    return headingRank(next) === null && own.linkChars < own.chars * 0.5
  }
  return false
}

/**
 * Leaves out the links, cards and forms between a heading and the next heading of the same rank, and also the heading
 * if nothing remains below it.
 * @returns the index after the last part, or `from` if the heading has text
 */
function skipSection(
  parent: Element,
  from: number,
  skipped: Set<Element>,
  measures: Measures,
  fields: () => ReadonlySet<Element>,
): number {
  const end = endOfSection(parent, from, skipped, measures)
  const parts = parent.children.slice(from + 1, end).filter((child) => typeof child !== "string")
  const asks = parts.some((part) => fields().has(part))
  let isLeft = false
  for (const part of parts) {
    const own = measures.get(part)
    if (skipped.has(part) || own === undefined || own.chars === 0) continue
    if (isClutter(part, own, skipped, measures) || (asks && own.chars <= MAX_LEAD_CHARS && !holdsCode(part)))
      skipped.add(part)
    else isLeft = true
  }
  if (isLeft) return from
  skipped.add(parent.children[from] as Element)
  return end
}

/** All fields and forms below an element, with all of their ancestors. */
function aroundFields(root: Element): ReadonlySet<Element> {
  const found = new Set<Element>()
  for (const element of elementsOf(root))
    if (isField(element))
      for (let above: Element | null = element; above && !found.has(above); above = above.parent)
        found.add(above)
  return found
}

/** Maximum length of the text before a form: "Once a month, free of charge." */
const MAX_LEAD_CHARS = 500

/** Whether a part of a section is links, a card or a box of cards. */
function isClutter(
  part: Element,
  own: TextMeasure,
  skipped: ReadonlySet<Element>,
  measures: Measures,
): boolean {
  if (own.linkChars > own.chars * 0.5) return true
  if (!part.containsBlock) return false
  if (isCard(part)) return true
  let parts = 0
  for (const child of part.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") return false
      continue
    }
    const below = measures.get(child)
    if (skipped.has(child) || below?.chars === 0) continue
    if (below === undefined || !isClutter(child, below, skipped, measures)) return false
    parts++
  }
  return parts > 0
}

/** Maximum number of parts checked below one heading, so that pages with a hundred thousand labels take linear time. */
const MOST_PARTS = 200
const MOST_BEHIND_LABEL = 20

function endOfSection(
  parent: Element,
  from: number,
  skipped: ReadonlySet<Element>,
  measures: Measures,
): number {
  const rank = headingRank(parent.children[from] as Element)
  let end = from + 1
  const last = Math.min(parent.children.length, from + (rank === null ? MOST_BEHIND_LABEL : MOST_PARTS))
  for (; end < last; end++) {
    const child = parent.children[end]!
    if (typeof child === "string" || skipped.has(child)) continue
    const other = headingRank(child)
    // A line of bold or plain text only introduces the part right after it.
    if (rank === null && end > from + 1 && measures.get(child)?.chars) {
      const own = measures.get(child)!
      if (own.prose > own.chars * 0.5 && own.linkChars < own.chars * 0.3) break
    }
    if (other !== null && (rank === null || other <= rank)) break
  }
  return end
}

function headingRank(element: Element): number | null {
  const tag = /^h([1-6])$/.exec(element.tag)
  if (tag) return Number(tag[1])
  // A box that starts with a heading is treated as that heading.
  for (const child of element.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") return null
    } else if (isBlockTag(child.tag)) return headingRank(child)
    else return null
  }
  return null
}
