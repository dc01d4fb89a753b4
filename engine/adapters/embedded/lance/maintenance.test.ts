import { connect } from "@lancedb/lancedb"
import { FixedSizeList, Field, Float32, Schema, Table, makeData, makeVector } from "apache-arrow"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { trainVectorIndex } from "./maintenance.ts"

const DIMENSIONS = 8

describe("the vector index", () => {
  let dir: string

  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "fossick-vectors-"))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test("is built once there are many rows, and again when they have multiplied", async () => {
    const connection = await connect(dir)
    const table = await connection.createTable("vectors", unitVectors(9_000))
    const indices = async () => (await table.listIndices()).map(({ name }) => name)
    await trainVectorIndex(table)
    expect(await indices()).toEqual([])
    await table.add(unitVectors(1_500))
    await trainVectorIndex(table)
    expect(await indices()).toEqual(["vector_7"])
    await table.add(unitVectors(10_000))
    await table.optimize()
    await trainVectorIndex(table)
    expect(await indices()).toEqual(["vector_7"])
    await table.add(unitVectors(12_000))
    await table.optimize()
    await trainVectorIndex(table)
    expect(await indices()).toEqual(["vector_22"])
    const [index] = await table.listIndices()
    expect(index).toMatchObject({ numIndexedRows: 32_500, numUnindexedRows: 0, numSegments: 1 })
    connection.close()
  })
})

function unitVectors(count: number): Table {
  const values = new Float32Array(count * DIMENSIONS)
  for (let at = 0; at < values.length; at += DIMENSIONS) {
    values[at] = Math.cos(at)
    values[at + 1] = Math.sin(at)
  }
  const type = new FixedSizeList(DIMENSIONS, new Field("item", new Float32(), true))
  const child = makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values })
  const vector = makeVector(makeData({ type, length: count, nullCount: 0, child }))
  return new Table(new Schema([new Field("vector", type, false)]), { vector })
}
