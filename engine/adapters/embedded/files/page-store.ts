import { existsSync } from "node:fs"
import path from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import { unwritableBecause } from "#base/disk-space.ts"
import { BUSY_MS, openToRead, useWal } from "#base/store/sqlite/busy.ts"
import { isDamagedSqlite } from "#base/store/lock-file.ts"
import { damagedFile } from "./damaged-file.ts"
import { counted, derivedSum, pageSum } from "./page-sum.ts"
import type { PageFacts } from "../../../index/page/page-facts.ts"
import type { Passage } from "../../../index/page/passage.ts"
import type { PageHead, PageRow, StoredPage } from "../../../index/page-record.ts"

/** Number of characters written in one transaction (a long page has its own), because the event loop is blocked during each. */
const CHARS_AT_A_TIME = 200_000
export const PAGES_DB = "pages.db"
/** Bytes of memory for cached page facts, enough for about five thousand pages; a question reads the facts of thirty. */
const FACTS_MEMORY = new CacheMemory("page-facts", 4 * 1024 * 1024)
/** Bytes of memory that a parsed fact takes up per character of its JSON; the measured value is 1.2. */
const BYTES_PER_CHAR = 2
/** SQLite's number for the mode in which a file can be shortened step by step. */
const INCREMENTAL = 2
/** The share of a file's pages that may stay empty for later writes; half for a file that would have to be rewritten. */
const LOOSE = 0.1
const LOOSE_REWRITTEN = 0.5
/**
 * In file pages: the minimum to give back, because less than a megabyte isn't worth it, and the number given back at a
 * time, two megabytes, because the event loop is blocked meanwhile.
 */
const LEAST_GIVEN_BACK = 64
const GIVEN_BACK_AT_A_TIME = 128
/** Number of passages that one statement reads from a page. */
const PASSAGES_AT_A_TIME = 8

/**
 * Rows are tens to hundreds of kilobytes. With larger file pages and a mapped file, a row is read in a few steps
 * instead of hundreds of system calls; mapped memory belongs to the system's cache and is released when memory is
 * short. A checkpoint copies four megabytes while the event loop waits.
 */
const BEFORE_WAL = "pragma page_size = 16384; pragma mmap_size = 1073741824"
/** Lets `giveBack` cut the file pages of deleted rows off the end of the file. Only for new files: setting this on an existing file would write to it. */
const OF_A_NEW_FILE = "pragma auto_vacuum = incremental"
// The trigger is for older versions, which don't know about checksums: rows they write have none.
const SCHEMA = `
  pragma wal_autocheckpoint = 250;
  pragma synchronous = normal;
  create table if not exists page (
    id text primary key,
    revision integer not null,
    title text not null,
    details text not null,
    passages blob not null,
    markdown text not null
  ) strict;
  create table if not exists facts (
    id text primary key,
    facts text not null
  ) strict, without rowid;
  create table if not exists passage_terms (
    id text primary key,
    packed blob not null
  ) strict;
  create index if not exists page_revision on page (id, revision);
  create table if not exists page_sum (
    id text primary key,
    page integer not null,
    derived integer not null
  ) strict, without rowid;
  create trigger if not exists page_written after insert on page begin delete from page_sum where id = new.id; end`

/** Ids are passed as one JSON array: a statement for each page would take three times as long. */
const ANY_OF = "id in (select value from json_each(?))"

/** A page with everything stored about it. */
type WholePage = StoredPage & Pick<PageRow, "facts" | "passage_terms">

/**
 * The pages themselves, by id: the content that hits show, in an SQLite file next to the tables used to find it.
 *
 * A page is written here before it is written to the tables, and removed from the tables before it is removed here, so
 * that every page that is found can be read. `interrupted-writes.ts` completes anything a killed process left
 * unfinished.
 */
export class PageStore implements Disposable {
  readonly #db: DatabaseSync
  readonly #read: StatementSync
  readonly #heads: StatementSync
  readonly #markdown: StatementSync
  /** Statements indexed by the number of passages read, minus two. */
  readonly #somePassages: readonly StatementSync[]
  readonly #write: StatementSync
  readonly #remove: StatementSync
  readonly #readFacts: StatementSync
  readonly #writeFacts: StatementSync
  readonly #removeFacts: StatementSync
  /** Parsed facts, valid until another process writes to the file. */
  readonly #facts = new ByteLru<string, PageFacts>(FACTS_MEMORY)
  #factsVersion: unknown
  readonly #version: StatementSync
  readonly #readTerms: StatementSync
  readonly #writeTerms: StatementSync
  readonly #removeTerms: StatementSync
  readonly #readSum: StatementSync
  readonly #writeSum: StatementSync
  readonly #removeSum: StatementSync
  readonly #onDamage: (id: string) => void

  private constructor(db: DatabaseSync, onDamage: (id: string) => void) {
    this.#db = db
    this.#onDamage = onDamage
    this.#readSum = db.prepare("select page, derived from page_sum where id = ?")
    this.#writeSum = db.prepare("insert or replace into page_sum (id, page, derived) values (?, ?, ?)")
    this.#removeSum = db.prepare("delete from page_sum where id = ?")
    this.#read = db.prepare(
      "select id, revision, title, details, json(passages) as passages, markdown from page where id = ?",
    )
    this.#heads = db.prepare(`select id, revision, title, details from page where ${ANY_OF}`)
    this.#markdown = db.prepare("select markdown from page where id = ? and revision = ?")
    // SQLite returns the value itself for a single path and an array for several, so there are always at least two
    // paths.
    this.#somePassages = Array.from({ length: PASSAGES_AT_A_TIME - 1 }, (_, i) =>
      db.prepare(
        `select json_extract(passages, ?${", ?".repeat(i + 1)}) as passages from page where id = ? and revision = ?`,
      ),
    )
    this.#remove = db.prepare("delete from page where id = ?")
    this.#readFacts = db.prepare(`select id, facts from facts where ${ANY_OF}`)
    this.#version = db.prepare("pragma data_version")
    this.#removeFacts = db.prepare("delete from facts where id = ?")
    this.#writeFacts = db.prepare("insert or replace into facts (id, facts) values (?, ?)")
    this.#readTerms = db.prepare(`select id, packed from passage_terms where ${ANY_OF}`)
    this.#removeTerms = db.prepare("delete from passage_terms where id = ?")
    this.#writeTerms = db.prepare("insert or replace into passage_terms (id, packed) values (?, ?)")
    this.#write = db.prepare(
      "insert or replace into page (id, revision, title, details, passages, markdown) values (?, ?, ?, ?, jsonb(?), ?)",
    )
  }

  /**
   * Opens the store of an index. Any number of processes can do so.
   *
   * @param onDamage called for each page that turns out to be damaged when it is read
   * @throws EngineError `INDEX_DAMAGED` when the file is missing or isn't a store
   */
  static open(dir: string, onDamage: (id: string) => void = () => {}): PageStore {
    if (!existsSync(path.join(dir, PAGES_DB))) throw damagedFile(dir, PAGES_DB, "is missing")
    try {
      return PageStore.#open(dir, onDamage, (db) => {
        // An empty file is a valid SQLite database.
        if (!db.prepare("select 1 from sqlite_master where name = 'page'").get())
          throw damagedFile(dir, PAGES_DB, "contains no pages")
      })
    } catch (error) {
      throw isDamagedSqlite(error) ? damagedFile(dir, PAGES_DB, "is damaged", { cause: error }) : error
    }
  }

  /** Like {@link open}, but creates the store if it is missing. */
  static make(dir: string): PageStore {
    return PageStore.#open(
      dir,
      () => {},
      () => {},
    )
  }

  static #open(dir: string, onDamage: (id: string) => void, check: (db: DatabaseSync) => void): PageStore {
    const file = path.join(dir, PAGES_DB)
    const isReadOnly = unwritableBecause(dir) !== null
    const db = isReadOnly ? openToRead(file) : new DatabaseSync(file, { timeout: BUSY_MS })
    try {
      check(db)
      db.exec(BEFORE_WAL)
      if (isReadOnly) return new PageStore(db, onDamage)
      if (!db.prepare("select 1 from sqlite_master").get()) db.exec(OF_A_NEW_FILE)
      useWal(db)
      db.exec(SCHEMA)
      return new PageStore(db, onDamage)
    } catch (error) {
      db.close()
      throw error
    }
  }

  get count(): number {
    return Number(this.#db.prepare("select count(*) as n from page indexed by page_revision").get()?.["n"])
  }

  /** The stored pages, ordered by id, without damaged ones. */
  read(ids: readonly string[]): StoredPage[] {
    return ids.flatMap((id) => {
      const page = this.#readWhole(id)
      const sum = page && this.#readSum.get(id)
      if (!page || !sum || sum["page"] === pageSum(page)) return page ?? []
      this.#onDamage(id)
      return []
    })
  }

  #readWhole(id: string): StoredPage | undefined {
    try {
      return this.#read.get(id) as StoredPage | undefined
    } catch (error) {
      // SQLite's error text for a value that is no longer valid JSON.
      if (!String(error).includes("malformed JSON")) throw error
      this.#onDamage(id)
      return undefined
    }
  }

  /**
   * Describes the damage to the file as the rest of a sentence, or `null`. Reads the whole file.
   *
   * @param breathe awaited between pages
   */
  async damage(breathe: () => Promise<void>): Promise<string | null> {
    try {
      const [first] = this.#db.prepare("pragma quick_check(1)").all()
      const said = String(Object.values(first ?? {})[0])
      if (said !== "ok") return `is damaged (${said.replaceAll(/\s+/g, " ")})`
      const damaged = new Set<string>()
      for (const { id } of this.revisions()) {
        await breathe()
        const page = this.#readWhole(id)
        const sum = this.#readSum.get(id)
        if (!page) damaged.add(id)
        if (!page || !sum) continue
        const facts = String(anyOf(this.#readFacts, [id])[0]?.["facts"])
        const passage_terms = this.passageTerms([id]).get(id) ?? new Uint8Array()
        const derived = derivedSum({ facts, passage_terms })
        if (sum["page"] !== pageSum(page) || sum["derived"] !== derived) damaged.add(id)
      }
      return damaged.size === 0 ? null : `differs from what was written (in ${counted(damaged.size, "page")})`
    } catch (error) {
      return `is damaged (${(error as Error).message})`
    }
  }

  /** Ids of the pages after an id, in order. */
  idsAfter(id: string, limit: number): string[] {
    const rows = this.#db.prepare("select id from page where id > ? order by id limit ?").all(id, limit)
    return rows.map((row) => row["id"] as string)
  }

  /** Pages in any order, without their texts, because the texts account for most of the cost of reading a page. */
  heads(ids: readonly string[]): PageHead[] {
    return anyOf(this.#heads, ids) as unknown as PageHead[]
  }

  /** Empty if the page was replaced after its head was read. */
  markdown({ id, revision }: PageHead): string {
    return (this.#markdown.get(id, revision)?.["markdown"] as string | undefined) ?? ""
  }

  /**
   * The passages at the given positions: on a page with two hundred passages, reading five takes a tenth of the time
   * that reading all of them takes.
   */
  passagesAt({ id, revision }: PageHead, positions: readonly number[]): Map<number, Passage> {
    const found = new Map<number, Passage>()
    for (let from = 0; from < positions.length; from += PASSAGES_AT_A_TIME) {
      const some = positions.slice(from, from + PASSAGES_AT_A_TIME)
      const paths = (some.length === 1 ? [some[0]!, some[0]!] : some).map((position) => `$[${position}]`)
      const row = this.#somePassages[paths.length - 2]!.get(...paths, id, revision)
      const passages = JSON.parse((row?.["passages"] as string | undefined) ?? "[]") as (Passage | null)[]
      for (const [i, position] of some.entries()) if (passages[i]) found.set(position, passages[i])
    }
    return found
  }

  /** The page facts needed for ranking, by id. They are in separate rows, so that hundreds can be read in a millisecond. */
  facts(ids: readonly string[]): Map<string, PageFacts> {
    const known = this.#knownFacts()
    const found = new Map(ids.map((id) => [id, known.get(id)]))
    const unknown = ids.filter((id) => found.get(id) === undefined)
    for (const row of unknown.length > 0 ? anyOf(this.#readFacts, unknown) : []) {
      const json = row["facts"] as string
      const facts = JSON.parse(json) as PageFacts
      known.set(row["id"] as string, facts, json.length * BYTES_PER_CHAR)
      found.set(row["id"] as string, facts)
    }
    return new Map([...found].flatMap(([id, facts]) => (facts ? [[id, facts] as const] : [])))
  }

  /** SQLite's data version changes when other connections write to the file, but not when this one does. */
  #knownFacts(): ByteLru<string, PageFacts> {
    const version = this.#version.get()?.["data_version"]
    if (version !== this.#factsVersion) this.#facts.clear()
    this.#factsVersion = version
    return this.#facts
  }

  /** The terms of pages' passages by page id, as `passage-terms.ts` packs them. */
  passageTerms(ids: readonly string[]): Map<string, Uint8Array> {
    const rows = anyOf(this.#readTerms, ids)
    return new Map(rows.map((row) => [row["id"] as string, row["packed"] as Uint8Array]))
  }

  async write(pages: readonly WholePage[]): Promise<void> {
    for (let from = 0, to = 0; from < pages.length; from = to) {
      for (let chars = 0; to < pages.length && (to === from || chars < CHARS_AT_A_TIME); to++) {
        chars += pages[to]!.markdown.length + pages[to]!.passages.length
      }
      this.#transaction(() => {
        for (const page of pages.slice(from, to)) {
          const { id, revision, title, details, passages, markdown, facts } = page
          this.#write.run(id, revision, title, details, passages, markdown)
          this.#writeFacts.run(id, facts)
          this.#writeTerms.run(id, page.passage_terms)
          this.#writeSum.run(id, pageSum(page), derivedSum(page))
        }
      })
      await setImmediate()
    }
  }

  remove(ids: readonly string[]): void {
    this.#transaction(() => {
      for (const id of ids) {
        this.#remove.run(id)
        this.#removeFacts.run(id)
        this.#removeTerms.run(id)
        this.#removeSum.run(id)
      }
    })
  }

  /**
   * Returns the space of deleted pages to the file system, except for some room for new pages.
   *
   * @param mayRewrite whether a file from an older version may be rewritten, without which its space can't be returned:
   * while it is being rewritten, no other process can write, and the copy takes up disk space
   */
  async giveBack({ mayRewrite }: { readonly mayRewrite: boolean }): Promise<void> {
    const isWhole = this.#pragma("auto_vacuum") !== INCREMENTAL
    const isLoose = () => this.#free() > this.#pragma("page_count") * (isWhole ? LOOSE_REWRITTEN : LOOSE)
    if (isWhole) {
      if (mayRewrite && isLoose()) this.#db.exec("pragma auto_vacuum = incremental; vacuum")
    } else {
      while (isLoose()) {
        const before = this.#free()
        this.#db.exec(`pragma incremental_vacuum(${GIVEN_BACK_AT_A_TIME})`)
        if (this.#free() === before) break
        await setImmediate()
      }
    }
    // The file becomes shorter when the write-ahead log is merged into it.
    this.#db.exec("pragma wal_checkpoint(passive)")
  }

  /** Number of empty pages in the file. */
  #free(): number {
    const free = this.#pragma("freelist_count")
    return free < LEAST_GIVEN_BACK ? 0 : free
  }

  #pragma(name: string): number {
    return Number(Object.values(this.#db.prepare(`pragma ${name}`).get() ?? {})[0])
  }

  clear(): void {
    this.#facts.clear()
    this.#db.exec("delete from page; delete from facts; delete from passage_terms; delete from page_sum")
  }

  /** Id and revision of every page. */
  revisions(): IterableIterator<Pick<StoredPage, "id" | "revision">> {
    const all = this.#db.prepare("select id, revision from page indexed by page_revision").iterate()
    return all as unknown as IterableIterator<Pick<StoredPage, "id" | "revision">>
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  #transaction(work: () => void): void {
    this.#facts.clear()
    this.#db.exec("begin immediate")
    try {
      work()
      this.#db.exec("commit")
    } catch (error) {
      // SQLite rolls back on its own when the disk is full.
      if (this.#db.isTransaction) this.#db.exec("rollback")
      throw error
    }
  }
}

/** @param statement a statement with `ANY_OF` */
const anyOf = (statement: StatementSync, ids: readonly string[]) => statement.all(JSON.stringify(ids))
