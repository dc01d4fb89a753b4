import { Index, type Table } from "@lancedb/lancedb"
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeFolder } from "#base/folder.ts"
import { breather } from "#base/flow/breather.ts"
import type { PageWithVectors } from "../../engine.ts"
import type { OldIndex } from "../adapter.ts"
import { type StoredPage, toPage } from "../../index/page-record.ts"
import { pageId } from "../../index/page/page-url.ts"
import { lockForWriting } from "../../index/writer-lock.ts"
import { vectorsTableIn } from "./check.ts"
import { damagedFiles } from "./files/file-sums.ts"
import { manifestTwins } from "./files/manifest.ts"
import { PAGES_DB } from "./files/page-store.ts"
import { pageSum } from "./files/page-sum.ts"
import { withVectors } from "./pages-after.ts"
import { connectTo } from "./lance/tables.ts"

const PAGES_AT_A_TIME = 32
/** How far the length of an intact vector can be from 1. */
const LENGTH_ERROR = 0.01

/**
 * The readable part of a damaged index: each intact page, with its intact vectors. Pages are read one by one, since a
 * damaged part of the file only affects the pages in it.
 *
 * @throws EngineError `INDEX_LOCKED`
 */
export async function openDamagedIndex(dir: string): Promise<OldIndex> {
  using opened = new DisposableStack()
  makeFolder(dir)
  opened.use(lockForWriting(dir))
  const db = openStore(dir)
  if (db) opened.defer(() => db.close())
  const rows = db ? await readableRows(db) : new Map<string, number>()
  const ids = [...rows.keys()].toSorted()
  const connection = await connectTo(dir, 0)
  opened.defer(() => connection.close())
  const vectors = await soundVectors(dir, (name) => connection.openTable(name))
  const held = opened.move()
  return {
    count: async () => ids.length,
    async *allPages({ after = "", signal } = {}) {
      const wanted = ids.filter((id) => id > after)
      for (let at = 0; at < wanted.length; at += PAGES_AT_A_TIME) {
        signal?.throwIfAborted()
        const some = wanted.slice(at, at + PAGES_AT_A_TIME)
        yield* await vectorsOf(
          some.flatMap((id) => readRow(db!, rows.get(id)!) ?? []),
          vectors,
        )
      }
    },
    async [Symbol.asyncDispose]() {
      held.dispose()
    },
  }
}

/** Number of pages in the store of an index, according to the store itself; 0 if it can't be read. */
export function countReadable(dir: string): number {
  const db = openStore(dir)
  try {
    return Number(db?.prepare("select count(*) as n from page").get()?.["n"] ?? 0)
  } catch {
    return 0
  } finally {
    db?.close()
  }
}

function openStore(dir: string): DatabaseSync | null {
  const file = path.join(dir, PAGES_DB)
  if (!existsSync(file)) return null
  const db = new DatabaseSync(file)
  try {
    db.prepare("select 1 from page limit 1").get()
    return db
  } catch {
    db.close()
    return null
  }
}

/** The numbers of the readable, intact rows, by page id. */
async function readableRows(db: DatabaseSync): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  const last = lastRow(db)
  const breathe = breather()
  for (let row = 1; row <= last; row++) {
    await breathe()
    const page = readRow(db, row)
    if (page) rows.set(page.id, row)
  }
  return rows
}

/** An upper bound for row numbers, even if the end of the table can't be read. */
function lastRow(db: DatabaseSync): number {
  for (const sql of [
    "select max(rowid) as n from page not indexed",
    "select max(rowid) as n from page indexed by page_revision",
    "select 2 * count(*) + 1000 as n from facts",
  ]) {
    try {
      return Number(db.prepare(sql).get()?.["n"] ?? 0)
    } catch {
      // Ignored: the next query reads another part of the file.
    }
  }
  return 0
}

function readRow(db: DatabaseSync, row: number): StoredPage | null {
  try {
    const page = db
      .prepare(
        "select id, revision, title, details, json(passages) as passages, markdown from page where rowid = ?",
      )
      .get(row) as StoredPage | undefined
    if (!page || pageId(toPage(page).url) !== page.id) return null
    const sum = readSum(db, page.id)
    return sum === null || sum === pageSum(page) ? page : null
  } catch {
    return null
  }
}

/** `null` if there is no readable checksum. */
function readSum(db: DatabaseSync, id: string): number | null {
  try {
    return (
      (db.prepare("select page from page_sum where id = ?").get(id)?.["page"] as number | undefined) ?? null
    )
  } catch {
    return null
  }
}

/** The vectors table, with an intact index over pages, or `null` if the table can't be opened. */
async function soundVectors(dir: string, openTable: (name: string) => Promise<Table>): Promise<Table | null> {
  const { value: manifest } = await manifestTwins(dir)
  const name = await vectorsTableIn(dir, manifest)
  try {
    const damaged = await damagedFiles(dir, name, true)
    // Without the newest version, LanceDB opens the previous one.
    for (const { file } of damaged)
      if (file.includes("/_versions/")) await rm(path.join(dir, file), { force: true })
    const table = await openTable(name)
    if (damaged.some(({ file }) => file.includes("/_indices/"))) {
      await table.createIndex("page", { config: Index.btree(), replace: true })
    }
    return table
  } catch {
    return null
  }
}

async function vectorsOf(pages: readonly StoredPage[], table: Table | null): Promise<PageWithVectors[]> {
  const without = () => pages.map((page) => ({ page: toPage(page), vectors: null }))
  if (!table || pages.length === 0) return without()
  try {
    const all = await withVectors(pages, table)
    return all.map(({ page, vectors }) => ({ page, vectors: vectors?.every(isSound) ? vectors : null }))
  } catch {
    if (pages.length === 1) return without()
    const one = []
    for (const page of pages) one.push(...(await vectorsOf([page], table)))
    return one
  }
}

/** Vectors have unit length, which a changed byte seldom preserves. */
const isSound = (vector: Float32Array): boolean => Math.abs(Math.hypot(...vector) - 1) < LENGTH_ERROR
