import type { Hit } from "#engine"
import { isPresentation } from "#engine/index/page/page-type.ts"

import { type CitedPage, termsOf } from "./evidence.ts"

/** A piece of text from a document, and the page it is on. */
export interface PagedText {
  readonly text: string
  readonly at: CitedPage
}

/** The passages that were found in a document, page by page; empty when it has no pages. */
export function pagedTexts({ passages, type }: Pick<Hit, "passages" | "type">): PagedText[] {
  const kind = isPresentation(type) ? "slide" : "page"
  const on = (text: string, page: string, anchor = ""): PagedText => ({
    text,
    at: { kind, page, ...(anchor !== "" && { anchor }) },
  })
  return passages.flatMap(({ text, page, pages, anchor }) => {
    if (page === undefined) return []
    if (pages === undefined) return [on(text, page, anchor)]
    return pages.map(([at, fragment, one], i) => on(text.slice(at, pages[i + 1]?.[0]), one, fragment))
  })
}

/** The minimum share of a text's terms that a page must contain to be cited for the text. */
const LEAST_SHARE = 0.5

/** The page that contains most of a text's terms; `null` if no page has enough. */
export function pageSaying(text: string, paged: readonly PagedText[]): CitedPage | null {
  const terms = termsOf(text)
  let best: CitedPage | null = null
  let most = LEAST_SHARE * terms.size
  for (const one of paged) {
    const shared = terms.intersection(termsOf(one.text)).size
    if (shared === 0 || shared < most || (best !== null && shared === most)) continue
    best = one.at
    most = shared
  }
  return best
}
