import { hash } from "node:crypto"
import type { Suggestion } from "../../engine.ts"
import { type PageRow, type StoredPage, toPage } from "../../index/page-record.ts"
import { placeOf } from "../../index/page/domains.ts"
import { sourcesOf } from "../../index/page/page.ts"
import { readersLabel } from "../../index/page/readers.ts"
import { routeOf } from "../../index/page/page-url.ts"
import { blocksOf, headingsOf } from "../../text/markdown/markdown-blocks.ts"
import { typedWords } from "../../text/typed-words.ts"

/** Maximum number of characters in a name: a longer one is a paragraph set as a heading, too long for a line of a list. */
const LONGEST_NAME = 200
/** Maximum number of names per page, so that one long page doesn't fill everyone's lists. */
const NAMES_PER_PAGE = 100
/** Maximum length of a page's text to scan: scanning a whole book would block the event loop, and a book reaches its hundred headings before this point. */
const READ_CHARS = 200_000

interface SuggestibleName extends Suggestion {
  /** {@link typedWords} joined by spaces. */
  readonly words: string
}

/** A page, with its headings if its markdown has already been read. */
export type NamedPage = Pick<StoredPage, "id" | "revision" | "title" | "details" | "markdown"> &
  Partial<Pick<PageRow, "headings">>

/** The texts that a page may be suggested by. */
export interface SuggestiblePage {
  readonly names: readonly SuggestibleName[]
  /** The fields that filters use, as words that can be looked up in the index of suggestions. */
  readonly scope: readonly string[]
  /** The page's `readers`, as stored in its record. */
  readonly readers: string | null
}

/** The title of a page and its headings, without duplicates. */
export function suggestible(page: Omit<NamedPage, "id" | "revision">): SuggestiblePage {
  const { url, markdown, anchors = [], ...rest } = toPage(page)
  const { host, domain, port } = placeOf(url)
  const names = new Map<string, SuggestibleName>()
  const add = (text: string, kind: Suggestion["kind"], address: string) => {
    const shown = text.replaceAll(/\s+/g, " ").trim()
    const words = typedWords(shown).join(" ")
    if (words === "" || shown.length > LONGEST_NAME || names.has(words) || names.size >= NAMES_PER_PAGE)
      return
    names.set(words, { text: shown, kind, url: address, words })
  }
  add(page.title.slice(0, LONGEST_NAME), "title", url)
  const hasRoom = routeOf(url) === ""
  const anchorAt = new Map((hasRoom ? anchors : []).map(([line, fragment]) => [line, fragment]))
  const known = markdown.length <= READ_CHARS ? page.headings : undefined
  for (const { text, line } of known ?? headingsOf(blocksOf(markdown.slice(0, READ_CHARS)))) {
    const anchor = anchorAt.get(line)
    add(text, "heading", anchor ? `${url}#${anchor}` : url)
  }
  return {
    names: [...names.values()],
    scope: [
      ...sourcesOf(rest).map((name) => scopeWord("source", name)),
      scopeWord("host", host),
      scopeWord("domain", domain),
      scopeWord("port", String(port)),
    ],
    readers: readersLabel(rest.readers),
  }
}

/** A filter value as one word: letters and digits whatever the value is. */
export const scopeWord = (field: "source" | "host" | "domain" | "port" | "kind", value: string): string =>
  `${field}${hash("sha256", value, "hex").slice(0, 16)}`
