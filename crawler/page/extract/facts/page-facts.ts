import { languageOfMarkdown } from "./detect-language.ts"
import type { DocumentFacts, JsonObject } from "./metadata.ts"
import { collapse, textOf } from "../html/tree.ts"

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
