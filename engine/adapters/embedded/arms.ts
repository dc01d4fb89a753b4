import "./lance/quiet-lancedb.ts"
import { MatchQuery, Operator, type Table } from "@lancedb/lancedb"
import type { LexicalHits, Nearest } from "../../index/search-index.ts"
import { isIn } from "./filter.ts"
import { readRows } from "./lance/rows.ts"
import { FIRST_SECTION, READERS } from "./lance/schema.ts"
import type { Tables } from "./lance/tables.ts"

/**
 * Number of partitions of the vector index that a query searches at first; more are searched if a filter leaves too few
 * rows. With 100,000 passages this is all of them. Searching them is cheap, a millisecond of CPU for about 60,000
 * passages, and questions are short and far from the passages that answer them: of the ten passages nearest to a
 * question among 68,500 real ones, the nearest quarter of 137 partitions contains 0.95, half of them 0.99.
 */
const PARTITIONS = 128

/**
 * The distance metric of the vector index. Squared Euclidean instead of cosine, because LanceDB reports cosine
 * distances twice as large with an index as without one; for unit vectors, each can be computed from the other.
 */
export const DISTANCE = "l2"
const cosineOf = (distance: number) => 1 - distance / 2

/** Number of sections examined per page requested: several of the best sections can belong to one page. */
const SECTIONS_PER_PAGE = 2
/** If the sections of a few long pages fill the list, a list this many times as long is requested. */
const LONGER = 8
/** A ranking is long enough if it has this share of the pages requested, since no more of them are read. */
const ENOUGH = 1 / 3

/** Determines which rows a query can find. */
export interface Sieve {
  /** The condition in SQL, long if many labels are listed; `undefined` for all rows. */
  readonly where: () => string | undefined
  /** A faster way to filter if many labels are listed; `null` if few or none are. */
  readonly wide: {
    /** `where` without the labels. */
    readonly where: () => string | undefined
    readonly labels: Labels
  } | null
}

/** Labels of readers, and the share of rows they have let through so far. */
export interface Labels {
  readonly set: ReadonlySet<string>
  /** Number of rows that queries returned, and how many of them had one of the labels, or no label at all. */
  asked: number
  seen: number
}

export const ALL: Sieve = { where: () => undefined, wide: null }

/** Safety factor for the number of rows to request, which is estimated from the share seen so far. */
const SPARE = 1.3
/** The minimum number of rows requested, and the maximum as a multiple of the rows needed. */
const FEWEST = 16
const MOST_TIMES = 8

/**
 * The rows that the sieve lets through, best first. A list of labels costs LanceDB 4 µs per label in every query. If
 * the list is long, more rows are requested without it and filtered afterwards; if too few are left, the list is used
 * after all.
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
 * @param enough if the list is full but has fewer pages than this, a longer list is requested
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

/** The column to filter by. It is selected only when needed, because tables from earlier versions lack it. */
const columnOf = ({ wide }: Sieve): string[] => (wide === null ? [] : [READERS])

/** The nearest passages, nearest first. */
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

/** The given pages that have no vectors at all. */
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

/** Ids of pages with a section that contains every term (or any of them), best first; if there are no terms, ids of any pages. */
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
