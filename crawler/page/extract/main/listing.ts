import { isHeading, isLink, siteOf } from "../html/anchors.ts"
import { type Element, elementsOf, firstElement, textOf } from "../html/tree.ts"
import type { MainContent } from "./main-content.ts"
import type { PageSigns } from "./page-signs.ts"

/** Classes of the body or of the whole document that mark lists in WordPress, Hugo, Docusaurus and Drupal. */
const LIST_CLASS =
  /(?:^|\s)(?:archive|category|tag|author|date|paged|blog|search-results|taxonomy|term|kind-(?:taxonomy|term)|tax-[\w-]+|page-taxonomy-term|(?:docs|blog)-[a-z-]*list-page|blog-archive-page)(?=\s|$)/i
/** Class names that mark a single page in these programs; they can appear together with class names of lists. */
const SINGLE_CLASS =
  /(?:^|\s)(?:single(?:-[\w-]+)?|page-id-\d+|kind-page|blog-post-page|docs-doc-page)(?=\s|$)/i
/** Addresses of lists: `/tags/`, `/category/repairs/`, `/author/mia/page/2/`, `/page/3/`, `/2024/05/`. */
const LIST_ADDRESS =
  /\/(?:(?:tags?|topics?|labels?|categor(?:y|ies)|authors?|archives?)(?:\/[^/]+)?(?:\/page\/?\d+)?|page\/?\d+|(?:19|20)\d\d(?:\/\d\d)?)(?:\/(?:index\.\w+)?|\.html?)?$/i
/** Boxes in which sites show excerpts of other pages. */
const TEASER_CLASS = /(?:^|[\s_-])(?:post|entry|teaser|card|excerpt|summary|story|item)(?:[\s_-]|$)/i

/** The minimum number of links to pages of the same site in a list that isn't marked as one. */
const FEWEST_LINKS = 8
/** The minimum share of link text in a list that isn't marked as one. */
const LINK_SHARE = 0.6
/** The maximum number of characters in sentences in a list that isn't marked as one: about five sentences. */
const MOST_PROSE = 400
/** The same limits for a list that is marked as one. */
const MARKED_LINKS = 3
const MARKED_SHARE = 0.4
/** The minimum number of teasers in an unmarked list, and the maximum length of each: a blog that shows whole posts has text of its own. */
const FEWEST_TEASERS = 3
const MOST_TEASER_CHARS = 600

/**
 * Whether a page is mostly a list of other pages of its site: for a tag, an author or a month, a table of contents, or
 * the front page of a blog. This is decided by class names or the form of the address, together with the links. Without
 * such a mark, the text must consist of links, or of excerpts of other pages under headings that link to them.
 */
export function isListing(
  document: Element,
  content: MainContent,
  signs: PageSigns,
  { url, baseUrl }: { readonly url: string; readonly baseUrl: string },
): boolean {
  if (signs.isDiscussion) return false
  const { chars, linkChars, prose } = content.measure
  const { pages, teasers, boxedTeasers } = linksOf(content, url, baseUrl)
  const share = linkChars / Math.max(1, chars)
  const classed = isClassed(document)
  if (classed && teasers > (signs.isArticle ? 1 : 0)) return true
  const path = URL.parse(url)?.pathname ?? ""
  if ((classed || LIST_ADDRESS.test(path)) && pages >= MARKED_LINKS && (share >= MARKED_SHARE || teasers > 1))
    return true
  if (signs.isArticle) return false
  if (pages >= FEWEST_LINKS && share >= LINK_SHARE && prose <= MOST_PROSE) return true
  return boxedTeasers >= FEWEST_TEASERS && chars <= boxedTeasers * MOST_TEASER_CHARS
}

function isClassed(document: Element): boolean {
  const classes = ["html", "body"]
    .map((tag) => firstElement(document, (element) => element.tag === tag)?.get("class") ?? "")
    .join(" ")
  return LIST_CLASS.test(classes) && !SINGLE_CLASS.test(classes)
}

interface LinksFound {
  /** The number of other pages of the site that the content links to. */
  readonly pages: number
  /** The number of those pages that a heading below the first level links to. */
  readonly teasers: number
  /** The number of those pages whose heading is in a box of its own. */
  readonly boxedTeasers: number
}

function linksOf({ root, skipped }: MainContent, url: string, baseUrl: string): LinksFound {
  const own = URL.parse(url)
  const pages = new Set<string>()
  const teased = new Set<string>()
  const boxed = new Set<string>()
  const boxes = new Set<Element>()
  const note = (link: Element): void => {
    const target = URL.parse(link.get("href")!, baseUrl)
    if (own === null || target === null || siteOf(target) !== siteOf(own)) return
    const page = target.pathname + target.search
    if (page === own.pathname + own.search) return
    pages.add(page)
    const heading = headingOf(link)
    if (heading === null || heading.tag === "h1") return
    teased.add(page)
    const box = boxOf(heading, root)
    if (box === null || boxes.has(box)) return
    boxes.add(box)
    boxed.add(page)
  }
  for (const element of elementsOf(root, skipped)) if (isLink(element)) note(element)
  return { pages: pages.size, teasers: teased.size, boxedTeasers: boxed.size }
}

/** The maximum number of levels between a heading and its link, or its box. */
const STEPS = 4

/** The heading around a link, if it consists mostly of the link, or the heading inside the link. */
function headingOf(link: Element): Element | null {
  const inside = firstElement(link, isHeading)
  if (inside !== null) return inside
  for (let above = link.parent, step = 0; above !== null && step < STEPS; above = above.parent, step++)
    if (isHeading(above)) return textOf(link, 500).length * 2 > textOf(above, 500).length ? above : null
  return null
}

function boxOf(heading: Element, root: Element): Element | null {
  for (
    let at: Element | null = heading.parent, step = 0;
    at !== null && at !== root && step < STEPS;
    step++
  ) {
    if (at.tag === "article" || TEASER_CLASS.test(at.get("class") ?? "")) return at
    at = at.parent
  }
  return null
}
