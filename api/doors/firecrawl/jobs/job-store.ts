import { type Generated, type Selectable, sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"

import type { WriteQueue } from "../../../identity/accounts/billing/write-queue.ts"
import {
  countStored,
  storeLimits,
  type StoredTable,
  type StoreLimits,
  StoredUse,
} from "../../../identity/accounts/storage/stored-use.ts"
import type { KeptByKey } from "../../../identity/accounts/storage/kept-by-key.ts"
import type { StoredBytes } from "../../../server/load/bounds.ts"
import { type KeyTurns, keyTurns } from "#base/work/key-turns.ts"
import type { Tracking } from "../../../identity/accounts/tracking.ts"
import type { FirecrawlDocument } from "../documents/document.ts"
import type { JobRequest } from "./crawl-request.ts"
import type { JobFrontier } from "./job-frontier.ts"

export type JobState = "waiting" | "scraping" | "completed" | "failed" | "cancelled"

/** The caller that requested a job; the job is billed to it. */
export interface JobOwner extends Tracking {
  readonly keyId: string
}

export interface FirecrawlJob {
  readonly id: string
  readonly owner: JobOwner
  readonly request: JobRequest
  readonly state: JobState
  /** Number of documents so far. */
  readonly completed: number
  /** Number of documents and failures so far. */
  readonly tried: number
  readonly credits: number
  readonly error: string | null
  readonly createdAt: Date
  /** When work on the job first started; null if it never did. */
  readonly begunAt: Date | null
  readonly endedAt: Date | null
}

/** A running job with its remaining work, which is `null` if none of the work has been done yet. */
export interface BegunJob extends FirecrawlJob {
  readonly begunAt: Date
  readonly frontier: JobFrontier | null
}

export interface StoredFailure {
  readonly id: string
  readonly url: string
  readonly code: string
  readonly error: string
  readonly isRobots: boolean
  readonly at: Date
}

/** How a job ended. */
export interface JobEnd {
  readonly state: Extract<JobState, "completed" | "failed" | "cancelled">
  readonly credits: number
  readonly error: string | null
}

export const STORED_RESULTS: StoredTable = {
  table: "firecrawl_result",
  key: "key_id",
  columns: ["url", "result"],
}
export const STORED_JOBS: StoredTable = {
  table: "firecrawl_job",
  key: "key_id",
  columns: ["owner", "request"],
}
export const STORED_FRONTIERS: StoredTable = {
  table: "firecrawl_frontier",
  key: "key_id",
  columns: ["frontier"],
}
export interface FirecrawlTables {
  firecrawl_job: {
    id: string
    key_id: string
    owner: string
    request: string
    state: JobState
    completed: Generated<number>
    tried: Generated<number>
    credits: Generated<number>
    error: string | null
    created_at: number
    ended_at: number | null
    once: string | null
    process: string | null
    begun_at: number | null
    turn_at: number | null
  }
  firecrawl_result: {
    job_id: string
    place: number
    key_id: string
    url: string
    code: string | null
    result: string
  }
  firecrawl_frontier: { job_id: string; key_id: string; frontier: string }
}

/** One key may fill 1/SHARE_OF_KEY of the room, so that others have room as well. */
const SHARE_OF_KEY = 4

const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, strict, keyed } = words
    return `create table firecrawl_job (
     id ${text} primary key,
     key_id ${text} not null,
     owner ${text} not null,
     request ${text} not null,
     state ${text} not null check (state in ('waiting', 'scraping', 'completed', 'failed', 'cancelled')),
     completed ${integer} not null default 0,
     tried ${integer} not null default 0,
     credits ${integer} not null default 0,
     error ${text},
     created_at ${integer} not null,
     ended_at ${integer},
     once ${text},
     -- The process that works on it.
     process ${text},
     -- When it was first begun, and when its last turn began.
     begun_at ${integer},
     turn_at ${integer}
   ) ${strict};
   create index firecrawl_job_key on firecrawl_job (key_id, state);
   create index firecrawl_job_ended on firecrawl_job (ended_at) where ended_at is not null;
   create index firecrawl_job_waiting on firecrawl_job (created_at, id) where state = 'waiting';
   create unique index firecrawl_job_once on firecrawl_job (key_id, once) where once is not null;
   create table firecrawl_result (
     job_id ${text} not null,
     place ${integer} not null,
     key_id ${text} not null,
     url ${text} not null,
     code ${text},
     result ${text} not null,
     primary key (job_id, place)
   ) ${keyed};
   -- What a job that gave way has yet to do.
   create table firecrawl_frontier (job_id ${text} primary key, key_id ${text} not null, frontier ${text} not null) ${keyed};
   ${[STORED_RESULTS, STORED_JOBS, STORED_FRONTIERS].map((stored) => countStored(words, stored)).join(";\n")}`
  },
]

/** Jobs in state.db with their documents, until they are forgotten. */
export class JobStore {
  readonly stored: StoredUse
  /** Chooses the next job by taking turns among the keys whose jobs are waiting. */
  readonly turns: KeyTurns
  readonly #db: StateStore
  readonly #queries: Queries<FirecrawlTables>
  readonly #writes: Pick<WriteQueue, "run">
  readonly #limits: StoreLimits
  readonly #kept: Pick<KeptByKey, "hasRoom">
  readonly #process: string | null

  /**
   * @param writes the write queue of the same connection
   * @param bytes maximum size of all documents together; one key may take a quarter of it
   * @param kept the total amount stored for each key
   * @param process id of this process among those that share the state; null if it is the only one
   */
  constructor(
    db: StateStore,
    writes: Pick<WriteQueue, "run">,
    bytes: number,
    kept: Pick<KeptByKey, "hasRoom">,
    process: string | null = null,
  ) {
    migrateProcesses(db)
    migrate(db, "firecrawl", STEPS)
    this.#process = process
    this.stored = new StoredUse(db, STORED_RESULTS)
    this.#db = db
    this.#queries = queriesOf(db)
    const work = { table: "firecrawl_job", waiting: "waiting", working: "scraping" }
    this.turns = keyTurns("crawl-jobs", work, db)
    this.#writes = writes
    this.#kept = kept
    this.#limits = storeLimits(bytes, SHARE_OF_KEY)
  }

  /**
   * Whether other processes may work on jobs at the same time. If not, jobs in progress at startup belonged to a
   * process that has ended.
   */
  get isShared(): boolean {
    return this.#process !== null
  }

  /** The total size of all documents, in bytes, and its limit. */
  async storedBytes(): Promise<StoredBytes> {
    return { bytes: (await this.stored.all()).bytes, most: this.#limits.all.bytes }
  }

  /**
   * @param once the caller's own name for the job; null if it has none
   * @returns false when the key has already started a job with this name
   */
  async add(
    id: string,
    owner: JobOwner,
    request: JobRequest,
    now: Date,
    once: string | null = null,
  ): Promise<boolean> {
    const [ownerText, text] = [JSON.stringify(owner), JSON.stringify(request)]
    return await this.#writes.run(async () => {
      const { numInsertedOrUpdatedRows } = await this.#queries
        .insertInto("firecrawl_job")
        .values({
          id,
          key_id: owner.keyId,
          owner: ownerText,
          request: text,
          state: "waiting",
          created_at: now.getTime(),
          once,
        })
        .onConflict((conflict) =>
          conflict.columns(["key_id", "once"]).where("once", "is not", null).doNothing(),
        )
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows! > 0n
    })
  }

  /** The job that a key started under this idempotency name. */
  async named(keyId: string, once: string): Promise<FirecrawlJob | null> {
    const named = this.#jobs().where("key_id", "=", keyId).where("once", "=", once)
    const row = await named.executeTakeFirst()
    return row ? toJob(row) : null
  }

  async get(id: string): Promise<FirecrawlJob | null> {
    const row = await this.#jobs().where("id", "=", id).executeTakeFirst()
    return row ? toJob(row) : null
  }

  /** The jobs of a key that have not ended, oldest first. */
  async open(keyId: string): Promise<readonly FirecrawlJob[]> {
    const open = this.#jobs().where("key_id", "=", keyId).where("state", "in", ["waiting", "scraping"])
    return (await open.orderBy("created_at").orderBy("id").execute()).map(toJob)
  }

  /** How many jobs are waiting, in total and for one key. */
  async waitingCounts(keyId: string): Promise<{ readonly all: number; readonly ofKey: number }> {
    return await this.#queries
      .selectFrom("firecrawl_job")
      .select((eb) => [
        eb.fn.countAll<number>().as("all"),
        eb.fn.countAll<number>().filterWhere("key_id", "=", keyId).as("ofKey"),
      ])
      .where("state", "=", sql.lit("waiting"))
      .executeTakeFirstOrThrow()
  }

  /** How many of a key's jobs are waiting, how many are active, and when one was last completed; only jobs still stored are included. */
  async queueOf(keyId: string): Promise<{
    readonly waiting: number
    readonly active: number
    readonly lastSuccess: Date | null
  }> {
    const { last, ...counts } = await this.#queries
      .selectFrom("firecrawl_job")
      .select((eb) => [
        eb.fn.countAll<number>().filterWhere("state", "=", "waiting").as("waiting"),
        eb.fn.countAll<number>().filterWhere("state", "=", "scraping").as("active"),
        eb.fn.max<number | null>("ended_at").filterWhere("state", "=", "completed").as("last"),
      ])
      .where("key_id", "=", keyId)
      .executeTakeFirstOrThrow()
    return { ...counts, lastSuccess: dateOrNull(last) }
  }

  /** Begins or resumes the next job; null when none is waiting. */
  async begin(now: Date): Promise<BegunJob | null> {
    return await this.#writes.run(async () => {
      const row = await this.#queries
        .updateTable("firecrawl_job")
        .set((eb) => ({
          state: "scraping",
          process: this.#process,
          turn_at: now.getTime(),
          begun_at: eb.fn.coalesce("begun_at", eb.val(now.getTime())),
        }))
        .where("id", "=", this.turns.nextId)
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) return null
      const job = toJob(row)
      const kept = await this.#queries
        .deleteFrom("firecrawl_frontier")
        .where("job_id", "=", job.id)
        .returning("frontier")
        .executeTakeFirst()
      const frontier = kept === undefined ? null : (JSON.parse(kept.frontier) as JobFrontier)
      return { ...job, begunAt: job.begunAt ?? now, frontier }
    })
  }

  /** Puts a job back to wait for its next turn. */
  async giveWay({ id, owner }: FirecrawlJob, frontier: JobFrontier): Promise<void> {
    const text = JSON.stringify(frontier)
    await this.#writes.run(async () => {
      const { numUpdatedRows } = await this.#underWay(id).set({ state: "waiting" }).executeTakeFirst()
      if (numUpdatedRows > 0n)
        await this.#queries
          .insertInto("firecrawl_frontier")
          .values({ job_id: id, key_id: owner.keyId, frontier: text })
          .execute()
    })
  }

  /** Whether this key has room for another document. */
  async hasRoom(keyId: string): Promise<boolean> {
    return !(await this.stored.isFull(keyId, this.#limits)) && (await this.#kept.hasRoom(keyId))
  }

  async addDocument({ id, owner }: FirecrawlJob, url: string, document: FirecrawlDocument): Promise<void> {
    await this.#addResult(id, owner.keyId, url, null, JSON.stringify(document))
  }

  async addFailure({ id, owner }: FirecrawlJob, failure: StoredFailure): Promise<void> {
    await this.#addResult(id, owner.keyId, failure.url, failure.code, JSON.stringify(failure))
  }

  async #addResult(id: string, keyId: string, url: string, code: string | null, text: string): Promise<void> {
    await this.#writes.run(async () => {
      await this.#queries
        .insertInto("firecrawl_result")
        .columns(["job_id", "place", "key_id", "url", "code", "result"])
        .expression(
          this.#queries
            .selectFrom("firecrawl_job")
            .select((eb) => [
              "id",
              "tried",
              eb.val(keyId).as("key"),
              eb.val(url).as("url"),
              eb.val(code).as("code"),
              eb.val(text).as("result"),
            ])
            .where("id", "=", id)
            .where("state", "=", "scraping"),
        )
        .execute()
      await this.#underWay(id)
        .set((eb) => ({
          tried: eb("tried", "+", 1),
          completed: eb("completed", "+", code === null ? 1 : 0),
        }))
        .execute()
    })
  }

  /** Documents in the order they were written, starting at a given position. */
  async *documents(
    id: string,
    skip: number,
  ): AsyncGenerator<{ readonly url: string; readonly text: string }> {
    const documents = this.#documents(id).orderBy("place").limit(1)
    const first = await documents.offset(skip).executeTakeFirst()
    for (let from = first?.place ?? Infinity; Number.isFinite(from); from += 1) {
      const row = await documents.where("place", ">=", from).executeTakeFirst()
      if (row === undefined) return
      from = row.place
      yield { url: row.url, text: row.result }
    }
  }

  /** A result by its position; null if it isn't a document, or is gone. */
  async document(id: string, place: number): Promise<{ readonly url: string; readonly text: string } | null> {
    const row = await this.#documents(id).where("place", "=", place).executeTakeFirst()
    return row === undefined ? null : { url: row.url, text: row.result }
  }

  async failures(id: string): Promise<readonly StoredFailure[]> {
    const failures = this.#queries
      .selectFrom("firecrawl_result")
      .select("result")
      .where("job_id", "=", id)
      .where("code", "is not", null)
      .orderBy("place")
    return (await failures.execute()).map((row) => {
      const { at, ...failure } = JSON.parse(row.result) as StoredFailure & { at: string }
      return { ...failure, at: new Date(at) }
    })
  }

  /** Must run in a transaction of the write queue. */
  async end(id: string, { state, credits, error }: JobEnd, now: Date): Promise<void> {
    await this.#queries
      .updateTable("firecrawl_job")
      .set({ state, credits, error, ended_at: now.getTime() })
      .where("id", "=", id)
      .where("ended_at", "is", null)
      .execute()
    await this.#queries.deleteFrom("firecrawl_frontier").where("job_id", "=", id).execute()
  }

  /**
   * Marks jobs as failed if their process has ended; they keep the documents found so far.
   * @returns true: jobs left over from other processes may be waiting, too
   */
  async recover(now: Date): Promise<boolean> {
    const left = leftWork(this.#db, "firecrawl_job", "scraping")
    if (!(await left.isThere())) return true
    await this.#writes.run(() =>
      this.#queries
        .updateTable("firecrawl_job")
        .set({ state: "failed", error: RESTARTED, ended_at: now.getTime() })
        .where(left.where)
        .execute(),
    )
    return true
  }

  /** Deletes jobs that ended before a given time. */
  async forget(before: Date): Promise<void> {
    await this.#writes.run(async () => {
      await this.#queries
        .deleteFrom("firecrawl_result")
        .where("job_id", "in", (eb) =>
          eb.selectFrom("firecrawl_job").select("id").where("ended_at", "<", before.getTime()),
        )
        .execute()
      await this.#queries.deleteFrom("firecrawl_job").where("ended_at", "<", before.getTime()).execute()
    })
  }

  #jobs() {
    return this.#queries.selectFrom("firecrawl_job").selectAll()
  }

  #underWay(id: string) {
    return this.#queries.updateTable("firecrawl_job").where("id", "=", id).where("state", "=", "scraping")
  }

  #documents(id: string) {
    return this.#queries
      .selectFrom("firecrawl_result")
      .select(["place", "url", "result"])
      .where("job_id", "=", id)
      .where("code", "is", null)
  }
}

export const RESTARTED = "The appliance was stopped during this job; the documents found by then are kept."

const toJob = (row: Selectable<FirecrawlTables["firecrawl_job"]>): FirecrawlJob => ({
  id: row.id,
  owner: JSON.parse(row.owner) as JobOwner,
  request: JSON.parse(row.request) as JobRequest,
  state: row.state,
  completed: row.completed,
  tried: row.tried,
  credits: row.credits,
  error: row.error,
  createdAt: new Date(row.created_at),
  begunAt: dateOrNull(row.begun_at),
  endedAt: dateOrNull(row.ended_at),
})
