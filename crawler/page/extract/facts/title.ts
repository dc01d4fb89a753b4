import { routeOf } from "#engine/index/page/page-url.ts"
import { headingText, isLink, withoutMarks } from "../html/anchors.ts"
import { type Element, collapse, textOf } from "../html/tree.ts"
import type { DocumentFacts } from "./metadata.ts"

/** The parts of a page that titles are read from. */
export type TitleFacts = Pick<DocumentFacts, "baseUrl" | "headings" | "jsonLd" | "meta" | "titleTag">

/** The title of a document, and the headings that name its site instead. */
export interface ReadTitle {
  readonly title: string
  readonly logos: readonly Element[]
}

/**
 * The heading or shared title that the title tag repeats with something added, which is the title without the site's
 * name; otherwise the text that names the document best. A heading that names the site, such as a logo on each of its
 * pages, is the last choice.
 */
export function readTitle(facts: TitleFacts, url: string): ReadTitle {
  const all = facts.headings.flatMap((element) => {
    const text = headingText(element, 500)
    return text === "" ? [] : [{ element, text }]
  })
  const tag = withoutMarks(facts.titleTag)
  const isLogo = logoTest(tag, all.length, facts, url)
  const logos = all.filter(isLogo)
  const headings = all.filter((heading) => !logos.includes(heading))
  const names = siteNames(facts, logos)
  const choice =
    choose(tag, headings, names, facts, isFront(url)) ??
    logos[0]?.text ??
    (tag === "" ? "" : withoutSite(tag, names))
  return {
    title: withoutMarks(choice),
    logos: headings.length > 0 ? logos.map(({ element }) => element) : [],
  }
}

interface Heading {
  readonly element: Element
  readonly text: string
}

function choose(
  tag: string,
  headings: readonly Heading[],
  names: ReadonlySet<string>,
  facts: TitleFacts,
  isFrontPage: boolean,
): string | null {
  const shared = facts.meta.get("og:title") ?? facts.meta.get("twitter:title") ?? null
  const parts = tag.split(SEPARATOR).map(normal)
  for (const candidate of [...headings.map(({ text }) => text), ...(shared === null ? [] : [shared])]) {
    if (
      (candidate.length >= 4 || parts.includes(normal(candidate))) &&
      tag !== "" &&
      normal(candidate) !== "" &&
      !names.has(normal(candidate)) &&
      normal(tag).includes(normal(candidate))
    )
      return withoutSite(collapse(candidate), crumbNames(headings))
  }
  // If the following texts contain only the name of the site, the title is taken from the page's headings.
  const says = (text: string) => text !== "" && (!names.has(normal(text)) || isFrontPage)
  if (shared !== null && says(shared)) return withoutSite(shared, names)
  for (const object of facts.jsonLd) {
    const headline = object["headline"]
    if (typeof headline === "string" && says(headline)) return collapse(headline)
  }
  const [first] = headings
  if (first !== undefined && isNameInBrackets(tag, names)) return first.text
  if (says(tag)) return headingAround(tag, headings, names) ?? withoutSite(tag, names)
  return headings[0]?.text ?? shared
}

/** A heading with the part of the title tag that is not the site's name, plus one more word: "Module mod_alias". */
function headingAround(tag: string, headings: readonly Heading[], names: ReadonlySet<string>): string | null {
  const [first, ...more] = tag.split(SEPARATOR)
  if (first === undefined || more.length === 0 || names.has(normal(first)) || normal(first).length < 4)
    return null
  const around = headings.find(({ text }) => normal(text).includes(normal(first)))
  return around !== undefined && around.text.length <= first.length * 3 + 20 ? around.text : null
}

/**
 * Whether a title tag is the name of the page's file or entry and, in brackets, of its site, as DokuWiki writes it by
 * default: "ops:backup [Team wiki]". The heading is then the title of the page.
 */
function isNameInBrackets(tag: string, names: ReadonlySet<string>): boolean {
  const site = /^\S+ \[(.+)\]$/.exec(tag)?.[1]
  return site !== undefined && names.has(normal(site))
}

const SEPARATOR = /\s+[|·•»«–—:-]\s+/

function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
}

function isFront(url: string): boolean {
  const address = URL.parse(url)
  return address !== null && address.pathname === "/" && address.search === "" && routeOf(url) === ""
}

/** The names by which the document calls its site, as letters and digits. */
function siteNames(facts: TitleFacts, logos: readonly Heading[]): ReadonlySet<string> {
  const host = URL.parse(facts.baseUrl)
    ?.hostname.replace(/^www\./, "")
    .replace(/\.[^.]+$/, "")
  const named = [facts.meta.get("og:site_name"), facts.meta.get("application-name"), host]
  return new Set(
    [...named, ...logos.map(({ text }) => text)].flatMap((name) => {
      const key = normal(name ?? "")
      return key === "" ? [] : [key]
    }),
  )
}

/** Number of elements above a heading that are searched for its breadcrumbs. */
const CRUMB_STEPS = 2
const CRUMBS = /(?:^|[\s_-])breadcrumbs?(?:[\s_-]|$)/i

/**
 * The beginning of the breadcrumbs beside the headings, as letters and digits: the space of a wiki, which a Confluence
 * export puts in front of each title ("Operations : Backup").
 */
function crumbNames(headings: readonly Heading[]): ReadonlySet<string> {
  const names = headings.flatMap(({ element }) => {
    let above: Element | null = element.parent
    for (let steps = 0; above && steps < CRUMB_STEPS; above = above.parent, steps++) {
      const crumbs = above.children
        .flatMap((child) => (typeof child === "string" ? [] : [child]))
        .find(isCrumbs)
      const first = crumbs && firstLink(crumbs)
      if (first) return [normal(textOf(first, 500))]
    }
    return []
  })
  return new Set(names.filter((name) => name !== ""))
}

const isCrumbs = (element: Element): boolean =>
  CRUMBS.test(element.get("id") ?? "") ||
  CRUMBS.test(element.get("class") ?? "") ||
  CRUMBS.test(element.get("aria-label") ?? "")

function firstLink(element: Element): Element | null {
  for (const child of element.children) {
    if (typeof child === "string") continue
    const link = isLink(child) ? child : firstLink(child)
    if (link) return link
  }
  return null
}

/** Drops "| Site" or "Site -" if the rest of the document uses that name for the site. */
function withoutSite(title: string, names: ReadonlySet<string>): string {
  const parts = title.split(SEPARATOR)
  if (parts.length < 2) return title
  const isSite = (part: string) => names.has(normal(part))
  if (isSite(parts.at(-1)!))
    return title.slice(0, title.lastIndexOf(parts.at(-1)!)).replace(/\s+[|·•»«–—:-]\s+$/, "")
  if (isSite(parts[0]!)) return title.slice(parts[0]!.length).replace(/^\s+[|·•»«–—:-]\s+/, "")
  return title
}

const LOGO_WORDS =
  /(?:^|[\s_-])(?:logo(?:type|mark|text)?|brand(?:ing|name)?|navbar-brand|(?:site|app)-?(?:title|name|logo|branding|header)|blog-?title|masthead|wordmark)(?:[\s_-]|$)/i
/** Number of elements above a heading that are checked. */
const LOGO_STEPS = 4

/**
 * Whether a heading is the logo of its site. One page is enough to decide this: the heading's words or those around it
 * indicate it, it links to the site's start page, or it is in the head of the page and the title tag contains it after
 * the page's own title.
 */
function logoTest(
  tag: string,
  headings: number,
  facts: TitleFacts,
  url: string,
): (heading: Heading) => boolean {
  const parts = tag.split(SEPARATOR)
  const last = parts.length > 1 ? normal(parts.at(-1)!) : ""
  const site = normal(facts.meta.get("og:site_name") ?? facts.meta.get("application-name") ?? "")
  return ({ element, text }) => {
    const key = normal(text)
    const isNamed = key !== "" && (key === last || key === site)
    if (leadsHome(element, facts.baseUrl, url)) return true
    // A single heading in a box with the class `masthead` may be the page's own, in large letters.
    if (isIn(element, isCalledLogo)) return headings > 1 || isNamed
    return isNamed && (headings > 1 || isIn(element, isPageHead))
  }
}

function isIn(heading: Element, test: (element: Element) => boolean): boolean {
  for (
    let above: Element | null = heading, steps = 0;
    above && steps < LOGO_STEPS;
    above = above.parent, steps++
  ) {
    if (above.tag === "main" || above.tag === "article" || above.tag === "body") return false
    if (test(above)) return true
  }
  return false
}

const isCalledLogo = (element: Element) =>
  LOGO_WORDS.test(element.get("class") ?? "") || LOGO_WORDS.test(element.get("id") ?? "")

const isPageHead = (element: Element) =>
  element.tag === "header" ||
  element.tag === "nav" ||
  element.get("role") === "banner" ||
  /(?:^|[\s_-])(?:page-?)?header(?:[\s_-]|$)|^(?:top|head)$/i.test(element.get("id") ?? "")

/** Whether a heading is in a link to the start page of its site, or contains one with all its text. */
function leadsHome(heading: Element, baseUrl: string, url: string): boolean {
  const text = textOf(heading, 500)
  const isHome = (element: Element) => isLink(element) && isStart(element, baseUrl, url)
  for (
    let above: Element | null = heading, steps = 0;
    above && steps < LOGO_STEPS;
    above = above.parent, steps++
  )
    if (isHome(above)) return true
  const inside = (element: Element): boolean =>
    element.children.some(
      (child) => typeof child !== "string" && (isHome(child) ? textOf(child, 500) === text : inside(child)),
    )
  return inside(heading)
}

function isStart(link: Element, baseUrl: string, url: string): boolean {
  if (/(?:^|\s)home(?:\s|$)/i.test(link.get("rel") ?? "")) return true
  const href = (link.get("href") ?? "").trim()
  if (href.startsWith("#") || href === "") return false
  const [to, here] = [URL.parse(href, baseUrl), URL.parse(url)]
  return (
    to !== null &&
    here !== null &&
    routeOf(to.href) === "" &&
    to.origin === here.origin &&
    START.test(to.pathname) &&
    to.search === "" &&
    here.pathname !== to.pathname
  )
}

/** The start page of a site, or of one of its languages. */
const START = /^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:index\.(?:html?|php))?$/i
