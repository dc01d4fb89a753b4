import path from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import type { PageFacts } from "../../page-facts.ts"
import type { PageRow, StoredPage } from "./schema.ts"

/** Pages written in one transaction: about a megabyte, so that the event loop is not held up for long. */
const PAGES_AT_A_TIME = 20
const BUSY_MS = 10_000

const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  create table if not exists page (
    id text primary key,
    revision integer not null,
    title text not null,
    details text not null,
    passages text not null,
    markdown text not null
  ) strict;
  create table if not exists facts (
    id text primary key,
    facts text not null
  ) strict, without rowid;
  create index if not exists page_revision on page (id, revision)`

/**
 * The pages themselves, by id: what a hit shows, in an SQLite file beside the tables that find it.
 *
 * A page is written here before it is written there, and removed there before it is removed here, so that
 * whoever finds a page can read it. `interrupted-writes.ts` finishes what a killed process left in between.
 */
export class PageStore implements Disposable {
  readonly #db: DatabaseSync
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #remove: StatementSync
  readonly #readFacts: StatementSync
  readonly #writeFacts: StatementSync
  readonly #removeFacts: StatementSync

  private constructor(db: DatabaseSync) {
    this.#db = db
    this.#read = db.prepare("select * from page where id = ?")
    this.#remove = db.prepare("delete from page where id = ?")
    this.#readFacts = db.prepare("select facts from facts where id = ?")
    this.#removeFacts = db.prepare("delete from facts where id = ?")
    this.#writeFacts = db.prepare("insert or replace into facts (id, facts) values (?, ?)")
    this.#write = db.prepare(
      "insert or replace into page (id, revision, title, details, passages, markdown) values (?, ?, ?, ?, ?, ?)",
    )
  }

  /** Opens the store of an index, and makes it when it is not there. Any number of processes may. */
  static open(dir: string): PageStore {
    const db = new DatabaseSync(path.join(dir, "pages.db"), { timeout: BUSY_MS })
    try {
      db.exec(SCHEMA)
      return new PageStore(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** The pages that are here, in the order of their ids. */
  read(ids: readonly string[]): StoredPage[] {
    return ids.flatMap((id) => (this.#read.get(id) as StoredPage | undefined) ?? [])
  }

  /** What ranking asks of pages, by their ids: a row of its own, so that hundreds are read in a millisecond. */
  facts(ids: readonly string[]): Map<string, PageFacts> {
    const known = new Map<string, PageFacts>()
    for (const id of ids) {
      const row = this.#readFacts.get(id)
      if (row) known.set(id, JSON.parse(row["facts"] as string) as PageFacts)
    }
    return known
  }

  async write(pages: readonly (StoredPage & Pick<PageRow, "facts">)[]): Promise<void> {
    for (let at = 0; at < pages.length; at += PAGES_AT_A_TIME) {
      this.#transaction(() => {
        for (const page of pages.slice(at, at + PAGES_AT_A_TIME)) {
          const { id, revision, title, details, passages, markdown, facts } = page
          this.#write.run(id, revision, title, details, passages, markdown)
          this.#writeFacts.run(id, facts)
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
      }
    })
  }

  clear(): void {
    this.#db.exec("delete from page; delete from facts")
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
    this.#db.exec("begin immediate")
    try {
      work()
      this.#db.exec("commit")
    } catch (error) {
      this.#db.exec("rollback")
      throw error
    }
  }
}
