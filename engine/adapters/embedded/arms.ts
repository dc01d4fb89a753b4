import "./lance/quiet-lancedb.ts"
import { MatchQuery, Operator, type Table } from "@lancedb/lancedb"
import type { LexicalHits, Nearest } from "../../index/search-index.ts"
import { isIn } from "./filter.ts"
import { readRows } from "./lance/rows.ts"
import { FIRST_SECTION, READERS } from "./lance/schema.ts"
import type { Tables } from "./lance/tables.ts"

/**
 * Partitions of the vector index that a query looks into at first; more when a filter leaves too few rows. With 100,000 passages
 * these are all partitions. Looking costs little, a millisecond of CPU for about 60,000 passages, and questions are short and far
 * from the passages that answer them: of the ten passages nearest to a question in 68,500 real ones, the nearest quarter of 137
 * partitions holds 0.95, half of them 0.99.
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

/** Which rows a query may find. */
export interface Sieve {
  /** The condition in SQL, long when many labels are listed; undefined: all rows. */
  readonly where: () => string | undefined
  /** A quicker way when many labels are listed; null: few or none are. */
  readonly wide: {
    /** `where` without the labels. */
    readonly where: () => string | undefined
    readonly labels: Labels
  } | null
}

/** Labels of readers, and which share of rows they let through so far. */
export interface Labels {
  readonly set: ReadonlySet<string>
  /** Rows that queries returned, and how many of them had one of the labels or none. */
  asked: number
  seen: number
}

export const ALL: Sieve = { where: () => undefined, wide: null }

/** Rows asked for, as a multiple of those needed by the share seen so far. */
const SPARE = 1.3
/** The fewest rows asked for, and the most as a multiple of those wanted. */
const FEWEST = 16
const MOST_TIMES = 8

/**
 * The rows that the sieve lets through, best first. A list of labels costs LanceDB 4 µs a label in every query. With a long one, this asks for
 * more rows without the list and sifts them, and falls back to the list when too few are left.
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

/** The column to sift by. Only then is it selected: tables of earlier versions lack it. */
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
