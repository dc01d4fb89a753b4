import { PAGE_OUTCOMES_SQL } from "../../outcome-name.ts"
import { migrateFrontier } from "./frontier-schema.ts"
import type { Engine, PageUrl } from "#engine"
import { replaceSql } from "#base/store/state-port.ts"
import { migrate, type StateStore, transaction } from "#base/store/state-store.ts"

const STEPS = [
  `create table lost_page (
     url text primary key,
     lost_at integer not null
   ) strict, without rowid`,
]

/** A process that reads the index sees a page so late at most. */
const READERS_FOLLOW_MS = 10_000
/** Addresses looked up before others have their turn. */
const AT_ONCE = 500

/**
 * Pages that crawls put into the index, and that it can no longer show: its files were damaged, or are gone. They are known as
 * lost until a visit finds them, or finds them gone.
 */
export class LostPages {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateFrontier(db)
    migrate(db, "lost-pages", STEPS)
  }

  /** Those that wait for a visit. */
  async count(): Promise<number> {
    const row = await this.#db
      .prepare(
        `select count(*) as n from lost_page join known_address using (url)
         where hash is null and visited_at <= lost_at and outcome in (${PAGE_OUTCOMES_SQL})`,
      )
      .get()
    return Number(row?.["n"])
  }

  /** Those, and all that the index should hold: what is missing when it holds none. */
  async expected(): Promise<number> {
    const row = await this.#db
      .prepare("select count(*) as n from known_address where hash is not null and visited_at < ?")
      .get(Date.now() - READERS_FOLLOW_MS)
    return Number(row?.["n"]) + (await this.count())
  }

  /**
   * Compares what crawls know with what the index can show. What it has lost is due at once, and is read anew: nothing is left
   * by which a site could say that it has not changed.
   *
   * @returns how many pages it has lost since it was compared last
   */
  async find(engine: Pick<Engine, "get">, signal: AbortSignal): Promise<number> {
    const after = this.#db.prepare(
      `select url from known_address where hash is not null and url > ? order by url limit ${AT_ONCE}`,
    )
    let lost = 0
    for (let last = ""; ;) {
      signal.throwIfAborted()
      const urls = (await after.all(last)).map((row) => row["url"] as PageUrl)
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
    const forget = this.#db.prepare(
      "update known_address set hash = null, etag = null, last_modified = null, copy = null, due_at = 0 where url = ?",
    )
    const note = this.#db.prepare(replaceSql("lost_page", ["url", "lost_at"], ["url"]))
    await transaction(this.#db, async () => {
      const now = Date.now()
      await this.#db
        .prepare("delete from lost_page where url not in (select url from known_address where hash is null)")
        .run()
      for (const url of urls) {
        await forget.run(url)
        await note.run(url, now)
      }
    })
  }
}
