import {
  Bool,
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int32,
  Schema,
  Table,
  Utf8,
  type Vector,
  makeData,
  makeVector,
  vectorFromArray,
} from "apache-arrow"
import { createHash } from "node:crypto"
import { analyse } from "../../analysis/analyse.ts"
import { placeOf } from "../../domains.ts"
import { fingerprintOf } from "../../fingerprint.ts"
import type { PageFacts } from "../../page-facts.ts"
import type { Page, PageTopic, Passage } from "../../page.ts"
import { type PageUrl, pageId } from "../../page-url.ts"
import { packTerms } from "../../passage-terms.ts"
import { toPassages } from "../../passages.ts"

const text = (name: string, nullable = false) => new Field(name, new Utf8(), nullable)
const number = (name: string, nullable = false) => new Field(name, new Float64(), nullable)

/** Columns that filters speak of, in both tables. */
const filterFields = [
  text("host"),
  text("domain"),
  text("language", true),
  number("published", true),
  text("source"),
  text("topic", true),
  text("country", true),
  new Field("unsafe", new Bool(), false),
]

export const FILTER_COLUMNS = filterFields.map(({ name }) => name)

/** One row a page: what finds it. `terms` is the analysed text, the only column with a full-text index. */
export const pagesSchema = new Schema([
  text("id"),
  number("revision"),
  ...filterFields,
  new Field("passage_count", new Int32(), false),
  text("terms"),
])

/** One row a passage. */
export const vectorsSchema = (dimensions: number) =>
  new Schema([
    text("page"),
    number("revision"),
    new Field("position", new Int32(), false),
    ...filterFields,
    new Field("vector", new FixedSizeList(dimensions, new Field("item", new Float32(), true)), false),
  ])

interface FilterColumns {
  readonly host: string
  readonly domain: string
  readonly language: string | null
  readonly published: number | null
  readonly source: string
  readonly topic: PageTopic | null
  readonly country: string | null
  readonly unsafe: boolean
}

export interface PageRow extends FilterColumns {
  readonly id: string
  /**
   * Changes with everything that the page's vectors hold: passages, title, filter columns. A page crawled
   * again without a change keeps its vectors.
   */
  readonly revision: number
  readonly title: string
  /** JSON of {@link Details}. */
  readonly details: string
  readonly markdown: string
  /** JSON of {@link Passage}s. */
  readonly passages: string
  readonly passage_count: number
  readonly terms: string
  /** JSON of {@link PageFacts}. */
  readonly facts: string
  /** The terms of each passage, its headings' first: see `passage-terms.ts`. */
  readonly passage_terms: Uint8Array
}

/** What a page says of itself besides its text. Dates are milliseconds since the epoch. */
interface Details extends Omit<Page, "url" | "title" | "markdown" | "publishedAt" | "fetchedAt"> {
  readonly url: PageUrl
  readonly published: number | null
  readonly fetched: number
}

/** What the page store keeps of a page: what a hit shows. */
export type StoredPage = Pick<PageRow, "id" | "revision" | "title" | "details" | "markdown" | "passages">

export interface PageVectors {
  readonly page: Pick<PageRow, "id" | "revision" | keyof FilterColumns>
  /** By position. */
  readonly vectors: readonly Float32Array[]
}

/** A long page is analysed in parts, so that searches in the same process go on between them. */
export async function toPageRow(page: Page, breathe: () => Promise<void>): Promise<PageRow> {
  const id = pageId(page.url)
  const passages = toPassages(page.markdown)
  await breathe()
  const columns: FilterColumns = {
    ...placeOf(page.url),
    language: page.language,
    published: page.publishedAt ? page.publishedAt.getTime() : null,
    source: page.source,
    topic: page.topic,
    country: page.country,
    unsafe: page.unsafe,
  }
  const passagesText = JSON.stringify(passages)
  const terms = await termsOf(page, passages, breathe)
  await breathe()
  // The title's terms stand twice: a word there says more than one in the text.
  return {
    id,
    revision: revisionOf([id, page.title, passagesText, JSON.stringify(columns)]),
    ...columns,
    title: page.title,
    details: JSON.stringify(detailsOf(page)),
    markdown: page.markdown,
    passages: passagesText,
    passage_count: passages.length,
    terms: [...terms.title, ...terms.title, ...terms.text].join(" "),
    facts: JSON.stringify(factsOf(page, columns, terms.text)),
    passage_terms: packTerms(terms.passages),
  }
}

function factsOf(
  { url, title }: Page,
  { host, domain, language, country, topic, published }: FilterColumns,
  terms: readonly string[],
): PageFacts {
  const facts = { url, title, host, domain, language, country, topic, published }
  return { ...facts, fingerprint: fingerprintOf(terms) }
}

function detailsOf(page: Page): Details {
  const { title: _title, markdown: _markdown, publishedAt, fetchedAt, ...rest } = page
  return { ...rest, published: publishedAt?.getTime() ?? null, fetched: fetchedAt.getTime() }
}

export function toPage({
  title,
  markdown,
  details,
}: Pick<StoredPage, "title" | "markdown" | "details">): Page {
  const { published, fetched, ...rest } = JSON.parse(details) as Details
  return {
    ...rest,
    title,
    markdown,
    publishedAt: published === null ? null : new Date(published),
    fetchedAt: new Date(fetched),
  }
}

export const passagesOf = (row: Pick<StoredPage, "passages">): Passage[] =>
  JSON.parse(row.passages) as Passage[]

export const pagesTable = (rows: readonly PageRow[]): Table => table(pagesSchema, rows)

export function vectorsTable(pages: readonly PageVectors[], dimensions: number): Table {
  const schema = vectorsSchema(dimensions)
  const rows = pages.flatMap(({ page, vectors }) =>
    vectors.map((_, position) => ({ ...page, page: page.id, position })),
  )
  const values = new Float32Array(rows.length * dimensions)
  pages.flatMap((one) => one.vectors).forEach((vector, i) => values.set(vector, i * dimensions))
  const list = makeData({
    type: schema.fields.at(-1)!.type as FixedSizeList<Float32>,
    length: rows.length,
    nullCount: 0,
    child: makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values }),
  })
  return table(schema, rows, { vector: makeVector(list) })
}

function table(schema: Schema, rows: readonly object[], ready: Record<string, Vector> = {}): Table {
  const columns = schema.fields.map(({ name, type }): [string, Vector] => [
    name,
    ready[name] ?? column(rows as readonly Record<string, unknown>[], name, type),
  ])
  return new Table(schema, Object.fromEntries(columns))
}

function column(rows: readonly Record<string, unknown>[], name: string, type: DataType): Vector {
  return vectorFromArray(
    rows.map((row) => row[name]),
    type,
  )
}

/** 53 bits of SHA-256, so that a plain number holds it. */
function revisionOf(parts: readonly string[]): number {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest()
  return hash.readUIntBE(0, 6) * 32 + (hash[6]! >> 3)
}

interface PageTerms {
  readonly title: readonly string[]
  /** The whole text; a heading stands once, above the first passage under it. */
  readonly text: readonly string[]
  /** By passage, each under all its headings. */
  readonly passages: readonly (readonly string[])[]
}

async function termsOf(
  page: Page,
  passages: readonly Passage[],
  breathe: () => Promise<void>,
): Promise<PageTerms> {
  const known = new Map<string, string[]>()
  const ofHeading = (heading: string) => {
    const terms = known.get(heading) ?? analyse(heading, page.language)
    known.set(heading, terms)
    return terms
  }
  const all: string[] = []
  const byPassage: string[][] = []
  let above: readonly string[] = []
  for (const { headings, text } of passages) {
    await breathe()
    const terms = analyse(text, page.language)
    const fresh = headings.filter((heading, i) => heading !== above[i])
    all.push(...fresh.flatMap(ofHeading), ...terms)
    byPassage.push([...headings.flatMap(ofHeading), ...terms])
    above = headings
  }
  return { title: analyse(page.title, page.language), text: all, passages: byPassage }
}
