import { hash } from "node:crypto"
import type { Page } from "#engine"

/** The parts of a page that search results display to people. */
export type Shown = Pick<Page, "title" | "description" | "author" | "markdown"> & {
  readonly images: readonly { readonly url: string }[]
}

/** The end of an address, which can contain sessions and tokens. Takes linear time: no part can match past the next bracket or quote. */
const ADDRESS_END = /(\]\([^()\s?#;]*)[?#;][^()\s]*/g
/** A time with seconds, such as the time at which a page was generated in its last line. */
const TIME_WITH_SECONDS = /(?<!\d)\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?!\d)/g
/** Maximum number of characters of a line to show to the operator. */
const QUOTED = 80

/** The lines that are compared: title, description and author, then the main text, then images. */
export function shownLines({ title, description, author, markdown, images }: Shown): string[] {
  const text = [title, description ?? "", author ?? "", ...markdown.replace(ADDRESS_END, "$1").split("\n")]
  const addresses = images.map(({ url }) => url.replace(/[?#;].*$/s, ""))
  return [...text, ...addresses]
    .map((line) => line.trim().replace(TIME_WITH_SECONDS, "0:00:00"))
    .filter((line) => line !== "")
}

/** A digest that differs when a page has changed: 96 bits of SHA-256. */
export const digestOf = (lines: readonly string[]): string =>
  hash("sha256", lines.join("\n"), "base64url").slice(0, 16)

/**
 * The first line, shortened, that one login was shown and another was not. `null` if the other one was shown all of the
 * lines in the same order, perhaps with more lines in between.
 */
export function firstMissing(lines: readonly string[], others: readonly string[]): string | null {
  let at = 0
  for (const line of lines) {
    const found = others.indexOf(line, at)
    if (found < 0) return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line
    at = found + 1
  }
  return null
}
