import { percentDecoded } from "#base/text/percent-decoded.ts"
import type { WalkOptions } from "#crawler"

import type { Relevance } from "../relevance/relevance.ts"

/**
 * The share of the best page's relevance that other pages must reach. In a handbook of 27 pages, all about one program,
 * two to fourteen pages reach it for each of five instructions; pages on other subjects reach at most a third of the
 * best page's relevance.
 */
const FITS = 0.5

/** The pages that fit the instructions, best first, given each page's relevance; all pages if none could be judged. */
export function fitting<T extends { readonly relevance: number }>(pages: readonly T[]): T[] {
  const ranked = pages.toSorted((a, b) => b.relevance - a.relevance)
  const best = ranked[0]?.relevance ?? 0
  return ranked.filter(({ relevance }) => relevance >= FITS * best)
}

/** Judges links by their text and the words of their address. */
export const judgeLinks =
  (relevance: Relevance): NonNullable<WalkOptions["judge"]> =>
  (links) =>
    relevance.texts(links.map(({ url, text }) => `${text}\n${addressWords(url)}`))

/** The words of an address's path. */
export function addressWords(url: string): string {
  const { pathname } = new URL(url)
  return (percentDecoded(pathname) ?? pathname).replaceAll(/[/_.-]+/g, " ").trim()
}
