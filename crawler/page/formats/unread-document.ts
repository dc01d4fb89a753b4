import { percentDecoded } from "#base/text/percent-decoded.ts"
import type { PageType } from "#engine"
import { type Extracted, NO_CONTENT } from "../extract/extracted.ts"

/** The only known fact about a document that was not read: its name. */
export function unreadDocument(url: string, type: PageType): Extracted {
  return {
    ...NO_CONTENT,
    title: fileTitle(url),
    type,
    description: null,
    favicon: URL.parse("/favicon.ico", url)?.href ?? null,
    canonical: null,
    robots: { noindex: false, nofollow: false },
    links: [],
  }
}

/** The name of the file at an address, or the address if there is no name. */
export function fileName(url: string): string {
  const name = URL.parse(url)
    ?.pathname.split("/")
    .findLast((part) => part !== "")
  if (name === undefined) return url
  return percentDecoded(name) ?? name
}

/** The extension of a file's name or of a path, in lower case and without the dot; empty if there is none. */
export const endingOf = (name: string): string => /\.([a-z0-9+]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""

/** The file name as a title: without its extension, and with the words separated. */
export function fileTitle(url: string): string {
  const name = fileName(url)
  const words = name
    .replace(/\.[a-z]{3,5}$/i, "")
    .replace(/[_+]+|(?<=\p{L})-(?=\p{L})/gu, " ")
    .trim()
  return words === "" ? name : words
}
