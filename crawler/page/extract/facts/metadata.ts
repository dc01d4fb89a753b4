import { parseForeign } from "#base/text/json/foreign-json.ts"
import { type PageUrl, routeOf, toPageUrl } from "#engine/index/page/page-url.ts"
import { readRefresh, type Refresh } from "../../headers/refresh.ts"
import type { Link } from "../extracted.ts"
import { DateSpots } from "./dates/date-spots.ts"
import { closest, collapse, type Element, textOf, walk } from "../html/tree.ts"
import { MAX_LINK_CHARS } from "../html/link-resolver.ts"
import { type LeftToScripts, ScriptTraces } from "./left-to-scripts.ts"
import { READERS_TAG } from "../../headers/site-readers.ts"

/** Head tags, structured data and links of a document, collected in one walk. */
export interface DocumentFacts {
  /** `<meta>` values by lower-case name, property, itemprop or http-equiv; the first non-empty value is used. */
  readonly meta: ReadonlyMap<string, string>
  readonly titleTag: string
  readonly headings: readonly Element[]
  readonly htmlLanguage: string | null
  readonly baseUrl: string
  readonly canonical: string | null
  readonly favicon: string | null
  /** `<link rel=alternate type=text/markdown>`. */
  readonly markdownAt: string | null
  readonly refresh: Refresh | null
  readonly feeds: readonly string[]
  /** `<link rel=alternate hreflang>`. */
  readonly alternates: readonly { readonly hreflang: string; readonly href: string }[]
  readonly links: readonly Link[]
  /** Objects in JSON-LD blocks, with `@graph` unfolded. */
  readonly jsonLd: readonly JsonObject[]
  /** Microdata types as written. */
  readonly itemTypes: readonly string[]
  /** Places that might name the document's day, and its headings. */
  readonly dates: Pick<DateSpots, "headings" | "spots">
  readonly bylines: readonly Element[]
  /** Whether a wiki marks the page as not written yet. */
  readonly isMissing: boolean
  readonly leftToScripts: LeftToScripts | null
}

export type JsonObject = { readonly [key: string]: unknown }

const MAX_LINKS = 20_000
const MAX_ALTERNATES = 200
const MAX_ITEM_TYPES = 50

export function gatherFacts(document: Element, url: string): DocumentFacts {
  const found = new FoundFacts()
  found.visit(document, false)
  const ownBase = routedBase(found.base, url)
  const baseUrl = withOwnRoutes(
    ownBase,
    found.anchors.map((anchor) => anchor.get("href")!),
  )
  const best = found.icons.sort((a, b) => b.rank - a.rank)[0]
  return {
    meta: found.meta,
    titleTag: found.titleTag,
    headings: found.headings,
    htmlLanguage: found.htmlLanguage,
    baseUrl,
    canonical: canonicalAddress(found.canonical, ownBase),
    favicon: (best && absolute(best.href, baseUrl)) ?? absolute("/favicon.ico", url),
    markdownAt: found.markdownAt === null ? null : absolute(found.markdownAt, baseUrl),
    refresh: refreshOf(found.refreshes, baseUrl, url),
    feeds: [...new Set(found.feeds.map((href) => absolute(href, baseUrl)).filter((href) => href !== null))],
    alternates: found.alternates.flatMap(({ hreflang, href }) => {
      const address = toPageUrl(href, baseUrl)
      return address === null ? [] : [{ hreflang, href: address }]
    }),
    links: readLinks(found.anchors, baseUrl),
    jsonLd: found.jsonLd,
    itemTypes: found.itemTypes,
    dates: found.dates,
    bylines: found.bylines,
    isMissing: found.isMissing,
    leftToScripts: found.scripts.end(document),
  }
}

/** Collects facts while walking through a document. Addresses are not resolved yet. */
class FoundFacts {
  readonly meta = new Map<string, string>()
  titleTag = ""
  htmlLanguage: string | null = null
  base: string | null = null
  canonical: string | null = null
  markdownAt: string | null = null
  readonly refreshes: Element[] = []
  readonly icons: { href: string; rank: number }[] = []
  readonly feeds: string[] = []
  readonly alternates: { hreflang: string; href: string }[] = []
  readonly itemTypes: string[] = []
  readonly anchors: Element[] = []
  readonly jsonLd: JsonObject[] = []
  readonly headings: Element[] = []
  readonly dates = new DateSpots()
  readonly bylines: Element[] = []
  readonly scripts = new ScriptTraces()
  isMissing = false

  visit(element: Element, inSvg: boolean): void {
    this.#readTag(element, inSvg)
    this.scripts.see(element)
    // Many elements have no attributes, so skip those.
    if (element.attributes.length > 0) this.#readAttributes(element)
    const svg = inSvg || element.tag === "svg"
    this.dates.enter(element)
    for (const child of element.children)
      if (typeof child === "string") this.dates.text(element, child)
      else this.visit(child, svg)
  }

  #readAttributes(element: Element): void {
    if (isByline(element)) this.bylines.push(element)
    this.isMissing ||= saysMissing(element)
    const itemType = element.get("itemtype")
    if (itemType && this.itemTypes.length < MAX_ITEM_TYPES) this.itemTypes.push(itemType)
  }

  #readTag(element: Element, inSvg: boolean): void {
    switch (element.tag) {
      case "html":
        this.htmlLanguage = element.get("lang") ?? element.get("xml:lang")
        break
      case "title":
        if (this.titleTag === "" && !inSvg) this.titleTag = textOf(element, 2000)
        break
      case "base":
        this.base ??= element.get("href")
        break
      case "meta":
        if (!isOfAnother(element)) addMeta(this.meta, element)
        if (isRefresh(element)) this.refreshes.push(element)
        break
      case "link":
        this.#readLink(element)
        break
      case "a":
      case "area":
        if (element.has("href") && this.anchors.length < MAX_LINKS) this.anchors.push(element)
        break
      case "h1":
        this.headings.push(element)
        break
      case "script":
        if (/^application\/ld\+json/i.test(element.get("type") ?? "")) addJsonLd(this.jsonLd, element)
        break
      default:
    }
  }

  #readLink(element: Element): void {
    const href = element.get("href")
    if (!href) return
    const rel = ` ${(element.get("rel") ?? "").toLowerCase()} `
    const isAlternate = rel.includes(" alternate ")
    if (rel.includes(" canonical ")) this.canonical ??= href
    if (isAlternate && /(?:rss|atom)\+xml|feed\+json/i.test(element.get("type") ?? "")) this.feeds.push(href)
    if (isAlternate && isMarkdownType(element.get("type") ?? "")) this.markdownAt ??= href
    const hreflang = element.get("hreflang")
    if (hreflang && isAlternate && this.alternates.length < MAX_ALTERNATES)
      this.alternates.push({ hreflang, href })
    if (/ (?:icon|apple-touch-icon(?:-precomposed)?) /.test(rel))
      this.icons.push({ href, rank: rel.includes(" icon ") ? 2 : 1 })
  }
}

export const isMarkdownType = (type: string): boolean => /^\s*text\/markdown\s*(?:;|$)/i.test(type)

export const isRefresh = (meta: Element): boolean =>
  meta.get("http-equiv")?.trim().toLowerCase() === "refresh"

/** The first refresh that browsers follow. A template's content isn't part of the page. */
function refreshOf(metas: readonly Element[], baseUrl: string, url: string): Refresh | null {
  for (const meta of metas) {
    const refresh = readRefresh(meta.get("content") ?? "", baseUrl, url)
    if (refresh === null || isWithin(meta, "template")) continue
    return isWithin(meta, "noscript") ? { ...refresh, unscripted: true } : refresh
  }
  return null
}

const isWithin = (element: Element, tag: string): boolean => closest(element, (at) => at.tag === tag) !== null

/** Whether a `meta` contains the date of a comment, review, answer or event on the page. */
function isOfAnother(meta: Element): boolean {
  if (!/^date|Date$/.test(meta.get("itemprop") ?? "")) return false
  const item = closest(meta.parent, (at) => at.has("itemscope") || at.has("itemtype"))
  return /Comment|Review|Answer|Event/.test(item?.get("itemtype") ?? "")
}

/** Whether an element marks a missing page: it has the class of the element that MediaWiki displays in place of a page, or of the box in which DokuWiki displays all pages. */
function saysMissing(element: Element): boolean {
  if (element.tag !== "div") return false
  const named = element.get("class")
  if (named === null || !/noarticletext|notFound/.test(named)) return false
  const words = named.split(/\s+/)
  return words.includes("noarticletext") || (words.includes("notFound") && words.includes("dokuwiki"))
}

/**
 * The address that a document's links are resolved against. It has a route when the document's address has one, so that
 * links to its routes are kept. A script that uses routes sets one in the address, and the browser's output then has it
 * in `base`.
 */
export function routedBase(base: string | null, url: string): string {
  const found = (base === null ? null : absolute(base, url)) ?? url
  const [address = found] = found.split("#", 1)
  return address + (routeOf(found) || routeOf(url))
}

/** The base of a document that links to its own named routes; a mere `#/` often links to the top of the page. */
export function withOwnRoutes(baseUrl: string, hrefs: readonly string[]): string {
  if (routeOf(baseUrl) !== "") return baseUrl
  const isOwn = (href: string) => {
    if (!/[\p{L}\p{N}]/u.test(routeOf(href))) return false
    const to = URL.parse(href.trim(), baseUrl)
    return to !== null && routeOf(to.href) !== "" && to.href.slice(0, to.href.indexOf("#")) === baseUrl
  }
  return hrefs.some(isOwn) ? `${baseUrl}#/` : baseUrl
}

/**
 * The canonical address that a document names. If a page is one of several routes, a canonical address without a route
 * doesn't apply to it.
 */
export function canonicalAddress(href: string | null, baseUrl: string): PageUrl | null {
  const url = href === null ? null : toPageUrl(href, baseUrl)
  return url !== null && routeOf(baseUrl) !== "" && routeOf(url) === "" ? null : url
}

function absolute(href: string, base: string): string | null {
  const url = URL.parse(href.trim(), base)
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null
}

export function addMeta(meta: Map<string, string>, element: Element): void {
  const content = collapse(element.get("content") ?? "")
  // An empty value is kept: it can't be parsed, so it hides the page.
  if (element.get("name")?.trim().toLowerCase() === READERS_TAG) {
    const before = meta.get(READERS_TAG)
    meta.set(READERS_TAG, before === undefined ? content : `${before}\n${content}`)
  }
  if (content === "") return
  for (const key of ["name", "property", "itemprop", "http-equiv"]) {
    const name = element.get(key)?.trim().toLowerCase()
    if (!name) continue
    // Several robots tags are combined; for any other tag, the first one is used.
    if ((name === "robots" || name === "fossick") && meta.has(name))
      meta.set(name, `${meta.get(name)},${content}`)
    else if (!meta.has(name)) meta.set(name, content)
  }
}

function addJsonLd(found: JsonObject[], script: Element): void {
  const text = script.children.filter((child) => typeof child === "string").join("")
  if (text.length > 2_000_000) return
  let parsed: unknown
  try {
    parsed = parseForeign(
      text
        .trim()
        .replace(/^<!--|-->$|^\/\/<!\[CDATA\[|\/\/\]\]>$/gi, "")
        .replace(/[\n\r\t]/g, " "),
    )
  } catch {
    return
  }
  const add = (value: unknown, depth: number): void => {
    if (depth > 4 || found.length > 500) return
    if (Array.isArray(value)) for (const item of value) add(item, depth + 1)
    else if (typeof value === "object" && value !== null) {
      const object = value as JsonObject
      found.push(object)
      if ("@graph" in object) add(object["@graph"], depth + 1)
      if ("mainEntity" in object) add(object["mainEntity"], depth + 1)
    }
  }
  add(parsed, 0)
}

function isByline(element: Element): boolean {
  if (element.tag === "meta" || element.tag === "link") return false
  const rel = element.get("rel")
  if (rel !== null && /(?:^|\s)author(?:\s|$)/i.test(rel)) return true
  const itemprop = element.get("itemprop")
  if (itemprop === "author") return true
  return /(?:^|\s)(?:byline|author-name|author__name|post-author|entry-author|article-author|byline__name)(?:\s|$)/i.test(
    element.get("class") ?? "",
  )
}

function readLinks(anchors: readonly Element[], baseUrl: string): Link[] {
  const links: Link[] = []
  const places = new Map<string, number>()
  let room = MAX_LINK_CHARS
  for (const anchor of anchors) {
    const href = anchor.get("href")!.trim()
    if (href.startsWith("#") && (routeOf(href) === "" || routeOf(baseUrl) === "")) continue
    const url = toPageUrl(href, baseUrl)
    if (url === null || (room <= 0 && !places.has(url))) continue
    const nofollow = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i.test(anchor.get("rel") ?? "")
    const text =
      textOf(anchor, 1000) ||
      imageText(anchor) ||
      collapse(anchor.get("aria-label") ?? anchor.get("title") ?? "")
    const place = places.get(url)
    if (place === undefined) {
      places.set(url, links.length)
      room -= url.length
      links.push({ url, text, nofollow })
    } else {
      const known = links[place]!
      links[place] = { url, text: known.text || text, nofollow: known.nofollow && nofollow }
    }
  }
  return links
}

function imageText(anchor: Element): string {
  let text = ""
  walk(anchor, (element) => {
    if (text === "" && element.tag === "img") text = collapse(element.get("alt") ?? "")
  })
  return text
}
