import type { StateStore } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { namesOf } from "#engine/text/page-names.ts"
import type { QueryText } from "#engine/text/query-text.ts"
import { keptOutPages, unvisitedLinks } from "../../crawl/frontier/kept-out/kept-out.ts"

/** An address that seems relevant to the question, but whose page is not in the index. */
export interface Lead {
  readonly url: PageUrl
  /** The page's title when it was in the index; null if it never was. */
  readonly title: string | null
}

/** The maximum number of addresses searched; searching them takes about 30 ms. */
const MOST_ADDRESSES = 20_000
/** The maximum number of pages whose links are searched; searching them takes about 20 ms. */
const MOST_PAGES = 500
/** The minimum share of a question's words that must occur in a title or an address. */
const LEAST_SHARE = 0.6
/** How many of a word's first characters are used to search addresses, before their words are compared by stem. */
const STEM_CHARS = 4

/**
 * Addresses of sources whose title or path contains the words of a question, best first. For pages that were never
 * read, these are the only known facts.
 * @param mayName which addresses may be shown
 */
export async function leads(
  question: QueryText,
  {
    db,
    sources,
    mayName,
    limit,
  }: {
    readonly db: StateStore
    readonly sources: readonly string[]
    readonly mayName: (url: PageUrl) => boolean
    readonly limit: number
  },
): Promise<Lead[]> {
  const terms = new Set(analyseQuery(question, null).terms)
  if (terms.size === 0) return []
  const stems = [...terms].map((term) => term.slice(0, STEM_CHARS))
  const least = Math.max(Math.min(2, terms.size), Math.ceil(LEAST_SHARE * terms.size))
  const found: (Lead & { readonly share: number })[] = []
  const consider = ({ url, title }: Lead) => {
    const text = `${url} ${title ?? ""}`.toLowerCase()
    if (stems.filter((stem) => text.includes(stem)).length < least) return
    const { address } = namesOf(title ?? "", url, null)
    const said = new Set([...address, ...analyse(title ?? "", null)])
    const matched = [...terms].filter((term) => said.has(term)).length
    if (matched >= least && mayName(url)) found.push({ url, title, share: matched / terms.size })
  }
  for await (const one of keptOutPages(db, sources, MOST_ADDRESSES)) consider(one)
  let looked = 0
  for await (const url of unvisitedLinks(db, sources, MOST_PAGES)) {
    consider({ url, title: null })
    if (++looked >= MOST_ADDRESSES) break
  }
  return found
    .toSorted((a, b) => b.share - a.share || Number(b.title !== null) - Number(a.title !== null))
    .slice(0, limit)
    .map(({ url, title }) => ({ url, title }))
}
