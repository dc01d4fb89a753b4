import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { isHeldSql, isKnownSql, pageCount, wasFoundSql } from "../../crawl/frontier/source-pages.ts"
import { isJobSql } from "../../jobs/job-in-sql.ts"
import { migrateJobs } from "../../jobs/job-schema.ts"
import type { PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { type RemovalReason } from "./evidence.ts"
import { migrateRemovals } from "./removal-schema.ts"
import { RemovedCopies } from "./removed-copies.ts"

/**
 * - `struck`: there is evidence, not yet enough.
 * - `held`: enough, but too many at once: waits for the operator.
 * - `approved`: to be taken out of the index by the process that writes it.
 * - `removed`: out of the index, a copy is kept.
 * - `restoring`: to be put back by the process that writes the index.
 */
export type RemovalState = "struck" | "held" | "approved" | "removed" | "restoring"

/** A page that was removed, or that may be. */
export interface Removal {
  readonly url: PageUrl
  readonly source: string
  readonly state: RemovalState
  readonly reason: RemovalReason
  /** The reason in words, as the last visit had it. */
  readonly detail: string | null
  /** Runs that found evidence, one after the other. */
  readonly strikes: number
  /** The run that found the latest evidence. */
  readonly job: number
  /** When it did; when the page was removed, if it was. */
  readonly at: Date
  /** Until when it can be restored; null for what is not removed. */
  readonly keptUntil: Date | null
}

/** Removals of a source that wait for the operator's yes. */
export interface HeldRemovals {
  readonly source: string
  readonly pages: number
  /** Pages of the source that the index holds, those among them. */
  readonly ofPages: number
  readonly reasons: Readonly<Partial<Record<RemovalReason, number>>>
  /** The run that found the latest evidence, and when. */
  readonly job: number
  readonly at: Date
}

/** What one run did. */
export interface RunRemovals {
  /** Pages taken out of the index on its evidence, at its end or when the operator agreed. */
  readonly removed: number
  /** Pages of its source that waited for the operator when it ended. */
  readonly held: number
}

export interface RemovalList {
  readonly source?: string
  /** Default 100. */
  readonly limit?: number
  readonly offset?: number
}

/** Which removed pages: those addresses, all of a source, or all on the evidence of one run. */
export type RemovedPages =
  | { readonly urls: readonly string[] }
  | { readonly source: string }
  | { readonly job: number }

/**
 * What runs found to be gone, and the operator's word on it, in `state.db`. All calls are short.
 * What is decided here is done by the process that holds the index for writing (`carryOutRemovals`), which looks for
 * {@link hasWork}.
 */
export class Removals {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #copies: RemovedCopies

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#copies = new RemovedCopies(db)
    this.#clock = clock
    // What is asked of them is about addresses and jobs.
    migrateJobs(db)
    migrateRemovals(db)
  }

  /** Sources with removals that wait, by name. */
  async held(): Promise<HeldRemovals[]> {
    const bySource = new Map<string, HeldRemovals>()
    for (const row of await this.#prepare(
      `select source, reason, count(*) as pages, max(job) as job, max(at) as at from removal
       where state = 'held' group by source, reason order by source, reason`,
    ).all()) {
      const source = String(row["source"])
      const was = bySource.get(source)
      const pages = Number(row["pages"])
      bySource.set(source, {
        source,
        pages: pages + (was?.pages ?? 0),
        ofPages: was?.ofPages ?? (await this.#pagesOf(source)),
        reasons: { ...was?.reasons, [String(row["reason"])]: pages },
        job: Math.max(Number(row["job"]), was?.job ?? 0),
        at: new Date(Math.max(Number(row["at"]), was?.at.getTime() ?? 0)),
      })
    }
    return [...bySource.values()]
  }

  /** Pages in one state, by address. */
  async list(state: RemovalState, { source, limit = 100, offset = 0 }: RemovalList = {}): Promise<Removal[]> {
    return (
      await this.#prepare(
        `select * from removal where state = ?1 and (?2 is null or source = ?2) order by source, url limit ?3 offset ?4`,
      ).all(state, source ?? null, limit, offset)
    ).map(removalOf)
  }

  /** How many pages are in one state. */
  async count(state: RemovalState, source?: string): Promise<number> {
    const row = await this.#prepare(
      "select count(*) as n from removal where state = ?1 and (?2 is null or source = ?2)",
    ).get(state, source ?? null)
    return Number(row?.["n"])
  }

  /** What each source has against one address, the latest evidence first. */
  async of(url: PageUrl): Promise<Removal[]> {
    return (await this.#prepare("select * from removal where url = ? order by at desc, source").all(url)).map(
      removalOf,
    )
  }

  /** What a run did; null for one that is not over or was not the kind to judge. */
  async ofRun(job: number): Promise<RunRemovals | null> {
    const row = await this.#prepare("select removed, held from removal_run where job = ?").get(job)
    return row ? { removed: Number(row["removed"]), held: Number(row["held"]) } : null
  }

  /** The operator's yes: what waits of the source is removed. @returns how many pages. */
  async approve(source: string): Promise<number> {
    const { changes } = await this.#prepare(
      "update removal set state = 'approved' where state = 'held' and source = ?",
    ).run(source)
    return Number(changes)
  }

  /**
   * The operator's no: what waits of the source stays in the index, and only fresh evidence of two runs counts
   * against it. @returns how many pages.
   */
  async reject(source: string): Promise<number> {
    const { changes } = await this.#prepare(
      `update removal set state = 'struck', strikes = 0, due = 0, pinned = 1 where state = 'held' and source = ?`,
    ).run(source)
    return Number(changes)
  }

  /**
   * Asks for removed pages to be put back as they were. From then on only fresh evidence of two runs counts against
   * them. @returns how many of them can be.
   */
  async restore(pages: RemovedPages): Promise<number> {
    const ask = (where: string) =>
      this.#prepare(
        `update removal set state = 'restoring' where state = 'removed' and ${where}
         and (url, source) in (select url, source from removed_page)`,
      )
    return await transaction(this.#db, async () => {
      if ("source" in pages) return Number((await ask("source = ?").run(pages.source)).changes)
      if ("job" in pages) return Number((await ask("job = ?").run(pages.job)).changes)
      const one = ask("url = ?")
      let restored = 0
      for (const url of pages.urls) restored += Number((await one.run(url)).changes)
      return restored
    })
  }

  /** Whether the process that writes the index has something to remove or to put back. */
  async hasWork(): Promise<boolean> {
    return (
      (await this.#prepare(
        "select 1 from removal where state in ('approved', 'restoring') limit 1",
      ).get()) !== undefined
    )
  }

  /** Forgets what was said against pages that a run found where they were, or that are in the index no more. */
  async acquit(job: number): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#prepare(
        `delete from removal where state <> 'restoring' and ${wasFoundSql("removal.url", "removal.source", "?")}`,
      ).run(job)
      await this.#prepare(
        `delete from removal where state in ('struck', 'held') and not ${isHeldSql("removal.url", "removal.source")}`,
      ).run()
    })
  }

  /** Drops the copies whose time is over, and all that concerns addresses which are known no more (a deleted source's). */
  async purge(): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#prepare("delete from removal where state = 'removed' and expires_at <= ?").run(
        this.#clock(),
      )
      await this.#prepare(
        `delete from removal where not ${isKnownSql("removal.url", "removal.source")}`,
      ).run()
      await this.#copies.dropForgotten()
      await this.#prepare(`delete from removal_run where not ${isJobSql("removal_run.job")}`).run()
    })
  }

  /** Forgets addresses of which nothing is left but that there is nothing, once no removal can be taken back there. */
  async forgetDead(): Promise<void> {
    await new KnownAddresses(this.#db, this.#clock).forgetDead(
      (url, source) =>
        `exists (select 1 from removal where removal.url = ${url} and removal.source = ${source})`,
    )
  }

  async #pagesOf(source: string): Promise<number> {
    return await pageCount(this.#db, source)
  }
}

function removalOf(row: Record<string, unknown>): Removal {
  return {
    url: row["url"] as PageUrl,
    source: String(row["source"]),
    state: row["state"] as RemovalState,
    reason: row["reason"] as RemovalReason,
    detail: row["detail"] as string | null,
    strikes: Number(row["strikes"]),
    job: Number(row["job"]),
    at: new Date(Number(row["at"])),
    keptUntil: row["expires_at"] === null ? null : new Date(Number(row["expires_at"])),
  }
}
