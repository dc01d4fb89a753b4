import { detect } from "tinyld"
import type { DocumentFacts, JsonObject } from "./metadata.ts"
import { toPlainText } from "./plain-text.ts"
import { collapse, textOf } from "./tree.ts"

const ARTICLE_TYPES =
  /article|posting|report|webpage|product|recipe|howto|question|book|event|course|techarticle/i

export function readTitle(facts: DocumentFacts): string {
  const tag = facts.titleTag
  const shared = facts.meta.get("og:title") ?? facts.meta.get("twitter:title") ?? null
  const headings = facts.headings.map((heading) => textOf(heading, 500)).filter((text) => text !== "")
  const same = (a: string, b: string) => normal(a) === normal(b)
  // A heading or shared title that the title tag repeats with something added is the title without the site's name.
  for (const candidate of [...headings, ...(shared ? [shared] : [])]) {
    if (
      candidate.length >= 4 &&
      tag !== "" &&
      normal(tag).includes(normal(candidate)) &&
      normal(candidate) !== ""
    )
      return collapse(candidate)
  }
  if (shared) return withoutSite(shared, facts)
  for (const object of facts.jsonLd) {
    const headline = object["headline"]
    if (typeof headline === "string" && headline !== "") return collapse(headline)
  }
  if (tag !== "") return withoutSite(tag, facts)
  const [heading] = headings
  return heading && !same(heading, "") ? heading : ""
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
}

/** Drops "| Site" or "Site -" where the rest of the document names the site so. */
function withoutSite(title: string, facts: DocumentFacts): string {
  const site = facts.meta.get("og:site_name") ?? facts.meta.get("application-name")
  const parts = title.split(/\s+[|·•»«–—:-]\s+/)
  if (parts.length < 2) return title
  const host = normal(
    URL.parse(facts.baseUrl)
      ?.hostname.replace(/^www\./, "")
      .replace(/\.[^.]+$/, "") ?? "",
  )
  const isSite = (part: string) =>
    normal(part) !== "" && ((site !== undefined && normal(part) === normal(site)) || normal(part) === host)
  if (isSite(parts.at(-1)!))
    return title.slice(0, title.lastIndexOf(parts.at(-1)!)).replace(/\s+[|·•»«–—:-]\s+$/, "")
  if (isSite(parts[0]!)) return title.slice(parts[0]!.length).replace(/^\s+[|·•»«–—:-]\s+/, "")
  return title
}

export function readDescription(facts: DocumentFacts): string | null {
  return (
    facts.meta.get("description") ??
    facts.meta.get("og:description") ??
    facts.meta.get("twitter:description") ??
    null
  )
}

export function readAuthor(facts: DocumentFacts): string | null {
  for (const object of facts.jsonLd) {
    const name = authorName(object["author"])
    if (name) return name
  }
  for (const key of [
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "citation_author",
  ]) {
    const name = cleanName(facts.meta.get(key))
    if (name) return name
  }
  for (const byline of facts.bylines) {
    const name = cleanName(textOf(byline, 300))
    if (name) return name
  }
  return null
}

function authorName(value: unknown): string | null {
  if (typeof value === "string") return cleanName(value)
  if (Array.isArray(value)) {
    const names = value
      .slice(0, 10)
      .map(authorName)
      .filter((name) => name !== null)
    return names.length > 0 ? names.join(", ") : null
  }
  if (typeof value === "object" && value !== null) return authorName((value as JsonObject)["name"])
  return null
}

function cleanName(text: string | undefined): string | null {
  if (text === undefined) return null
  const name = collapse(text).replace(/^(?:written |posted |published )?by:?\s+/i, "")
  return name === "" ||
    name.length > 120 ||
    /^https?:|@|^(?:admin|author|unknown|null|undefined)$/i.test(name)
    ? null
    : name
}

export function readLanguage(facts: DocumentFacts, markdown: string): string | null {
  const named =
    languageCode(facts.htmlLanguage) ??
    languageCode(facts.meta.get("content-language")) ??
    languageCode(facts.meta.get("og:locale"))
  if (named !== null) return named
  const sample = toPlainText(markdown.slice(0, 4000)).slice(0, 2000)
  return sample.length < 40 ? null : detect(sample) || null
}

function languageCode(tag: string | null | undefined): string | null {
  const code = /^\s*([a-z]{2})(?:$|[\s_,-])/i.exec(tag ?? "")?.[1]
  return code ? code.toLowerCase() : null
}

const EARLIEST = Date.UTC(1990, 0, 1)
const DAY = 86_400_000

export function readPublishedAt(facts: DocumentFacts, url: string): Date | null {
  for (const object of facts.jsonLd) {
    if (!ARTICLE_TYPES.test(JSON.stringify(object["@type"] ?? ""))) continue
    const date =
      parseDate(object["datePublished"]) ??
      parseDate(object["dateCreated"]) ??
      parseDate(object["uploadDate"])
    if (date) return date
  }
  for (const key of [
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "date",
    "pubdate",
    "publishdate",
    "publish-date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "dcterms.date",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "article.published",
    "og:published_time",
    "created",
  ]) {
    const date = parseDate(facts.meta.get(key))
    if (date) return date
  }
  for (const time of facts.times) {
    const hints = `${time.get("itemprop") ?? ""} ${time.get("class") ?? ""} ${time.get("pubdate") ?? ""}`
    if (!/publish|pubdate|entry-date|dt-published|posted/i.test(hints)) continue
    const date = parseDate(time.get("datetime") ?? textOf(time, 100))
    if (date) return date
  }
  for (const time of facts.times) {
    const date = parseDate(time.get("datetime"))
    if (date) return date
  }
  const inUrl = /\/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/-]|$)/.exec(url)
  return inUrl ? parseDate(`${inUrl[1]}-${inUrl[2]!.padStart(2, "0")}-${inUrl[3]!.padStart(2, "0")}`) : null
}

/** A date between 1990 and tomorrow; text without a zone counts as UTC, so that the machine's zone changes nothing. */
function parseDate(value: unknown): Date | null {
  if (typeof value !== "string") return null
  const text = value.trim()
  if (!/\d{4}/.test(text) || text.length > 60) return null
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s*(Z|[+-]\d\d:?\d\d)?)?/i.exec(
    text,
  )
  let time: number
  if (iso) {
    const zone = (iso[5] ?? "Z").replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")
    time = Date.parse(`${iso[1]}-${iso[2]}-${iso[3]}T${iso[4] ?? "00:00"}${zone}`)
  } else {
    time = Date.parse(/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)\s*(?:\([^)]*\))?$/.test(text) ? text : `${text} UTC`)
  }
  return Number.isFinite(time) && time >= EARLIEST && time <= Date.now() + DAY ? new Date(time) : null
}

export function readRobots(facts: DocumentFacts): { noindex: boolean; nofollow: boolean } {
  const rules = `${facts.meta.get("robots") ?? ""},${facts.meta.get("fossick") ?? ""}`
    .toLowerCase()
    .split(/[\s,]+/)
  const none = rules.includes("none")
  return { noindex: none || rules.includes("noindex"), nofollow: none || rules.includes("nofollow") }
}
