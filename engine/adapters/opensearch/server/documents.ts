import { type FilterColumns, type PageHead, type PageRow, sourcesIn } from "../../../index/page-record.ts"

/** Fields used in filters, in both indexes. A page without a value lacks the field. */
interface FilterFields {
  readonly id: string
  readonly host: string
  readonly domain: string
  readonly source: readonly string[]
  readonly unsafe: boolean
  readonly type: string
  readonly port: number
  readonly language?: string
  readonly published?: number
  readonly topic?: string
  readonly country?: string
  readonly readers?: string
}

/** The fields used to find a page by its words, and the fields that a hit shows. */
export interface PageDocument extends FilterFields {
  readonly revision: number
  readonly passage_count: number
  readonly written: number
  /** The title and details as JSON, in Base64. */
  readonly head: string
  readonly facts: string
  readonly passage_terms: string
  /** All distinct terms, separated by single spaces. */
  readonly words: string
  readonly sections: ReadonlyArray<{ readonly terms: string }>
  readonly markdown: string
  /** JSON. */
  readonly passages: string
}

/** The fields used to find a page by its meaning; while the page is waiting, only its place in the queue. */
export interface VectorsDocument extends FilterFields {
  readonly revision: number
  readonly passage_count: number
  readonly written: number
  readonly waiting: boolean
  /** Passages by position. */
  readonly passages?: ReadonlyArray<{ readonly vector: readonly number[] }>
  /** The same vectors, without loss of precision, one after the other: 32 bits per number, little-endian, Base64. */
  readonly vectors?: string
}

/** Fields of a vectors document other than the vectors. */
export type VectorsHead = Omit<VectorsDocument, "passages" | "vectors" | "waiting">

export function toPageDocument(row: PageRow, written: number): PageDocument {
  const { title, details } = row
  const head: Pick<PageHead, "title" | "details"> = { title, details }
  return {
    ...filterFields(row),
    revision: row.revision,
    passage_count: row.passage_count,
    written,
    head: inBase64(JSON.stringify(head)),
    facts: inBase64(row.facts),
    passage_terms: Buffer.from(row.passage_terms).toString("base64"),
    words: [...new Set(row.sections.flatMap((terms) => terms.split(" ")))].join(" "),
    sections: row.sections.map((terms) => ({ terms })),
    markdown: row.markdown,
    passages: row.passages,
  }
}

export const toVectorsHead = (row: PageRow, written: number): VectorsHead => ({
  ...filterFields(row),
  revision: row.revision,
  passage_count: row.passage_count,
  written,
})

export const toVectorsDocument = (
  head: VectorsHead,
  vectors: readonly Float32Array[] | null,
): VectorsDocument => ({
  ...head,
  waiting: vectors === null && head.passage_count > 0,
  ...(vectors && {
    passages: vectors.map((vector) => ({ vector: inShort(vector) })),
    vectors: packed(vectors),
  }),
})

/** Seven digits represent a unit vector as accurately as 32 bits do, in half the text. */
export const inShort = (vector: Float32Array): number[] =>
  Array.from(vector, (value) => Math.round(value * 1e7) / 1e7)

function packed(vectors: readonly Float32Array[]): string {
  const bytes = vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
  return Buffer.concat(bytes).toString("base64")
}

/** Decodes {@link VectorsDocument.vectors}; `null` if it doesn't contain this many vectors. */
export function unpacked(text: string, count: number): Float32Array[] | null {
  const bytes = Buffer.from(text, "base64")
  const each = bytes.byteLength / count
  if (count === 0 || each % 4 !== 0) return null
  return Array.from(
    { length: count },
    (_, i) => new Float32Array(new Uint8Array(bytes.subarray(i * each, (i + 1) * each)).buffer),
  )
}

function filterFields(columns: FilterColumns & { readonly id: string }): FilterFields {
  const { id, host, domain, source, unsafe, type, port, language, published, topic, country, readers } =
    columns
  return {
    id,
    host,
    domain,
    source: sourcesIn(source),
    unsafe,
    type,
    port,
    ...(language !== null && { language }),
    ...(published !== null && { published }),
    ...(topic !== null && { topic }),
    ...(country !== null && { country }),
    ...(readers !== null && { readers }),
  }
}

const inBase64 = (text: string) => Buffer.from(text).toString("base64")

/** The text of a column written by {@link toPageDocument}. */
export const textOf = (base64: unknown): string => Buffer.from(base64 as string, "base64").toString()
