import { K1 } from "../../search/ranking/word-evidence.ts"
import type { LexicalHits } from "../../index/search-index.ts"
import type { PageDocument } from "./server/documents.ts"
import { all, arePages } from "./filter.ts"
import { levelOfScore, weightAt } from "./impacts.ts"
import type { Indexes } from "./server/indexes.ts"
import type { Server } from "./server/server.ts"
import { encodeTerm } from "./term-code.ts"

/** Number of the rarest terms that provide candidates; the other terms only affect the candidates' weights. */
const ASKED_TERMS = 8
/** Number of candidates from each of these terms: for a frequent term, the pages that say most about it. */
const PAGES_PER_TERM = 200
/** Only for questions that consist of frequent words: the number of rarest terms that pages must contain together. */
const TOGETHER = 4
/** Number of candidates, per page requested, for which all words are looked up. */
const LOOKED_UP = 1.5
/** The server uses only this many words of a question. */
const MOST_WORDS = 10

export interface WeighedTerm {
  readonly term: string
  readonly idf: number
}

export interface LexicalQuestion {
  readonly terms: readonly WeighedTerm[]
  readonly limit: number
  readonly filter: string | undefined
}

type PageHit = Pick<PageDocument, "id"> & { readonly _rankingScore?: number }

interface TermHits {
  readonly term: WeighedTerm
  /** Weight by page id, 0..k1 + 1. */
  readonly weights: Map<string, number>
  /** Whether other pages might contain the term too. */
  cut: boolean
}

/**
 * The best pages by the BM25 weight of each term in its best section, found with at most two requests: the first for
 * the best pages of each rare term, the second for the weights that are missing because a list was cut off, for pages
 * that might be among the best.
 */
export async function lexicalArm(
  server: Server,
  indexes: Indexes,
  { terms, limit, filter }: LexicalQuestion,
): Promise<LexicalHits> {
  const rarest = terms.toSorted((a, b) => b.idf - a.idf)
  const asked = rarest.slice(0, ASKED_TERMS)
  const many = Math.max(PAGES_PER_TERM, limit)
  const together = asked.slice(0, TOGETHER)
  const found = await search(server, indexes, [
    ...asked.map(({ term }) => ({ terms: [term], limit: many, filter })),
    ...(together.length > 1 ? [{ terms: together.map(({ term }) => term), limit: many, filter }] : []),
  ])
  const lists: TermHits[] = rarest.map((term, i) => {
    const hits = i < asked.length ? found[i]! : null
    const weights = new Map(hits?.pages.map((hit) => [hit.id, weightOf(hit)]))
    return { term, weights, cut: !hits || hits.total > hits.pages.length }
  })
  const ids = new Set(found.flatMap(({ pages }) => pages.map(({ id }) => id)))
  const best = ranked(ids, lists, "likely").slice(0, Math.ceil(Math.max(limit, PAGES_PER_TERM) * LOOKED_UP))
  await lookUp(
    server,
    indexes,
    best.map(([id]) => id),
    lists,
  )
  return new Map(ranked(new Set(best.map(([id]) => id)), lists, "known").slice(0, limit))
}

/** Ids of the pages that contain all terms, best first; any pages if there are no terms. */
export async function holdingAll(
  server: Server,
  indexes: Indexes,
  terms: readonly string[],
  limit: number,
  filter: string | undefined,
): Promise<readonly string[]> {
  const [first, ...rest] = chunksOf(terms, MOST_WORDS)
  const [found] = await search(server, indexes, [{ terms: first ?? [], limit, filter }])
  let ids = found!.pages.map(({ id }) => id)
  for (const some of rest) {
    if (ids.length === 0) return []
    const among = all([arePages(ids)])
    const [held] = await search(server, indexes, [{ terms: some, limit: ids.length, filter: among }])
    const holding = new Set(held!.pages.map(({ id }) => id))
    ids = ids.filter((id) => holding.has(id))
  }
  return ids
}

/** Ids of the pages that contain any of the terms, in any order. */
export async function holdingAny(
  server: Server,
  indexes: Indexes,
  terms: readonly string[],
  limit: number,
  filter: string | undefined,
): Promise<readonly string[]> {
  const found = await search(
    server,
    indexes,
    terms.map((term) => ({ terms: [term], limit, filter })),
  )
  return [...new Set(found.flatMap(({ pages }) => pages.map(({ id }) => id)))].slice(0, limit)
}

/** Number of pages with each term. */
export async function frequenciesOf(
  server: Server,
  indexes: Indexes,
  terms: readonly string[],
): Promise<Map<string, number>> {
  if (terms.length === 0) return new Map()
  const found = await search(
    server,
    indexes,
    terms.map((term) => ({ terms: [term], limit: 0, filter: undefined })),
  )
  return new Map(terms.map((term, i) => [term, found[i]!.total]))
}

interface Asked {
  readonly terms: readonly string[]
  readonly limit: number
  readonly filter: string | undefined
}

/** Number of pages with all terms of each question, in one request. */
async function search(
  { client }: Server,
  { pages }: Indexes,
  questions: readonly Asked[],
): Promise<{ total: number; pages: PageHit[] }[]> {
  if (questions.length === 0) return []
  const { results } = await client.multiSearch({
    queries: questions.map(({ terms, limit, filter }) => ({
      indexUid: pages.uid,
      q: terms.map((term) => `"${encodeTerm(term)}"`).join(" "),
      limit,
      matchingStrategy: "all",
      attributesToRetrieve: ["id"],
      showRankingScore: terms.length === 1,
      ...(filter !== undefined && { filter }),
    })),
  })
  return results.map(({ estimatedTotalHits = 0, hits }) => ({
    total: estimatedTotalHits,
    pages: hits as unknown as PageHit[],
  }))
}

/** Fills in the weights of the terms whose lists were cut off. */
async function lookUp(
  server: Server,
  indexes: Indexes,
  ids: readonly string[],
  lists: readonly TermHits[],
): Promise<void> {
  const open = lists.flatMap((list) => {
    const unknown = list.cut ? ids.filter((id) => !list.weights.has(id)) : []
    return unknown.length > 0 ? [{ list, unknown }] : []
  })
  const found = await search(
    server,
    indexes,
    open.map(({ list, unknown }) => ({
      terms: [list.term.term],
      limit: unknown.length,
      filter: arePages(unknown),
    })),
  )
  for (const [i, { list }] of open.entries()) {
    for (const hit of found[i]!.pages) list.weights.set(hit.id, weightOf(hit))
  }
}

/** The assumed weight of a term on a page that might contain it: half the weight of the last page in its list. */
const UNKNOWN_SHARE = 0.5

/** Best first, ties by id. */
function ranked(
  ids: ReadonlySet<string>,
  lists: readonly TermHits[],
  unknown: "likely" | "known",
): [id: string, score: number][] {
  const weighed = lists.map(({ term: { idf }, weights, cut }) => {
    const least = weights.size > 0 ? Math.min(...weights.values()) : K1
    return { idf, weights, otherwise: cut && unknown === "likely" ? least * UNKNOWN_SHARE : 0 }
  })
  return [...ids]
    .map((id): [string, number] => {
      let score = 0
      for (const { idf, weights, otherwise } of weighed) score += idf * (weights.get(id) ?? otherwise)
      return [id, score]
    })
    .filter(([, score]) => score > 0)
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
}

const weightOf = ({ _rankingScore: score = 0 }: PageHit) => weightAt(levelOfScore(score))

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size))
  return chunks
}
