import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { BUSY_MS, openToRead, useWal } from "#base/store/sqlite/busy.ts"
import { fileTransaction } from "#base/store/sqlite/sqlite-store.ts"
import type { Suggestion, SuggestionFilter, SuggestionQuery } from "../../engine.ts"
import type { StoredPage } from "../../index/page-record.ts"
import { domainRules } from "../../index/page/domains.ts"
import { type NamedPage, scopeWord, suggestible } from "./suggestible.ts"
import { typedWords } from "../../text/typed-words.ts"

/** Increased whenever the way names are stored changes: an older file is rebuilt from the pages. */
const FORMAT = 2
/** Number of pages written in one transaction, which blocks the event loop for a few milliseconds. */
const PAGES_AT_A_TIME = 10
/** Maximum number of typed words that are looked for. */
const MOST_WORDS = 12
/** Maximum number of names of each kind to look at, of which the best are shown: reading them takes about a millisecond. */
const LOOKED_AT = 200

/**
 * `names` contains the words and the scope of each row of `suggestion` under its rowid. It stores no copy of the text,
 * and indexes prefixes of one to three characters, since users type those first.
 */
const SCHEMA = `
  create table if not exists suggestion (
    id integer primary key,
    page text not null,
    kind text not null,
    text text not null,
    url text not null
  ) strict;
  create index if not exists suggestion_page on suggestion (page);
  create table if not exists suggested_page (
    id text primary key,
    revision integer not null,
    readers text
  ) strict, without rowid;
  create table if not exists expected_page (id text primary key) strict, without rowid;
  create virtual table if not exists names using fts5 (
    words, scope, content = '', contentless_delete = 1, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 0"
  );`

/**
 * Names of pages by the beginnings of their words, in a separate SQLite file. Everything in it comes from the pages: if
 * it is missing or behind, the writer of the index rebuilds it.
 *
 * One process writes; any number can read.
 */
export class SuggestionStore implements Disposable {
  readonly #db: DatabaseSync
  readonly #find: StatementSync
  readonly #statements = new Map<string, StatementSync>()
  #isClosed = false

  /**
   * Opens the file. When opened for writing, a missing file, or one in another format, is created anew.
   *
   * @throws Error if it isn't such a file
   */
  constructor(file: string, mode: "read" | "write") {
    this.#db = mode === "read" ? openToRead(file) : new DatabaseSync(file, { timeout: BUSY_MS })
    try {
      const { user_version: format } = this.#db.prepare("pragma user_version").get() as {
        user_version: number
      }
      if (mode === "write") {
        useWal(this.#db)
        this.#db.exec("pragma synchronous = normal")
      }
      if (format !== FORMAT) {
        if (mode === "read") throw new Error(`${file} has format ${format} and not ${FORMAT}.`)
        this.#makeAnew()
      }
      this.#find = this.#db.prepare(
        `select kind, text, url from names join suggestion on suggestion.id = names.rowid
         join suggested_page on suggested_page.id = suggestion.page
         where names match ?1
           and (?2 is null or readers is null or readers in (select value from json_each(?2)))
         limit ${LOOKED_AT}`,
      )
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  #makeAnew(): void {
    fileTransaction(this.#db, () => {
      this.#db.exec(
        "drop table if exists names; drop table if exists suggestion; drop table if exists suggested_page; drop table if exists expected_page; drop table if exists followed",
      )
      this.#db.exec(`${SCHEMA} pragma user_version = ${FORMAT}`)
    })
  }

  /** Whether some expected pages haven't been written yet, or no page has ever been written. */
  get isBehind(): boolean {
    const holds = (table: string) => this.#db.prepare(`select 1 from ${table} limit 1`).get() !== undefined
    return holds("expected_page") || !holds("suggested_page")
  }

  /** Notes pages that are about to be written or removed. */
  expect(ids: readonly string[]): void {
    fileTransaction(this.#db, () => {
      for (const id of ids) this.#run("insert or ignore into expected_page (id) values (?)", id)
    })
  }

  /** Forgets all expected pages, once the names have caught up with the index. */
  caughtUp(): void {
    this.#run("delete from expected_page")
  }

  /** Number of pages whose names are stored. */
  get count(): number {
    return this.#db.prepare("select count(*) as pages from suggested_page").get()!["pages"] as number
  }

  /** The index version up to which writes from other machines are included; 0 if none of them are. */
  get followed(): number {
    this.#db.exec("create table if not exists followed (version integer not null) strict")
    return (this.#db.prepare("select version from followed").get()?.["version"] as number | undefined) ?? 0
  }

  set followed(version: number) {
    fileTransaction(this.#db, () => {
      this.#run("delete from followed")
      this.#run("insert into followed (version) values (?)", version)
    })
  }

  /** Which of these pages aren't stored here in their current revision. */
  missing(pages: Iterable<Pick<StoredPage, "id" | "revision">>): string[] {
    const find = this.#statement("select revision from suggested_page where id = ?")
    return Array.from(pages).flatMap(({ id, revision }) =>
      find.get(id)?.["revision"] === revision ? [] : [id],
    )
  }

  /** Which of these pages aren't stored here in their current revision, and which stored pages aren't among them. */
  difference(pages: Iterable<Pick<StoredPage, "id" | "revision">>): {
    readonly missing: readonly string[]
    readonly gone: readonly string[]
  } {
    const known = new Map(
      this.#db
        .prepare("select id, revision from suggested_page")
        .all()
        .map((row) => [row["id"] as string, row["revision"] as number]),
    )
    const missing: string[] = []
    for (const { id, revision } of pages) {
      if (known.get(id) !== revision) missing.push(id)
      known.delete(id)
    }
    return { missing, gone: [...known.keys()] }
  }

  /** Replaces the names of these pages, in steps, so that the event loop stays free between them. */
  async write(pages: readonly NamedPage[]): Promise<void> {
    for (let from = 0; from < pages.length && !this.#isClosed; from += PAGES_AT_A_TIME) {
      fileTransaction(this.#db, () => {
        for (const page of pages.slice(from, from + PAGES_AT_A_TIME)) this.#writeOne(page)
      })
      await setImmediate()
    }
  }

  #writeOne(page: NamedPage): void {
    const { names, scope, readers } = suggestible(page)
    this.#removeOne(page.id)
    this.#run(
      "insert into suggested_page (id, revision, readers) values (?, ?, ?)",
      page.id,
      page.revision,
      readers,
    )
    const filed = { title: filedUnder("title", scope), heading: filedUnder("heading", scope) }
    for (const { text, kind, url, words } of names) {
      const { lastInsertRowid: id } = this.#run(
        "insert into suggestion (page, kind, text, url) values (?, ?, ?, ?)",
        page.id,
        kind,
        text,
        url,
      )
      this.#run("insert into names (rowid, words, scope) values (?, ?, ?)", id, words, filed[kind])
    }
  }

  remove(ids: readonly string[]): void {
    if (this.#isClosed) return
    fileTransaction(this.#db, () => {
      for (const id of ids) this.#removeOne(id)
    })
  }

  #removeOne(id: string): void {
    this.#run("delete from names where rowid in (select id from suggestion where page = ?)", id)
    this.#run("delete from suggestion where page = ?", id)
    this.#run("delete from suggested_page where id = ?", id)
    this.#run("delete from expected_page where id = ?", id)
  }

  /**
   * Names that begin with the typed text, then names that contain all its words; in each group, titles first and
   * shorter names before longer ones.
   */
  suggest({ text, limit, filter = {} }: SuggestionQuery): Suggestion[] {
    const words = typedWords(text).slice(0, MOST_WORDS)
    const readers = filter.readers ? JSON.stringify(filter.readers) : null
    if (words.length === 0 || limit < 1) return []
    const quoted = words.map((word) => `"${word}"`)
    const begins = `words : ^ ${quoted.join(" + ")} *`
    const holds = quoted.map((word) => `words : ${word} *`).join(" AND ")
    const found = new Map<string, Suggestion>()
    for (const typed of [begins, holds]) {
      for (const kind of ["title", "heading"]) {
        const scope = [...scopeOf(filter), `scope : ${scopeWord("kind", kind)}`]
        const left = [`(${typed})`, ...scope].join(" AND ")
        const { excludeSources = [] } = filter
        const out = excludeSources.map((name) => scopeWord("source", name)).join(" OR ")
        const match = out === "" ? left : `(${left}) NOT scope : (${out})`
        const rows = this.#find.all(match, readers)
        const names = rows as unknown as Suggestion[]
        for (const one of names.toSorted(byLength)) {
          const key = typedWords(one.text).join(" ")
          if (!found.has(key)) found.set(key, { ...one })
        }
        if (found.size >= limit) return [...found.values()].slice(0, limit)
      }
    }
    return [...found.values()]
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#db.close()
  }

  #run(sql: string, ...values: readonly SQLInputValue[]) {
    return this.#statement(sql).run(...values)
  }

  /** A statement, prepared when first used. */
  #statement(sql: string): StatementSync {
    let found = this.#statements.get(sql)
    if (found === undefined) this.#statements.set(sql, (found = this.#db.prepare(sql)))
    return found
  }
}

const filedUnder = (kind: Suggestion["kind"], scope: readonly string[]): string =>
  [...scope, scopeWord("kind", kind)].join(" ")

const byLength = (a: Suggestion, b: Suggestion): number =>
  a.text.length - b.text.length || (a.text < b.text ? -1 : a.text > b.text ? 1 : a.url < b.url ? -1 : 1)

/** Conditions of a full-text match, all of which must be met. */
function scopeOf({ sources = [], includeDomains = [] }: SuggestionFilter): string[] {
  const any = (words: readonly string[]) => `scope : (${words.join(" OR ")})`
  const onDomains = domainRules(includeDomains).map(({ domains, hosts, port }) => {
    const names = any([
      ...domains.map((name) => scopeWord("domain", name)),
      ...hosts.map((name) => scopeWord("host", name)),
    ])
    return port === null ? `(${names})` : `(${names} AND scope : ${scopeWord("port", String(port))})`
  })
  return [
    ...(sources.length > 0 ? [any(sources.map((name) => scopeWord("source", name)))] : []),
    ...(onDomains.length > 0 ? [`(${onDomains.join(" OR ")})`] : []),
  ]
}
