import { PAGE_OUTCOMES } from "../../outcome-name.ts"
import { type FrontierTables, migrateFrontier } from "./frontier-schema.ts"
import type { Engine, PageUrl } from "#engine"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"

interface LostTables {
  lost_page: { url: PageUrl; lost_at: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) => `create table lost_page (
     url ${text} primary key,
     lost_at ${integer} not null
   ) ${keyed}`,
]

/** The maximum delay until a process that reads the index sees a new page. */
const READERS_FOLLOW_MS = 10_000
/** Number of addresses looked up before other work gets a turn. */
const AT_ONCE = 500

/**
 * Pages that crawls put into the index, but that it can no longer show, because its files were damaged or are gone.
 * They count as lost until a visit finds them or finds that they are gone.
 */
export class LostPages {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateFrontier(db)
    migrate(db, "lost-pages", STEPS)
  }

  /** Number of lost pages that are waiting for a visit. */
  async count(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("lost_page")
      .innerJoin("known_address", "known_address.url", "lost_page.url")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("hash", "is", null)
      .whereRef("visited_at", "<=", "lost_at")
      .where("outcome", "in", PAGE_OUTCOMES)
      .executeTakeFirstOrThrow()
    return n
  }

  /** Counts the pages that the index should contain, including the lost pages: if the index is empty, all of these are lost. */
  async expected(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("known_address")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("hash", "is not", null)
      .where("visited_at", "<", Date.now() - READERS_FOLLOW_MS)
      .executeTakeFirstOrThrow()
    return n + (await this.count())
  }

  /**
   * Compares the crawls' records with the pages that the index can show. Lost pages are due at once and are read in
   * full: the validators are dropped, so a site cannot answer that a page has not changed.
   *
   * @returns how many pages the index has lost since the last comparison
   */
  async find(engine: Pick<Engine, "get">, signal: AbortSignal): Promise<number> {
    const held = this.#queries
      .selectFrom("known_address")
      .select("url")
      .where("hash", "is not", null)
      .orderBy("url")
      .limit(AT_ONCE)
    let lost = 0
    for (let last = "" as PageUrl; ;) {
      signal.throwIfAborted()
      const urls = (await held.where("url", ">", last).execute()).map(({ url }) => url)
      if (urls.length === 0) return lost
      const gone: PageUrl[] = []
      for (const url of urls) if ((await engine.get(url)) === null) gone.push(url)
      await this.#note(gone)
      lost += gone.length
      last = urls.at(-1)!
    }
  }

  async #note(urls: readonly PageUrl[]): Promise<void> {
    if (urls.length === 0) return
    await transaction(this.#db, async () => {
      const now = Date.now()
      await this.#queries
        .deleteFrom("lost_page")
        .where("url", "not in", (eb) =>
          eb.selectFrom("known_address").select("known_address.url").where("hash", "is", null),
        )
        .execute()
      for (const url of urls) {
        await this.#queries
          .updateTable("known_address")
          .set({ hash: null, etag: null, last_modified: null, copy: null, due_at: 0 })
          .where("url", "=", url)
          .execute()
        await this.#queries
          .insertInto("lost_page")
          .values({ url, lost_at: now })
          .onConflict((conflict) => conflict.column("url").doUpdateSet({ lost_at: now }))
          .execute()
      }
    })
  }

  get #queries(): Queries<FrontierTables & LostTables> {
    return queriesOf(this.#db)
  }
}
