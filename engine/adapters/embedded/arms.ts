import "./lance/quiet-lancedb.ts"
import { MatchQuery, Operator, type Table } from "@lancedb/lancedb"
import type { LexicalHits, Nearest } from "../../index/search-index.ts"
import { isIn } from "./filter.ts"
import { readRows } from "./lance/rows.ts"
import { FIRST_SECTION } from "./lance/schema.ts"
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

export async function lexicalArm(
  { pages }: Tables,
  terms: readonly string[],
  limit: number,
  where: string | undefined,
): Promise<LexicalHits> {
  if (terms.length === 0) return new Map()
  return await bestSections(pages, new MatchQuery(terms.join(" "), "terms"), limit, where, limit * ENOUGH)
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
  where: string | undefined,
  enough: number,
): Promise<Map<string, number>> {
  for (let wanted = limit * SECTIONS_PER_PAGE; ; wanted *= LONGER) {
    const query = table.query().fullTextSearch(question).select(["id", "_score"]).limit(wanted)
    if (where !== undefined) query.where(where)
    const rows = await readRows<{ id: string; _score: number }>(query)
    const best = new Map<string, number>()
    for (const { id, _score: score } of rows) if (best.size < limit && !best.has(id)) best.set(id, score)
    if (best.size >= enough || rows.length < wanted) return best
  }
}

/** Nearest passages, nearest first. */
export async function vectorArm(
  { vectors }: Tables,
  vector: Float32Array,
  limit: number,
  where: string | undefined,
): Promise<Nearest[]> {
  const query = vectors
    .query()
    .nearestTo(vector)
    .distanceType(DISTANCE)
    .maximumNprobes(where === undefined ? PARTITIONS : 0)
    .minimumNprobes(PARTITIONS)
    .select(["page", "revision", "position", "_distance"])
    .limit(limit)
  if (where !== undefined) query.where(where)
  const rows = await readRows<Omit<Nearest, "cosine"> & { _distance: number }>(query)
  return rows.map(({ _distance, ...row }) => ({ ...row, cosine: cosineOf(_distance) }))
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
  where: string | undefined,
): Promise<string[]> {
  if (terms.length === 0) {
    const query = pages.query().where(both(FIRST_SECTION, where)).limit(limit).select(["id"])
    return (await readRows<{ id: string }>(query)).map((row) => row.id)
  }
  const operator = match === "all" ? Operator.And : Operator.Or
  const question = new MatchQuery(terms.join(" "), "terms", { operator })
  return [...(await bestSections(pages, question, limit, where, limit)).keys()]
}

const both = (one: string, other: string | undefined) => (other === undefined ? one : `${one} AND (${other})`)
