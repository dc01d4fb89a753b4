import { writtenDate } from "#base/text/written-date.ts"
import { languageOfMarkdown } from "./detect-language.ts"
import type { DocumentFacts, JsonObject } from "./metadata.ts"
import { collapse, textOf } from "../html/tree.ts"

const ARTICLE_TYPES =
  /article|posting|report|webpage|product|recipe|howto|question|book|event|course|techarticle/i

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
  return languageOfMarkdown(markdown)
}

function languageCode(tag: string | null | undefined): string | null {
  const code = /^\s*([a-z]{2})(?:$|[\s_,-])/i.exec(tag ?? "")?.[1]
  return code ? code.toLowerCase() : null
}

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

function parseDate(value: unknown): Date | null {
  const time = typeof value === "string" ? writtenDate(value) : null
  return time === null ? null : new Date(time)
}
