import { hash } from "node:crypto"
import type { Page } from "#engine"

/** What a login is shown of a page, as far as searches show it to others. */
export type Shown = Pick<Page, "title" | "description" | "author" | "markdown"> & {
  readonly images: readonly { readonly url: string }[]
}

/** What tells who asks, or when: the end of an address, in which sessions and tokens stand. Linear: no part can reach past the next bracket or quote. */
const ADDRESS_END = /(\]\([^()\s?#;]*)[?#;][^()\s]*/g
/** At which a page was made, as in its last line. */
const TIME_WITH_SECONDS = /(?<!\d)\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?!\d)/g
/** Characters of a line that are repeated to the operator. */
const QUOTED = 80

/** The lines that are compared: first those that say of the page what it is, then those of its main text, then its images. */
export function shownLines({ title, description, author, markdown, images }: Shown): string[] {
  const text = [title, description ?? "", author ?? "", ...markdown.replace(ADDRESS_END, "$1").split("\n")]
  const addresses = images.map(({ url }) => url.replace(/[?#;].*$/s, ""))
  return [...text, ...addresses]
    .map((line) => line.trim().replace(TIME_WITH_SECONDS, "0:00:00"))
    .filter((line) => line !== "")
}

/** Names lines, so that it shows when a page has changed: 96 bits of SHA-256. */
export const digestOf = (lines: readonly string[]): string =>
  hash("sha256", lines.join("\n"), "base64url").slice(0, 16)

/**
 * The first line that one login was shown and another was not, shortened; null: the other was shown all of them, in the same order,
 * perhaps with more between them.
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
