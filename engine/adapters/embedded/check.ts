import { existsSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import path from "node:path"
import { breather } from "#base/flow/breather.ts"
import { pause } from "#base/flow/pause.ts"
import { EngineError } from "../../errors.ts"
import type { CheckDepth, Damage, Harm } from "../adapter.ts"
import { coveredBytes, damagedFiles, damagedLedger } from "./files/file-sums.ts"
import { KNOWN_TERMS, KnownTerms } from "./files/known-terms.ts"
import { INDEX_FORMAT, MANIFEST, type Manifest, manifestTwins } from "./files/manifest.ts"
import { PAGES_DB, PageStore } from "./files/page-store.ts"
import { counted } from "./files/page-sum.ts"
import { FIRST_SECTION } from "./lance/schema.ts"
import { PAGES_TABLE, connectTo } from "./lance/tables.ts"
import { TERM_FREQUENCIES, TermFrequencies } from "./files/term-frequencies.ts"

/** Total size of files that can be read in about a fifth of a second: reading takes 0.8 ms per megabyte, and 1.4 ms for page files. */
const SMALL = 150_000_000
/** Number of pages that a killed process might have been writing; the next writer finishes writing them. */
const PAGES_IN_HAND = 1000
/** How many times to check whether the first write of an index has reached its second store. */
const LOOKS = 12
const LOOK_MS = 250

/** Damage to the index in a folder; empty for an older format, because all of its pages are read when they are migrated. */
export async function checkIndex(dir: string, depth: CheckDepth): Promise<Damage[]> {
  const found: Damage[] = []
  const add = (file: string, damage: string, harms: Harm) =>
    found.push({ file: `${path.basename(dir)}/${file}`, damage, harms })
  const { value: manifest, damaged } = await manifestTwins(dir)
  if (manifest && manifest.format !== INDEX_FORMAT) return []
  // These files have a copy, so nothing is lost.
  for (const { path: file, damage } of damaged) add(path.basename(file), damage, manifest ? "names" : "words")
  if (!manifest && damaged.length === 0) {
    if (!existsSync(path.join(dir, PAGES_DB))) return []
    if (storeIn(dir).pages === 0) return []
    add(MANIFEST, "is missing", "words")
  }
  const vectorsName = await vectorsTableIn(dir, manifest)
  const isAll = depth === "all" || (depth === "small" && (await bytesOf(dir, vectorsName)) <= SMALL)

  const indexed = manifest ? await countIn(dir, PAGES_TABLE) : null
  const store = isAll ? await thoroughly(dir) : storeIn(dir)
  if (store.damage !== null) add(PAGES_DB, store.damage, "pages")
  for (const [table, harms] of [
    [PAGES_TABLE, "words"],
    [vectorsName, "vectors"],
  ] as const) {
    const files = await damagedFiles(dir, table, isAll)
    for (const { file, damage } of files) add(file, damage, harms)
    const rows = table === PAGES_TABLE ? indexed : manifest && (await countIn(dir, table))
    if (rows instanceof Error && files.length === 0)
      add(`${table}.lance`, `cannot be opened (${firstLine(rows)})`, harms)
    const ledger = await damagedLedger(dir, table)
    if (ledger) add(ledger.file, ledger.damage, "names")
  }
  if (typeof indexed === "number" && store.damage === null) {
    const lost = indexed - store.pages
    const unindexed = store.pages - indexed
    // A page might have been removed between the two counts.
    if (lost > 0 && Number(await countIn(dir, PAGES_TABLE)) > storeIn(dir).pages) {
      add(PAGES_DB, `has lost ${counted(lost, "page")}`, "pages")
    }
    if (unindexed > PAGES_IN_HAND || (indexed === 0 && unindexed > 0 && (await staysEmpty(dir)))) {
      add(`${PAGES_TABLE}.lance`, `has lost ${counted(unindexed, "page")}`, "words")
    }
  }
  if (typeof indexed === "number" && indexed > 0) {
    const what = "is missing or damaged"
    if (!(await TermFrequencies.isSaved(dir))) add(TERM_FREQUENCIES, what, "ranking")
    if (!(await KnownTerms.isSaved(dir))) add(KNOWN_TERMS, what, "ranking")
  }
  return found
}

interface StoreState {
  readonly pages: number
  readonly damage: string | null
}

function storeIn(dir: string): StoreState {
  try {
    using store = PageStore.open(dir)
    return { pages: store.count, damage: null }
  } catch (error) {
    return { pages: 0, damage: storeDamage(dir, error) }
  }
}

async function thoroughly(dir: string): Promise<StoreState> {
  try {
    using store = PageStore.open(dir)
    const damage = await store.damage(breather())
    return { pages: damage === null ? store.count : 0, damage }
  } catch (error) {
    return { pages: 0, damage: storeDamage(dir, error) }
  }
}

function storeDamage(dir: string, error: unknown): string {
  if (!existsSync(path.join(dir, PAGES_DB))) return "is missing"
  if (error instanceof EngineError) return "is damaged, or empty"
  return `cannot be read (${firstLine(error as Error)})`
}

/** Number of pages in the pages table; `null` if it can't be read. */
export async function indexedIn(dir: string): Promise<number | null> {
  const rows = await countIn(dir, PAGES_TABLE)
  return typeof rows === "number" ? rows : null
}

/** The number of rows in a table (or of pages, in the pages table), or why it can't be opened. */
async function countIn(dir: string, table: string): Promise<number | Error> {
  const connection = await connectTo(dir, 0)
  try {
    const opened = await connection.openTable(table)
    const rows = await opened.countRows(table === PAGES_TABLE ? FIRST_SECTION : undefined)
    opened.close()
    return rows
  } catch (error) {
    return error as Error
  } finally {
    connection.close()
  }
}

/** Whether the pages table is empty and stays empty for a while: the very first pages reach the store a moment before the table. */
async function staysEmpty(dir: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    await pause(LOOK_MS)
    if (((await indexedIn(dir)) ?? 0) > 0) return false
  }
  return true
}

/** The name of the vectors table: the one in the manifest, or that of an existing table. */
export async function vectorsTableIn(dir: string, manifest: Manifest | null): Promise<string> {
  if (manifest) return manifest.vectors
  const names = await readdir(dir).catch(() => [])
  return names.find((name) => /^vectors-\d+\.lance$/.test(name))?.replace(/\.lance$/, "") ?? "vectors-1"
}

async function bytesOf(dir: string, vectorsName: string): Promise<number> {
  const pages = await stat(path.join(dir, PAGES_DB)).catch(() => null)
  return (pages?.size ?? 0) + (await coveredBytes(dir, PAGES_TABLE)) + (await coveredBytes(dir, vectorsName))
}

const firstLine = ({ message }: Error): string => message.split("\n")[0]!
