import type { StatementSync } from "node:sqlite"
import type { PageUrl } from "#engine"
import type { Clock } from "./clock.ts"
import type { StateStore } from "./state-store.ts"

/** What a visit taught about an address. */
export interface Visited {
  readonly url: PageUrl
  /** In its own words: `indexed`, `unchanged`, `skipped:robots`, `failed:dns`. */
  readonly outcome: string
  readonly detail: string | null
  /** Hash of the page as indexed; null when the index holds none any more; left out when an earlier one stands. */
  readonly hash?: string | null
  /** Of the page as indexed; left out when an earlier one stands. */
  readonly title?: string
  /** HTTP status of an answer that was an error. */
  readonly status?: number | undefined
  /** The other address that its redirect or canonical names. */
  readonly leadsTo?: PageUrl | undefined
}

/** All that is known of one address. Times are milliseconds since 1970; null: never. */
export interface KnownAddress {
  readonly url: PageUrl
  /** Name of the source whose job visited it last. */
  readonly source: string
  /** The job that visited it last. */
  readonly job: number
  readonly outcome: string
  readonly detail: string | null
  /** Hash of the page as the index holds it; null when it holds none. */
  readonly hash: string | null
  /** Of the page when it was last indexed; null when it never was. */
  readonly title: string | null
  readonly visitedAt: number
  readonly changedAt: number | null
  /** Of the last visit, if it ended with an error of the site's. */
  readonly status: number | null
  /** The other address that a redirect or canonical named at the last visit. */
  readonly leadsTo: PageUrl | null
}

/**
 * What all crawls together know of each address they visited, in `state.db`: the memory from one run to the next.
 * A frontier belongs to one job and is emptied after it.
 */
export class KnownAddresses {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
  }

  /** Keeps how visits ended. Runs in the caller's transaction. */
  record(job: number, source: string, visits: readonly Visited[]): void {
    const now = this.#clock()
    const keep = this.#prepare(
      `insert into known_address (url, source, job, outcome, detail, visited_at, hash, changed_at, title, status, leads_to)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, case when ?7 is null then null else ?6 end, ?9, ?10, ?11)
       on conflict (url) do update set source = ?2, job = ?3, outcome = ?4, detail = ?5, visited_at = ?6,
         status = ?10, leads_to = ?11,
         changed_at = case when ?8 = 0 or hash is ?7 then changed_at else ?6 end,
         hash = case when ?8 = 0 then hash else ?7 end, title = coalesce(?9, title)`,
    )
    for (const { url, outcome, detail, hash, title, status, leadsTo } of visits) {
      keep.run(
        url,
        source,
        job,
        outcome,
        detail,
        now,
        hash ?? null,
        hash === undefined ? 0 : 1,
        title ?? null,
        status ?? null,
        leadsTo ?? null,
      )
    }
  }

  /** What is known of an address, or null. */
  get(url: PageUrl): KnownAddress | null {
    const row = this.#prepare("select * from known_address where url = ?").get(url)
    if (!row) return null
    return {
      url,
      source: String(row["source"]),
      job: Number(row["job"]),
      outcome: String(row["outcome"]),
      detail: row["detail"] as string | null,
      hash: row["hash"] as string | null,
      title: row["title"] as string | null,
      visitedAt: Number(row["visited_at"]),
      changedAt: row["changed_at"] as number | null,
      status: row["status"] as number | null,
      leadsTo: row["leads_to"] as PageUrl | null,
    }
  }

  /** Hash under which the page was indexed by any crawl, or null. */
  hashOf(url: PageUrl): string | null {
    const row = this.#prepare("select hash from known_address where url = ?").get(url)
    return (row?.["hash"] ?? null) as string | null
  }

  /** Takes down that the index holds the page now, or with null no more. Runs in the caller's transaction. */
  setHash(url: PageUrl, hash: string | null): void {
    this.#prepare("update known_address set hash = ?, changed_at = ? where url = ?").run(
      hash,
      this.#clock(),
      url,
    )
  }

  /** Pages that the index holds, as far as crawls know. */
  pages(): number {
    return Number(
      this.#prepare("select count(*) as n from known_address where hash is not null").get()?.["n"],
    )
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }
}
