import { existsSync, rmSync } from "node:fs"
import { isDamagedSqlite } from "#base/store/lock-file.ts"
import type { Suggestion, SuggestionQuery } from "../../engine.ts"
import type { StoredPage } from "../../index/page-record.ts"
import type { NamedPage } from "./suggestible.ts"
import { SuggestionStore } from "./suggestion-store.ts"

/** Number of pages read at a time when names are rebuilt. */
const READ_AT_A_TIME = 20

/** The pages of an index, for catching up. */
export interface NamedPages {
  /** Id and revision of every page. */
  revisions(): PromiseLike<Iterable<Pick<StoredPage, "id" | "revision">>>
  /** Runs `take` with those of the pages that exist, and blocks writes to them meanwhile. */
  read(ids: readonly string[], take: (pages: readonly NamedPage[]) => Promise<void>): Promise<void>
}

export interface SuggestionsOptions {
  readonly file: string
  readonly mode: "read" | "write"
  /** Called when something fails: a page can be found without being suggested, so a failure never keeps a page out of the index. */
  readonly onProblem?: ((error: unknown) => void) | undefined
}

/** The suggested names of an index's pages, for one engine: kept up to date by the engine that writes, read by all. */
export class Suggestions implements AsyncDisposable {
  readonly #options: SuggestionsOptions
  #store: SuggestionStore | null = null
  #catchingUp: Promise<void> = Promise.resolve()
  #isClosing = false
  /** The pages that names are rebuilt from. */
  #pages: NamedPages | null = null
  #isMadeAnew = false

  constructor(options: SuggestionsOptions) {
    this.#options = options
    if (options.mode === "write") this.#store = this.#open()
  }

  /** Whether a writer was stopped midway, or nothing is stored yet. */
  get isBehind(): boolean {
    try {
      return this.#store !== null && this.#store.isBehind
    } catch {
      // The file is damaged: catching up rebuilds it.
      return true
    }
  }

  /** Called before pages are written or removed, so that leftovers from a killed process can be found. */
  expect(ids: readonly string[]): Promise<void> {
    return this.#trying((store) => store.expect(ids))
  }

  write(pages: readonly NamedPage[]): Promise<void> {
    return this.#trying((store) => store.write(pages))
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#trying((store) => store.remove(ids))
  }

  /** Number of pages whose names are stored here. */
  get count(): number {
    return this.#store?.count ?? 0
  }

  /** The index version up to which writes from other machines are included; 0 if none of them are. */
  get followed(): number {
    return this.#store?.followed ?? 0
  }

  set followed(version: number) {
    if (this.#store && !this.#isClosing) this.#store.followed = version
  }

  /** Adds missing names and drops old ones, in the background, until the engine is closed; resolves when that is done. */
  catchUp(pages: NamedPages): Promise<void> {
    this.#pages = pages
    this.#catchingUp = this.#trying(async (store) => {
      const { missing, gone } = store.difference(await pages.revisions())
      store.remove(gone)
      await this.#read(store, pages, missing)
      if (!this.#isClosing) store.caughtUp()
    })
    return this.#catchingUp
  }

  /** Adds the missing names of these pages. */
  bring(changed: readonly Pick<StoredPage, "id" | "revision">[], pages: NamedPages): Promise<void> {
    return this.#trying((store) => this.#read(store, pages, store.missing(changed)))
  }

  async #read(store: SuggestionStore, pages: NamedPages, ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length && !this.#isClosing; from += READ_AT_A_TIME) {
      await pages.read(ids.slice(from, from + READ_AT_A_TIME), (some) => store.write(some))
    }
  }

  /** The matching names; null if there are no names on this machine. */
  suggest(query: SuggestionQuery): readonly Suggestion[] | null {
    try {
      if (this.#store === null && existsSync(this.#options.file)) this.#store = this.#open()
      return this.#store?.suggest(query) ?? null
    } catch (error) {
      this.#options.onProblem?.(error)
      // A writer may have rebuilt the file, so reopen it next time.
      this.#store?.[Symbol.dispose]()
      this.#store = null
      return null
    }
  }

  /** A file that can't be opened is rebuilt: everything in it comes from the pages. */
  #open(): SuggestionStore | null {
    const { file, mode, onProblem } = this.#options
    try {
      return new SuggestionStore(file, mode)
    } catch (error) {
      onProblem?.(error)
      return mode === "read" ? null : this.#makeAnew()
    }
  }

  #makeAnew(): SuggestionStore | null {
    const { file, onProblem } = this.#options
    try {
      for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
      return new SuggestionStore(file, "write")
    } catch (error) {
      onProblem?.(error)
      return null
    }
  }

  async #trying(work: (store: SuggestionStore) => void | Promise<void>): Promise<void> {
    try {
      if (this.#store !== null && !this.#isClosing) await work(this.#store)
    } catch (error) {
      if (this.#isClosing) return
      this.#options.onProblem?.(error)
      // The file is only rebuilt once: if the new one is damaged too, another one won't help.
      if (!isDamagedSqlite(error) || this.#isMadeAnew || this.#options.mode === "read") return
      this.#isMadeAnew = true
      this.#store?.[Symbol.dispose]()
      this.#store = this.#makeAnew()
      if (this.#pages) void this.catchUp(this.#pages)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await this.#catchingUp
    this.#store?.[Symbol.dispose]()
    this.#store = null
  }
}
