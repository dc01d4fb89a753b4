import path from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import type { StoredPage } from "./schema.ts"

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

  private constructor(db: DatabaseSync) {
    this.#db = db
    this.#read = db.prepare("select * from page where id = ?")
    this.#remove = db.prepare("delete from page where id = ?")
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

  async write(pages: readonly StoredPage[]): Promise<void> {
    for (let at = 0; at < pages.length; at += PAGES_AT_A_TIME) {
      this.#transaction(() => {
        for (const { id, revision, title, details, passages, markdown } of pages.slice(
          at,
          at + PAGES_AT_A_TIME,
        )) {
          this.#write.run(id, revision, title, details, passages, markdown)
        }
      })
      await setImmediate()
    }
  }

  remove(ids: readonly string[]): void {
    this.#transaction(() => {
      for (const id of ids) this.#remove.run(id)
    })
  }

  clear(): void {
    this.#db.exec("delete from page")
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
