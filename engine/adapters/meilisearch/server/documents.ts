import { type FilterColumns, type PageRow, sourcesIn } from "../../../index/page-record.ts"
import type { PageType } from "../../../index/page/page-type.ts"
import type { Passage } from "../../../index/page/passage.ts"
import { facetValue } from "../filter.ts"
import { toLevels } from "../impacts.ts"
import { pageKey } from "./page-key.ts"

/** Fields used in filters, in pages and passages. A page without a value lacks the field. */
interface FilterFields {
  readonly key: number
  readonly host: string
  readonly domain: string
  /** Several values if the page belongs to several sources. */
  readonly source: string | readonly string[]
  readonly unsafe: boolean
  readonly type: PageType
  readonly port: number
  readonly language?: string
  readonly published?: number
  readonly topic?: string
  readonly country?: string
  readonly readers?: string
}

export const FILTER_FIELDS = [
  "key",
  "host",
  "domain",
  "source",
  "unsafe",
  "type",
  "port",
  "language",
  "published",
  "topic",
  "country",
  "readers",
] as const satisfies readonly (keyof FilterFields)[]

/** Fields whose values the server counts for the index state. */
export const FACETED = ["language", "passage_count"] as const

/** The fields used to find and rank a page. The document also has the words of each level. */
export interface PageDocument extends FilterFields {
  readonly id: string
  readonly revision: number
  readonly passage_count: number
  readonly facts: string
  /** Whether the page has passages without vectors for its revision. */
  readonly waiting: boolean
  /** Whether there might be vectors of another revision. */
  readonly replaced: boolean
}

/** The fields of a page that a hit shows. */
export interface TextDocument {
  readonly id: string
  readonly revision: number
  readonly title: string
  readonly details: string
  readonly markdown: string
  /** Base64. */
  readonly passage_terms: string
}

/**
 * The fields that contain the passages of a page as JSON: this many passages in each, and the rest in the last. For a
 * long page, only the fields needed for a hit are read. There are few such fields because the server reads all field
 * names it has ever seen at the start of every search.
 */
const PASSAGES_PER_FIELD = 16
export const PASSAGE_FIELDS = Array.from({ length: 64 }, (_, i) => `p${i}`)

/** The field that contains the passage at a position. */
export const passageField = (position: number): string =>
  PASSAGE_FIELDS[Math.min(PASSAGE_FIELDS.length - 1, Math.floor(position / PASSAGES_PER_FIELD))]!

/** One passage and its vector. */
export interface PassageDocument extends FilterFields {
  readonly id: string
  readonly page: string
  readonly revision: number
  readonly position: number
  readonly _vectors: {
    readonly default: { readonly embeddings: readonly number[][]; readonly regenerate: false }
  }
}

export function toPageDocument(
  row: PageRow,
  { waiting, replaced }: Pick<PageDocument, "waiting" | "replaced">,
): PageDocument {
  return {
    id: row.id,
    ...filterFields(row),
    revision: row.revision,
    passage_count: row.passage_count,
    facts: wellFormed(row.facts),
    waiting,
    replaced,
    ...toLevels(row.sections),
  }
}

export function toTextDocument(row: PageRow): TextDocument {
  const passages = JSON.parse(row.passages) as Passage[]
  return {
    id: row.id,
    revision: row.revision,
    title: wellFormed(row.title),
    details: wellFormed(row.details),
    markdown: wellFormed(row.markdown),
    ...inFields(passages),
    passage_terms: Buffer.from(row.passage_terms).toString("base64"),
  }
}

export function toPassageDocuments(
  page: Pick<PageDocument, "id" | "revision" | (typeof FILTER_FIELDS)[number]>,
  vectors: readonly Float32Array[],
): PassageDocument[] {
  const fields = Object.fromEntries(
    FILTER_FIELDS.map((name) => [name, page[name]]),
  ) as unknown as FilterFields
  return vectors.map((vector, position) => ({
    id: `${page.id}-${position}`,
    page: page.id,
    revision: page.revision,
    position,
    ...fields,
    _vectors: { default: { embeddings: [inShort(vector)], regenerate: false } },
  }))
}

function inFields(passages: readonly Passage[]): Record<string, string> {
  const fields = Map.groupBy(passages.keys(), passageField)
  return Object.fromEntries(
    [...fields].map(([field, positions]) => [
      field,
      JSON.stringify(positions.map((position) => [position, passages[position]!])),
    ]),
  )
}

/** Passages by position, from the fields that were read. */
export function passagesIn(read: object): Map<number, Passage> {
  const fields = read as Readonly<Record<string, unknown>>
  return new Map(
    PASSAGE_FIELDS.flatMap((field) => {
      const json = fields[field]
      return typeof json === "string" ? (JSON.parse(json) as [number, Passage][]) : []
    }),
  )
}

/** Seven digits represent a unit vector as accurately as 32 bits do, in half the text. */
export const inShort = (vector: Float32Array): number[] =>
  Array.from(vector, (value) => Math.round(value * 1e7) / 1e7)

export function filterFields(columns: FilterColumns & { readonly id: string }): FilterFields {
  const { host, domain, source, unsafe, type, port, language, published, topic, country, readers } = columns
  const names = sourcesIn(source).map(facetValue)
  return {
    key: pageKey(columns.id),
    host: facetValue(host),
    domain: facetValue(domain),
    source: names.length === 1 ? names[0]! : names,
    unsafe,
    type,
    port,
    ...(language !== null && { language: facetValue(language) }),
    ...(published !== null && { published }),
    ...(topic !== null && { topic: facetValue(topic) }),
    ...(country !== null && { country: facetValue(country) }),
    ...(readers !== null && { readers: facetValue(readers) }),
  }
}

/** Half a surrogate pair isn't valid text for the server, which would refuse the whole request. */
const wellFormed = (text: string) => text.toWellFormed()
