/** Formats a number for display: 1,169. */
export const grouped = (number: number): string => number.toLocaleString("en")

const PLACE = /\{(\w+)\}/g

/**
 * Puts fields into the placeholders of a message: `{ source: "postgres", pages: 1169 }` turns `crawl {source}: {pages}
 * new` into `crawl postgres: 1,169 new`. A placeholder without such a field stays as it is.
 *
 * @returns the text, and the names of the fields that appear in it
 */
export function told(
  message: string,
  fields: Readonly<Record<string, unknown>>,
): { readonly text: string; readonly names: readonly string[] } {
  const names = new Set<string>()
  const text = message.replace(PLACE, (place, name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value !== "string" && typeof value !== "number") return place
    names.add(name)
    return typeof value === "number" ? grouped(value) : value
  })
  return { text, names: [...names] }
}
