import type { QueryBase } from "@lancedb/lancedb"

type Row = Record<string, unknown>
// The native types that QueryBase has as type parameters aren't exported.
type AnyQuery = Pick<QueryBase<never>, "toArrow"> & AsyncIterable<ArrowBatch>

interface ArrowBatch {
  readonly numRows: number
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
  getChild(name: string): { get(i: number): unknown } | null
}

/** The rows of a query as plain objects, batch by batch, so that a large result never blocks for long. */
export async function* batchesOf<T>(query: AnyQuery): AsyncGenerator<T[]> {
  for await (const batch of query) yield rowsOf(batch) as T[]
}

export async function readRows<T>(query: AnyQuery): Promise<T[]> {
  const rows: T[] = []
  for await (const batch of batchesOf<T>(query)) rows.push(...batch)
  return rows
}

function rowsOf(batch: ArrowBatch): Row[] {
  const columns = batch.schema.fields.map(({ name }) => ({ name, values: batch.getChild(name)! }))
  return Array.from({ length: batch.numRows }, (_, i) => {
    const row: Row = {}
    for (const { name, values } of columns) row[name] = values.get(i)
    return row
  })
}
