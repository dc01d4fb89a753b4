import type { JsonObject } from "./metadata.ts"

/** The schema.org types of a structured-data object as plain names, such as `NewsArticle`. */
export function typesOf(object: JsonObject): string[] {
  const value = object["@type"]
  const named = Array.isArray(value) ? value : [value]
  return named.flatMap((type) => (typeof type === "string" ? [typeName(type)] : []))
}

/** The plain name of a type: `https://schema.org/NewsArticle`, `schema:NewsArticle` and `NewsArticle` are the same. */
export function typeName(type: string): string {
  return type.trim().replace(/^.*[/:#]/, "")
}
