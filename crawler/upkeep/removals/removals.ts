import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { isHeld, isKnown, pageCount, wasFound } from "../../crawl/frontier/source-pages.ts"
import { expressionBuilder, type Selectable, type Updateable } from "kysely"
import { isJob } from "../../jobs/job-in-sql.ts"
import { migrateJobs } from "../../jobs/job-schema.ts"
import type { PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { type RemovalReason } from "./evidence.ts"
import { migrateRemovals, type RemovalState, type RemovalTables } from "./removal-schema.ts"
import { RemovedCopies } from "./removed-copies.ts"

export type { RemovalState }

/** A page that was removed or might be removed. */
export interface Removal {
  readonly url: PageUrl
  readonly source: string
  readonly state: RemovalState
  readonly reason: RemovalReason
  /** The reason in words, as given by the last visit. */
  readonly detail: string | null
  /** Number of consecutive runs that found evidence. */
  readonly strikes: number
  /** The run that found the latest evidence. */
  readonly job: number
  /** The time of the latest evidence, or of the removal if the page was removed. */
  readonly at: Date
  /** The time until which the page can be restored; `null` for pages that are not removed. */
  readonly keptUntil: Date | null
}

/** Removals of a source that are waiting for the operator's approval. */
export interface HeldRemovals {
  readonly source: string
  readonly pages: number
  /** Number of the source's pages in the index, including those waiting for approval. */
  readonly ofPages: number
  readonly reasons: Readonly<Partial<Record<RemovalReason, number>>>
  /** The run that found the latest evidence, and the time of that evidence. */
  readonly job: number
  readonly at: Date
}

/** The results of one run. */
export interface RunRemovals {
  /** The number of pages removed from the index because of the run's evidence, at the end of the run or when the operator approved the removal. */
  readonly removed: number
  /** The number of pages of the run's source that were waiting for the operator when the run ended. */
  readonly held: number
}

export interface RemovalList {
  readonly source?: string
  /** Default 100. */
  readonly limit?: number
  readonly offset?: number
}

/** In this state, only new evidence from two runs counts against a page. */
export const ACQUITTED = { state: "struck", strikes: 0, due: 0, pinned: 1 } as const

/** A selection of removed pages: the given addresses, all pages of a source, or all pages removed because of one run's evidence. */
export type RemovedPages =
  | { readonly urls: readonly string[] }
  | { readonly source: string }
  | { readonly job: number }

/**
 * The pages that runs found to be gone, and the operator's decisions, in `state.db`. All calls are short. Decisions
 * made here are carried out by the process that has the index open for writing (`carryOutRemovals`), which checks
 * {@link hasWork}.
 */
export class Removals {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #queries: Queries<RemovalTables>
  readonly #copies: RemovedCopies

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#queries = queriesOf(db)
    this.#copies = new RemovedCopies(db)
    this.#clock = clock
    // Queries about removals also read the tables of addresses and jobs.
    migrateJobs(db)
    migrateRemovals(db)
  }

  /** Removals waiting for the operator's approval, sorted by source name. */
  async held(): Promise<HeldRemovals[]> {
    const bySource = new Map<string, HeldRemovals>()
    const rows = await this.#queries
      .selectFrom("removal")
      .select(["source", "reason"])
      .select((eb) => [
        eb.fn.countAll<number>().as("pages"),
        eb.fn.max("job").as("job"),
        eb.fn.max("at").as("at"),
      ])
      .where("state", "=", "held")
      .groupBy(["source", "reason"])
      .orderBy("source")
      .orderBy("reason")
      .execute()
    for (const { source, reason, pages, job, at } of rows) {
      const was = bySource.get(source)
      bySource.set(source, {
        source,
        pages: pages + (was?.pages ?? 0),
        ofPages: was?.ofPages ?? (await pageCount(this.#db, source)),
        reasons: { ...was?.reasons, [reason]: pages },
        job: Math.max(job, was?.job ?? 0),
        at: new Date(Math.max(at, was?.at.getTime() ?? 0)),
      })
    }
    return [...bySource.values()]
  }

  /** Pages in one state, by address. */
  async list(state: RemovalState, { source, limit = 100, offset = 0 }: RemovalList = {}): Promise<Removal[]> {
    const rows = await this.#inState(state, source)
      .selectAll()
      .orderBy("source")
      .orderBy("url")
      .limit(limit)
      .offset(offset)
      .execute()
    return rows.map(removalOf)
  }

  /** Number of pages in one state. */
  async count(state: RemovalState, source?: string): Promise<number> {
    const { n } = await this.#inState(state, source)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow()
    return n
  }

  /** Each source's evidence against one address, the latest first. */
  async of(url: PageUrl): Promise<Removal[]> {
    const ofUrl = this.#queries.selectFrom("removal").selectAll().where("url", "=", url)
    return (await ofUrl.orderBy("at", "desc").orderBy("source").execute()).map(removalOf)
  }

  /** A run's removals; `null` for a run that hasn't ended or judges nothing. */
  async ofRun(job: number): Promise<RunRemovals | null> {
    const run = this.#queries.selectFrom("removal_run").select(["removed", "held"]).where("job", "=", job)
    return (await run.executeTakeFirst()) ?? null
  }

  /** Approves the removal of the source's waiting pages. @returns the number of pages. */
  async approve(source: string): Promise<number> {
    return await this.#settle(source, { state: "approved" })
  }

  /**
   * Rejects the removal: the source's waiting pages stay in the index, and only new evidence from two runs counts
   * against them. @returns the number of pages.
   */
  async reject(source: string): Promise<number> {
    return await this.#settle(source, ACQUITTED)
  }

  /**
   * Requests that removed pages be put back as they were. From then on only new evidence from two runs counts against
   * them. @returns how many of them can be restored.
   */
  async restore(pages: RemovedPages): Promise<number> {
    const copies = this.#queries
      .selectFrom("removed_page")
      .select(["url", "source"])
      .$asTuple("url", "source")
    let asked = this.#queries
      .updateTable("removal")
      .set({ state: "restoring" })
      .where("state", "=", "removed")
      .where((eb) => eb(eb.refTuple("url", "source"), "in", copies))
    if ("source" in pages) asked = asked.where("source", "=", pages.source)
    else if ("job" in pages) asked = asked.where("job", "=", pages.job)
    else asked = asked.where("url", "in", listed(pages.urls as readonly PageUrl[]))
    return Number((await asked.executeTakeFirst()).numUpdatedRows)
  }

  /** Whether the process that writes the index has something to remove or to put back. */
  async hasWork(): Promise<boolean> {
    const toDo = this.#queries
      .selectFrom("removal")
      .select("url")
      .where("state", "in", ["approved", "restoring"])
    return (await toDo.limit(1).executeTakeFirst()) !== undefined
  }

  /** Deletes the evidence against pages that a run found again, or that are no longer in the index. */
  async acquit(job: number): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#queries
        .deleteFrom("removal")
        .where("state", "<>", "restoring")
        .where((eb) => wasFound(eb.ref("removal.url"), eb.ref("removal.source"), job))
        .execute()
      await this.#queries
        .deleteFrom("removal")
        .where("state", "in", ["struck", "held"])
        .where((eb) => eb.not(isHeld(eb.ref("removal.url"), eb.ref("removal.source"))))
        .execute()
    })
  }

  /** Drops expired copies, and all records of addresses that are no longer known (from a deleted source). */
  async purge(): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#queries
        .deleteFrom("removal")
        .where("state", "=", "removed")
        .where("expires_at", "<=", this.#clock())
        .execute()
      await this.#queries
        .deleteFrom("removal")
        .where((eb) => eb.not(isKnown(eb.ref("removal.url"), eb.ref("removal.source"))))
        .execute()
      await this.#copies.dropForgotten()
      await this.#queries
        .deleteFrom("removal_run")
        .where((eb) => eb.not(isJob(eb.ref("removal_run.job"))))
        .execute()
    })
  }

  /** Deletes addresses about which nothing is known except that they have no page, once it is too late to undo the removal of any of them. */
  async forgetDead(): Promise<void> {
    const removals = this.#queries.selectFrom("removal").select("removal.url")
    await new KnownAddresses(this.#db, this.#clock).forgetDead((url, source) =>
      expressionBuilder().exists(
        removals.where("removal.url", "=", url).where("removal.source", "=", source),
      ),
    )
  }

  #inState(state: RemovalState, source: string | undefined) {
    const inState = this.#queries.selectFrom("removal").where("state", "=", state)
    return source === undefined ? inState : inState.where("source", "=", source)
  }

  /** @returns how many of the source's pages were waiting */
  async #settle(source: string, word: Updateable<RemovalTables["removal"]>): Promise<number> {
    const held = this.#queries.updateTable("removal").where("state", "=", "held").where("source", "=", source)
    return Number((await held.set(word).executeTakeFirst()).numUpdatedRows)
  }
}

const removalOf = (row: Selectable<RemovalTables["removal"]>): Removal => ({
  url: row.url,
  source: row.source,
  state: row.state,
  reason: row.reason,
  detail: row.detail,
  strikes: row.strikes,
  job: row.job,
  at: new Date(row.at),
  keptUntil: dateOrNull(row.expires_at),
})
