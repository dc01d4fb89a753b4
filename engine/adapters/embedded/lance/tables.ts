import "./quiet-lancedb.ts"
import { type Connection, Index, Session, type Table, connect } from "@lancedb/lancedb"
import type { Schema } from "apache-arrow"
import { noteCache } from "#base/flow/memory/cache-memory.ts"
import { indexCacheMb } from "../../../index-cache.ts"
import { damagedFile } from "../files/damaged-file.ts"
import { PageStore } from "../files/page-store.ts"
import { INDEX_FORMAT, type Manifest, writeManifest } from "../files/manifest.ts"
import { batchesOf } from "./rows.ts"
import type { PageRow } from "../../../index/page-record.ts"
import { FIRST_SECTION, pagesSchema, READERS, vectorsSchema } from "./schema.ts"

export const PAGES_TABLE = "pages"
const MEGABYTE = 1024n * 1024n
/** Memory for LanceDB's file metadata and for an index writer. LanceDB's own defaults are 1 GB and 6 GB. */
const METADATA_CACHE = 32n * MEGABYTE
const WRITER_CACHE = 96n * MEGABYTE
/**
 * Sessions of readers, with the number of bytes that each may cache. There is one, and a second while one index
 * replaces another. A connection keeps only the native session alive, not its JavaScript object, which would be
 * collected while the session is in use; so the object is kept alive as long as its connection.
 */
const readers = new Map<WeakRef<Session>, number>()
const sessionOf = new WeakMap<Connection, Session>()

noteCache("index", {
  get held() {
    return openReaders().reduce((held, { session }) => held + Number(session.sizeBytes()), 0)
  },
  get total() {
    return openReaders().reduce((total, { mayKeep }) => total + mayKeep, 0)
  },
})

function openReaders(): { readonly session: Session; readonly mayKeep: number }[] {
  return [...readers].flatMap(([reader, mayKeep]) => {
    const session = reader.deref()
    if (session) return [{ session, mayKeep }]
    readers.delete(reader)
    return []
  })
}

export interface Tables {
  readonly pages: Table
  readonly vectors: Table
  /** The pages that the rows of both tables belong to. */
  readonly store: PageStore
}

/**
 * @param lagMs how far behind the newest version a reader may be; 0 for the process that writes.
 * @param cacheMb how many megabytes of the indices a reader may cache. Default: depends on the machine
 */
export async function connectTo(dir: string, lagMs: number, cacheMb = indexCacheMb(0)): Promise<Connection> {
  if (lagMs === 0) return connect({ uri: dir, session: new Session(WRITER_CACHE, METADATA_CACHE) })
  const cache = BigInt(cacheMb) * MEGABYTE
  const session = new Session(cache, METADATA_CACHE)
  const connection = await connect({ uri: dir, session, readConsistencyInterval: lagMs / 1000 })
  sessionOf.set(connection, session)
  readers.set(new WeakRef(session), Number(cache + METADATA_CACHE))
  return connection
}

/** @param onDamage called for each page that turns out to be damaged when it is read */
export async function openTables(
  connection: Connection,
  dir: string,
  manifest: Manifest,
  onDamage?: (id: string) => void,
): Promise<Tables> {
  const store = PageStore.open(dir, onDamage)
  try {
    const [pages, vectors] = await Promise.all([
      openTable(connection, dir, PAGES_TABLE),
      openTable(connection, dir, manifest.vectors),
    ])
    return { pages, vectors, store }
  } catch (error) {
    store[Symbol.dispose]()
    throw error
  }
}

/** @throws EngineError `INDEX_DAMAGED` */
export async function openTable(connection: Connection, dir: string, name: string): Promise<Table> {
  try {
    return await connection.openTable(name)
  } catch (error) {
    const why = (error as Error).message.split("\n")[0]!
    throw damagedFile(dir, `${name}.lance`, `cannot be opened (${why.replaceAll(dir, "")})`, { cause: error })
  }
}

/** An empty table, for a reader whose vectors table can't be opened: it finds pages by words, as if no vectors had been created yet. */
export async function noVectors({ dimensions }: Pick<Manifest, "dimensions">): Promise<Table> {
  const connection = await connect("memory://")
  return create(connection, "none", vectorsSchema(dimensions))
}

export type IndexedPage = Pick<PageRow, "id" | "revision" | "passage_count" | "source">

/** The rows of the page table, by id. */
export async function indexedPages({ pages }: Tables): Promise<Map<string, IndexedPage>> {
  const indexed = new Map<string, IndexedPage>()
  const all = pages.query().where(FIRST_SECTION).select(["id", "revision", "passage_count", "source"])
  for await (const batch of batchesOf<IndexedPage>(all)) for (const page of batch) indexed.set(page.id, page)
  return indexed
}

/** Creates an empty index. Removes anything left behind by a process that died while doing so. */
export async function createIndex(
  connection: Connection,
  dir: string,
  embedder: { readonly id: string; readonly dimensions: number },
): Promise<Manifest> {
  await connection.dropAllTables()
  using store = PageStore.make(dir)
  store.clear()
  const manifest: Manifest = {
    format: INDEX_FORMAT,
    embedder: embedder.id,
    dimensions: embedder.dimensions,
    vectors: "vectors-1",
    languages: [],
    hasReaders: true,
  }
  await createPages(connection)
  await createVectors(connection, manifest)
  await writeManifest(dir, manifest)
  return manifest
}

async function createPages(connection: Connection): Promise<void> {
  const pages = await create(connection, PAGES_TABLE, pagesSchema)
  await pages.createIndex("id", { config: Index.btree() })
  await pages.createIndex("key", { config: Index.btree() })
  await pages.createIndex("terms", { config: fullText() })
  await indexFilterColumns(pages)
}

async function createVectors(connection: Connection, manifest: Manifest): Promise<void> {
  const vectors = await create(connection, manifest.vectors, vectorsSchema(manifest.dimensions))
  await vectors.createIndex("page", { config: Index.btree() })
  await indexFilterColumns(vectors)
}

function create(connection: Connection, name: string, schema: Schema): Promise<Table> {
  return connection.createEmptyTable(name, schema)
}

/** Terms are already analysed, and separated by single spaces: LanceDB must not change them. */
const fullText = () =>
  Index.fts({
    baseTokenizer: "whitespace",
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    maxTokenLength: 1000,
    withPosition: false,
  })

async function indexFilterColumns(table: Table): Promise<void> {
  for (const column of ["host", "domain", "published"]) {
    await table.createIndex(column, { config: Index.btree() })
  }
  for (const column of ["language", "source", "topic", "country", "unsafe", READERS]) {
    await table.createIndex(column, { config: Index.bitmap() })
  }
}

/** Adds the readers column to tables from an earlier version, empty: anyone may read their pages. Safe to repeat after a crash. */
export async function addReaders({ pages, vectors }: Pick<Tables, "pages" | "vectors">): Promise<void> {
  for (const table of [pages, vectors]) {
    const { fields } = await table.schema()
    if (fields.some(({ name }) => name === READERS)) continue
    await table.addColumns([{ name: READERS, valueSql: "CAST(NULL AS STRING)" }])
    await table.createIndex(READERS, { config: Index.bitmap() })
  }
}
