import { collapse, type Element, firstElement, textOf } from "./tree.ts"

/** Whether an `<a>` is a link. Without `href` it is a link target, and its text is the page's own. */
export function isLink(element: Element): boolean {
  return element.tag === "a" && element.has("href")
}

export function isHeading(element: Element): boolean {
  return /^h[1-6]$/.test(element.tag) || element.get("role") === "heading"
}

/** Whether a link leads to a place on its own page, judging by how it is written; `#/guide` is another page. */
export function isFragmentLink(element: Element): boolean {
  return element.tag === "a" && /^\s*#(?!!?\/)/.test(element.get("href") ?? "")
}

/** The host of an address, used to decide whether two pages belong to one site. */
export const siteOf = ({ host }: URL): string => host.replace(/^www\./, "")

const PERMALINK_CLASS =
  /(?:^|[\s_-])(?:headerlink|permalink|anchor(?:-?link|js-link)?|hash-?link|self-?link|heading-?link)(?:[\s_-]|$)/i
/** Matches text that is only a mark, or the ligature with which an icon font draws such a mark. */
const MARKS = /^(?:[\p{P}\p{S}\p{Co}\u{1F517}\u2693\s]*|link|insert_link|anchor)$/u
/** Matches the names that permalinks have for readers who do not see the mark. */
const CALLED =
  /^(?:permalink|permanent link|permanenter link|lien permanent|enlace permanente|link permanente|permalien|(?:direct |copy )?link (?:to|for) |copy (?:permanent )?link|anchor (?:link )?(?:for|to) |section titled |heading self-link|(?:direkter )?link zu(?:r|m| ) ?|lien (?:direct )?vers |enlace (?:directo )?a )/i

/**
 * Whether a link is the mark that tools put beside a heading so that its address can be copied: "¶", "#", a symbol, or
 * words for readers who do not see it. A link that is its whole heading is not a mark.
 */
export function isPermalink(element: Element): boolean {
  if (element.tag !== "a") return false
  const text = textOf(element, 200)
  const href = element.get("href")
  const isClassed = PERMALINK_CLASS.test(element.get("class") ?? "")
  const isCalled = [text, element.get("aria-label"), element.get("title")].some(
    (name) => name !== null && CALLED.test(collapse(name)),
  )
  if (isClassed && (text.length < 3 || MARKS.test(text) || CALLED.test(text))) return true
  if (href === null || !href.includes("#")) return false
  if (/^[¶#§🔗⚓∞☍]*$/u.test(text) && !firstElement(element, (node) => node.tag === "img")) return true
  const isHidden = element.get("aria-hidden") === "true"
  if (!isClassed && !isCalled && !isHidden) return false
  return MARKS.test(text) || CALLED.test(text) || isBesideItsHeading(element)
}

function isBesideItsHeading(anchor: Element): boolean {
  for (let above = anchor.parent, steps = 0; above !== null && steps < 3; above = above.parent, steps++)
    if (isHeading(above)) return textOf(above, 1000).length > textOf(anchor, 1000).length
  return false
}

/** The text of a heading without the parts that tools add to it. */
export function headingText(heading: Element, maxChars: number): string {
  return withoutMarks(textOf(heading, maxChars, (element) => isPermalink(element) || isEditLink(element)))
}

/** The "[edit]" that wikis put beside the headings of sections. */
export function isEditLink(element: Element): boolean {
  return element.tag === "span" && /(?:^|\s)mw-editsection(?:\s|$)/.test(element.get("class") ?? "")
}

/** A title without the mark of its heading's link, if the title came as text. */
export function withoutMarks(title: string): string {
  return title.replace(/(?:\s*[¶🔗⚓]|\s+[#§])+\s*$/u, "")
}
