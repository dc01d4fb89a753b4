import { escapeText, protectLineStarts } from "./markdown/markdown-escapes.ts"
import type { JsonObject } from "./facts/metadata.ts"
import { parseTree, textOf } from "./html/tree.ts"

/** The text of the page in its JSON-LD (schema.org `articleBody`, `text` of posts, questions and answers), as markdown. */
export function structuredText(objects: readonly JsonObject[]): string {
  let longest = ""
  for (const object of objects) {
    const parts: string[] = []
    collect(object, parts, 0)
    const text = parts.join("\n\n")
    if (text.length > longest.length) longest = text
  }
  return longest
}

const REPLIES = ["acceptedAnswer", "suggestedAnswer", "comment", "hasPart"]

function collect(value: unknown, parts: string[], depth: number): void {
  if (depth > 6 || parts.length > 2000 || typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) collect(item, parts, depth + 1)
    return
  }
  const object = value as JsonObject
  const body =
    object["articleBody"] ?? object["text"] ?? (isProduct(object) ? object["description"] : undefined)
  if (typeof body === "string") for (const paragraph of paragraphs(body)) parts.push(paragraph)
  for (const key of REPLIES) collect(object[key], parts, depth + 1)
}

function isProduct(object: JsonObject): boolean {
  return /Product|Course|Event|JobPosting/.test(JSON.stringify(object["@type"] ?? ""))
}

function paragraphs(body: string): string[] {
  const plain = /<[a-z][^>]*>/i.test(body)
    ? body.split(/<(?:\/p|br ?\/?|\/li|\/div|\/h\d)>/i).map((part) => textOf(parseTree(part)))
    : body.split(/\n+/)
  return plain.map((text) => protectLineStarts(escapeText(text).trim())).filter((text) => text !== "")
}
