import type { JsonObject } from "./metadata.ts"

/** The schema.org types of a structured-data object by their plain names, `NewsArticle`. */
export function typesOf(object: JsonObject): string[] {
  const value = object["@type"]
  const named = Array.isArray(value) ? value : [value]
  return named.flatMap((type) => (typeof type === "string" ? [typeName(type)] : []))
}

/** `https://schema.org/NewsArticle`, `schema:NewsArticle` and `NewsArticle` name one type. */
export function typeName(type: string): string {
  return type.trim().replace(/^.*[/:#]/, "")
}
