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
import type { FilterColumns, PageRow } from "../../../index/page-record.ts"

const text = (name: string, nullable = false) => new Field(name, new Utf8(), nullable)
const number = (name: string, nullable = false) => new Field(name, new Float64(), nullable)

/** The column with the labels of readers. It is added to tables from earlier versions when they are opened for writing. */
export const READERS = "readers"

/** Columns used in filters, in both tables. */
const filterFields = [
  text("host"),
  text("domain"),
  text("language", true),
  number("published", true),
  text("source"),
  text("topic", true),
  text("country", true),
  new Field("unsafe", new Bool(), false),
  text("type"),
  new Field("port", new Int32(), false),
  text(READERS, true),
]

export const FILTER_COLUMNS = filterFields.map(({ name }) => name)

/**
 * One row per section, used to find pages. `terms` is the analysed text, the only column with a full-text index. A page
 * always has a first section, which contains the number of its passages.
 */
export const pagesSchema = new Schema([
  text("key"),
  text("id"),
  new Field("section", new Int32(), false),
  number("revision"),
  ...filterFields,
  new Field("passage_count", new Int32(), false),
  text("terms"),
])

/** One row per passage. */
export const vectorsSchema = (dimensions: number) =>
  new Schema([
    text("page"),
    number("revision"),
    new Field("position", new Int32(), false),
    ...filterFields,
    new Field("vector", new FixedSizeList(dimensions, new Field("item", new Float32(), true)), false),
  ])

export interface PageVectors {
  readonly page: Pick<PageRow, "id" | "revision" | keyof FilterColumns>
  /** Vectors by position. */
  readonly vectors: readonly Float32Array[]
}

export const pagesTable = (rows: readonly PageRow[]): Table =>
  table(
    pagesSchema,
    rows.flatMap((row) =>
      row.sections.map((terms, section) => ({
        ...row,
        key: `${row.id}/${section}`,
        section,
        passage_count: section === 0 ? row.passage_count : 0,
        terms,
      })),
    ),
  )

/** Selects one row of the pages table per page: that of the page's first section. */
export const FIRST_SECTION = "section = 0"

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
