import "./lance/quiet-lancedb.ts"
import { MatchQuery, Operator, type Table } from "@lancedb/lancedb"
import type { LexicalHits, Nearest } from "../../index/search-index.ts"
import { isIn } from "./filter.ts"
import { readRows } from "./lance/rows.ts"
import { FIRST_SECTION, READERS } from "./lance/schema.ts"
import type { Tables } from "./lance/tables.ts"

/**
 * Partitions of the vector index that a query looks into at first; more when a filter leaves too few rows. Of
 * 100,000 passages these are all. Looking costs little, a millisecond of CPU for about 60,000 passages, and
 * questions are short and stand far from what answers them: of the ten passages nearest to a question in 68,500
 * real ones, the nearest quarter of 137 partitions holds 0.95, half of them 0.99.
 */
const PARTITIONS = 128

/**
 * The distance that the vector index is built for. Squared and Euclidean, not cosine, which LanceDB gives
 * twice as large from an index as without one; of vectors of unit length either says the other.
 */
export const DISTANCE = "l2"
const cosineOf = (distance: number) => 1 - distance / 2

/** Sections looked at for each page wanted: several of the best may be of one page. */
const SECTIONS_PER_PAGE = 2
/** A manual of hundreds of sections may own the list: then one so many times as long is asked for. */
const LONGER = 8
/** A ranking does with this share of the pages it asked for, since it reads no more of them. */
const ENOUGH = 1 / 3

/** Which rows may be found. */
export interface Sieve {
  /** As SQL, which is long where many readers are listed; undefined: all. */
  readonly where: () => string | undefined
  /** Quicker to look for where many readers are listed; null: they are few, or none are. */
  readonly wide: {
    /** `where` without the readers of pages. */
    readonly where: () => string | undefined
    readonly labels: Labels
  } | null
}

/** Labels of readers, and what is known of them by what was asked before. */
export interface Labels {
  readonly set: ReadonlySet<string>
  /** Rows that were asked for, and those that may be found among them. */
  asked: number
  seen: number
}

export const ALL: Sieve = { where: () => undefined, wide: null }

/** So many times as many rows are asked for as would do, by what was seen before. */
const SPARE = 1.3
/** And so many at least, and at most. */
const FEWEST = 16
const MOST_TIMES = 8

/**
 * Rows that may be found, best first. A list of thousands of labels takes LanceDB 4 µs each for every query, so that more rows are asked for
 * without it, and sifted; where too few are left, the list is what finds them.
 */
async function sifted<Row extends { readonly readers: string | null }>(
  { where, wide }: Sieve,
  limit: number,
  ask: (where: string | undefined, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  if (wide !== null) {
    const { labels } = wide
    const times = Math.min(MOST_TIMES, (SPARE * (labels.asked + 1)) / (labels.seen + 0.5))
    const many = Math.max(FEWEST, Math.ceil(limit * times))
    const rows = await ask(wide.where(), many)
    const seen = rows.filter(({ readers }) => readers === null || labels.set.has(readers))
    labels.asked += rows.length
    labels.seen += seen.length
    if (seen.length >= limit || rows.length < many) return seen.slice(0, limit)
  }
  return await ask(where(), limit)
}

export async function lexicalArm(
  { pages }: Tables,
  terms: readonly string[],
  limit: number,
  sieve: Sieve,
): Promise<LexicalHits> {
  if (terms.length === 0) return new Map()
  return await bestSections(pages, new MatchQuery(terms.join(" "), "terms"), limit, sieve, limit * ENOUGH)
}

/**
 * Pages by their best section, best first.
 *
 * @param enough when fewer pages than this own all of the list, a longer one is asked for
 */
async function bestSections(
  table: Table,
  question: MatchQuery,
  limit: number,
  sieve: Sieve,
  enough: number,
): Promise<Map<string, number>> {
  for (let wanted = limit * SECTIONS_PER_PAGE; ; wanted *= LONGER) {
    const rows = await sifted(sieve, wanted, async (where, many) => {
      const query = table.query().fullTextSearch(question).limit(many)
      query.select(["id", "_score", ...columnOf(sieve)])
      if (where !== undefined) query.where(where)
      return await readRows<{ id: string; _score: number; readers: string | null }>(query)
    })
    const best = new Map<string, number>()
    for (const { id, _score: score } of rows) if (best.size < limit && !best.has(id)) best.set(id, score)
    if (best.size >= enough || rows.length < wanted) return best
  }
}

/** Readers are read where rows are sifted by them: tables of earlier versions have none. */
const columnOf = ({ wide }: Sieve): string[] => (wide === null ? [] : [READERS])

/** Nearest passages, nearest first. */
export async function vectorArm(
  { vectors }: Tables,
  vector: Float32Array,
  limit: number,
  sieve: Sieve,
): Promise<Nearest[]> {
  const rows = await sifted(sieve, limit, async (where, many) => {
    const query = vectors
      .query()
      .nearestTo(vector)
      .distanceType(DISTANCE)
      .maximumNprobes(where === undefined ? PARTITIONS : 0)
      .minimumNprobes(PARTITIONS)
      .select(["page", "revision", "position", "_distance", ...columnOf(sieve)])
      .limit(many)
    if (where !== undefined) query.where(where)
    return await readRows<Omit<Nearest, "cosine"> & { _distance: number; readers: string | null }>(query)
  })
  return rows.map(({ _distance, readers: _readers, ...row }) => ({ ...row, cosine: cosineOf(_distance) }))
}

/** Those of the pages that have no vectors at all. */
export async function pagesWithoutVectors({ vectors }: Tables, ids: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(ids)
  if (unknown.size === 0) return unknown
  const query = vectors
    .query()
    .where(`position = 0 AND ${isIn("page", ids)}`)
    .select(["page"])
  for (const { page } of await readRows<{ page: string }>(query)) unknown.delete(page)
  return unknown
}

/** Ids of pages with a section that holds every term (or any of them), best first; of no terms, of any pages. */
export async function pagesWithTerms(
  { pages }: Tables,
  terms: readonly string[],
  match: "all" | "any",
  limit: number,
  sieve: Sieve,
): Promise<string[]> {
  if (terms.length === 0) {
    const rows = await sifted(sieve, limit, async (where, many) => {
      const query = pages.query().where(both(FIRST_SECTION, where)).limit(many)
      return await readRows<{ id: string; readers: string | null }>(query.select(["id", ...columnOf(sieve)]))
    })
    return rows.map((row) => row.id)
  }
  const operator = match === "all" ? Operator.And : Operator.Or
  const question = new MatchQuery(terms.join(" "), "terms", { operator })
  return [...(await bestSections(pages, question, limit, sieve, limit)).keys()]
}

const both = (one: string, other: string | undefined) => (other === undefined ? one : `${one} AND (${other})`)
