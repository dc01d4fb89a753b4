import type { OutcomeName } from "../../outcome-name.ts"
import type { PageUrl } from "#engine"
import type { Job } from "../../job.ts"
import type { KnownAddresses } from "./known-addresses.ts"
import type { CrawlUrl, FrontierTables } from "./frontier-schema.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

/**
 * How often the crawler's process may be lost while it reads a page. The first time, other pages were being read too;
 * after that the page is read alone, so by the third time there is no doubt.
 */
const MAX_STRIKES = 3

const note = once((q: Queries<FrontierTables>, { job, url, reading }: CrawlUrl<"reading">) =>
  q.updateTable("crawl_url").set({ reading }).where("job", "=", job).where("url", "=", url),
)

/**
 * Pages that may have killed the crawler's process. Each page is recorded before it is read, so that the process
 * started after a crash knows which pages were being read. Such a page is then read while no other is, and left out if
 * that process is lost as well: a page that kills its reader costs one page, not the job.
 */
export class Suspects {
  readonly #db: StateStore
  readonly #job: number
  readonly #source: string
  readonly #known: KnownAddresses
  readonly #strikes = new Map<PageUrl, number>()
  readonly #begun = new Set<PageUrl>()
  /** Pages that have been read, but are still recorded as being read, so that one transaction serves two pages. */
  readonly #ended = new Set<PageUrl>()

  private constructor(db: StateStore, { id, source }: Pick<Job, "id" | "source">, known: KnownAddresses) {
    this.#db = db
    this.#job = id
    this.#source = source.name
    this.#known = known
  }

  /** Only the process that works on the job may open them: any existing record was left behind by a lost process. */
  static async open(
    db: StateStore,
    job: Pick<Job, "id" | "source">,
    known: KnownAddresses,
  ): Promise<Suspects> {
    const suspects = new Suspects(db, job, known)
    await suspects.#read()
    return suspects
  }

  async #read(): Promise<void> {
    await this.#unread()
      .set((eb) => ({ strikes: eb("strikes", "+", 1) }))
      .where("outcome", "is", null)
      .execute()
    const rows = await queriesOf<FrontierTables>(this.#db)
      .selectFrom("crawl_url")
      .select(["url", "strikes"])
      .where("job", "=", this.#job)
      .where("strikes", ">", 0)
      .where("outcome", "is", null)
      .execute()
    for (const { url, strikes } of rows) this.#strikes.set(url, strikes)
  }

  /** Records that a page is about to be read, and that pages finished in the meantime are no longer being read. */
  async begin(url: PageUrl): Promise<void> {
    this.#begun.add(url)
    const ended = [...this.#ended]
    this.#ended.clear()
    const job = this.#job
    await transaction(this.#db, async () => {
      for (const one of ended) await note.run(this.#db, { job, url: one, reading: 0 })
      await note.run(this.#db, { job, url, reading: 1 })
    })
  }

  /** Call this when reading the page did no harm; its outcome may still be pending. */
  end(url: PageUrl): void {
    if (this.#begun.delete(url)) this.#ended.add(url)
  }

  /** Call this when the page has its outcome. */
  forget(url: PageUrl): void {
    this.#begun.delete(url)
    this.#ended.delete(url)
    this.#strikes.delete(url)
  }

  /** Call this when the crawl stops normally, so that the pages it was reading do not become suspects. */
  async release(): Promise<void> {
    this.#begun.clear()
    this.#ended.clear()
    await this.#unread().execute()
  }

  /** Clears the records of pages being read. */
  #unread() {
    return queriesOf<FrontierTables>(this.#db)
      .updateTable("crawl_url")
      .set({ reading: 0 })
      .where("job", "=", this.#job)
      .where("reading", "=", 1)
  }

  /** Whether a page must be read while no other is. */
  async isSuspect(url: PageUrl): Promise<boolean> {
    return (await this.#count(url)) > 0
  }

  /** Why a page is no longer read, or `null`. */
  async verdict(url: PageUrl): Promise<string | null> {
    return (await this.#count(url)) < MAX_STRIKES
      ? null
      : "the crawler's process crashed each time it read the page"
  }

  /** A page that an earlier run left out gets one more chance. */
  async #count(url: PageUrl): Promise<number> {
    const now = this.#strikes.get(url) ?? 0
    const before = (await this.#known.get(url, this.#source))?.outcome === CRASHED ? MAX_STRIKES - 1 : 0
    return now + before
  }
}

const CRASHED: OutcomeName = "failed:crashed"
