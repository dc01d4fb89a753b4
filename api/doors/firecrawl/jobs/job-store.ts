import { sql } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { migrate, prepareOnce, type StateStore, type Step } from "#base/store/state-store.ts"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"

import type { WriteQueue } from "../../../identity/accounts/billing/write-queue.ts"
import {
  countStored,
  storeLimits,
  type StoredTable,
  type StoreLimits,
  StoredUse,
} from "../../../identity/accounts/limits/stored-use.ts"
import type { KeptByKey } from "../../../identity/accounts/limits/kept-by-key.ts"
import type { StoredBytes } from "../../../server/load/bounds.ts"
import { type KeyTurns, keyTurns } from "#base/work/key-turns.ts"
import type { Tracking } from "../../../identity/accounts/tracking.ts"
import type { FirecrawlDocument } from "../documents/document.ts"
import type { JobRequest } from "./crawl-request.ts"
import type { JobFrontier } from "./job-frontier.ts"

export type JobState = "waiting" | "scraping" | "completed" | "failed" | "cancelled"

/** Who asked for a job: what it is billed to. */
export interface JobOwner extends Tracking {
  readonly keyId: string
}

export interface FirecrawlJob {
  readonly id: string
  readonly owner: JobOwner
  readonly request: JobRequest
  readonly state: JobState
  /** Documents so far. */
  readonly completed: number
  /** Documents and failures so far. */
  readonly tried: number
  readonly credits: number
  readonly error: string | null
  readonly createdAt: Date
  /** When it was first worked on; null: it never was. */
  readonly begunAt: Date | null
  readonly endedAt: Date | null
}

/** A job whose turn has come, with what is left of it; null: all of it. */
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
/** One key may fill such a part, so that there is room left for the others. */
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

/** Jobs in state.db with what they have found, until it is forgotten. */
export class JobStore {
  readonly stored: StoredUse
  /** Turns among the keys whose jobs wait. */
  readonly turns: KeyTurns
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #writes: Pick<WriteQueue, "run">
  readonly #limits: StoreLimits
  readonly #kept: Pick<KeptByKey, "hasRoom">
  readonly #process: string | null

  /**
   * @param writes the queue that writes over the same connection
   * @param bytes that all documents may take; a quarter of them of one key
   * @param kept what each key has had kept in all
   * @param process id of this one among others on the same state; null: there is no other
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
    this.#sql = prepareOnce(db)
    const work = { table: "firecrawl_job", waiting: "waiting", working: "scraping" }
    this.turns = keyTurns("crawl-jobs", work, this.#sql)
    this.#writes = writes
    this.#kept = kept
    this.#limits = storeLimits(bytes, SHARE_OF_KEY)
  }

  /** Whether other processes may work on jobs meanwhile; without them all that is found under way at the start was left by a lost one. */
  get isShared(): boolean {
    return this.#process !== null
  }

  /** What all documents take, and may. */
  async storedBytes(): Promise<StoredBytes> {
    return { bytes: (await this.stored.all()).bytes, most: this.#limits.all.bytes }
  }

  /**
   * @param once the caller's own name of the job; null: it has none
   * @returns false when the key has begun a job of this name already
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
      const { changes } = await this.#sql(
        `insert into firecrawl_job (id, key_id, owner, request, state, created_at, once)
         values (?, ?, ?, ?, 'waiting', ?, ?) on conflict (key_id, once) where once is not null do nothing`,
      ).run(id, owner.keyId, ownerText, text, now.getTime(), once)
      return Number(changes) > 0
    })
  }

  /** The job that a key began under a name of its own. */
  async named(keyId: string, once: string): Promise<FirecrawlJob | null> {
    const row = await this.#sql("select * from firecrawl_job where key_id = ? and once = ?").get(keyId, once)
    return row ? toJob(row) : null
  }

  async get(id: string): Promise<FirecrawlJob | null> {
    const row = await this.#sql("select * from firecrawl_job where id = ?").get(id)
    return row ? toJob(row) : null
  }

  /** Those of a key that have not ended, oldest first. */
  async open(keyId: string): Promise<readonly FirecrawlJob[]> {
    return (
      await this.#sql(
        "select * from firecrawl_job where key_id = ? and state in ('waiting', 'scraping') order by created_at, id",
      ).all(keyId)
    ).map(toJob)
  }

  /** How many wait, of all keys and of one. */
  async waitingCounts(keyId: string): Promise<{ readonly all: number; readonly ofKey: number }> {
    const row = (await this.#sql(
      "select count(*) as n, count(*) filter (where key_id = ?) as mine from firecrawl_job where state = 'waiting'",
    ).get(keyId))!
    return { all: Number(row["n"]), ofKey: Number(row["mine"]) }
  }

  /** How many jobs of a key wait and are worked on, and when one of them was last completed, of those that are still kept. */
  async queueOf(keyId: string): Promise<{
    readonly waiting: number
    readonly active: number
    readonly lastSuccess: Date | null
  }> {
    const row = (await this.#sql(
      `select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'scraping') as active,
         max(ended_at) filter (where state = 'completed') as last from firecrawl_job where key_id = ?`,
    ).get(keyId))!
    return {
      waiting: Number(row["waiting"]),
      active: Number(row["active"]),
      lastSuccess: dateOrNull(row["last"]),
    }
  }

  /** Begins the job whose turn it is, or goes on with it; null when none waits. */
  async begin(now: Date): Promise<BegunJob | null> {
    return await this.#writes.run(async () => {
      const row = await this.#sql(
        `update firecrawl_job set state = 'scraping', process = ?1, turn_at = ?2, begun_at = coalesce(begun_at, ?2)
         where id = (${this.turns.nextId}) returning *`,
      ).get(this.#process, now.getTime())
      if (row === undefined) return null
      const job = toJob(row)
      const kept = await this.#sql("delete from firecrawl_frontier where job_id = ? returning frontier").get(
        job.id,
      )
      const frontier = kept === undefined ? null : (JSON.parse(kept["frontier"] as string) as JobFrontier)
      return { ...job, begunAt: job.begunAt ?? now, frontier }
    })
  }

  /** Has a job wait for its next turn. */
  async giveWay({ id, owner }: FirecrawlJob, frontier: JobFrontier): Promise<void> {
    const text = JSON.stringify(frontier)
    await this.#writes.run(async () => {
      const { changes } = await this.#sql(
        "update firecrawl_job set state = 'waiting' where id = ? and state = 'scraping'",
      ).run(id)
      if (Number(changes) > 0)
        await this.#sql("insert into firecrawl_frontier (job_id, key_id, frontier) values (?, ?, ?)").run(
          id,
          owner.keyId,
          text,
        )
    })
  }

  /** Whether there is room for another document of this key. */
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
      await this.#sql(
        `insert into firecrawl_result select id, tried, ?2, ?3, ?4, ?5 from firecrawl_job
         where id = ?1 and state = 'scraping'`,
      ).run(id, keyId, url, code, text)
      await this.#sql(
        `update firecrawl_job set tried = tried + 1, completed = completed + ?2 where id = ?1 and state = 'scraping'`,
      ).run(id, code === null ? 1 : 0)
    })
  }

  /** Documents in their order, as they were written, from a place on. */
  async *documents(
    id: string,
    skip: number,
  ): AsyncGenerator<{ readonly url: string; readonly text: string }> {
    const first = await this.#sql(
      "select place from firecrawl_result where job_id = ? and code is null order by place limit 1 offset ?",
    ).get(id, skip)
    for (let from = Number(first?.["place"] ?? Infinity); Number.isFinite(from); from += 1) {
      const row = await this.#sql(
        `select place, url, result from firecrawl_result
         where job_id = ? and code is null and place >= ? order by place limit 1`,
      ).get(id, from)
      if (row === undefined) return
      from = Number(row["place"])
      yield { url: row["url"] as string, text: row["result"] as string }
    }
  }

  /** A result at its place; null: it is no document, or gone. */
  async document(id: string, place: number): Promise<{ readonly url: string; readonly text: string } | null> {
    const row = await this.#sql(
      "select url, result from firecrawl_result where job_id = ? and place = ? and code is null",
    ).get(id, place)
    return row === undefined ? null : { url: row["url"] as string, text: row["result"] as string }
  }

  async failures(id: string): Promise<readonly StoredFailure[]> {
    return (
      await this.#sql(
        "select result from firecrawl_result where job_id = ? and code is not null order by place",
      ).all(id)
    ).map((row) => {
      const { at, ...failure } = JSON.parse(row["result"] as string) as StoredFailure & { at: string }
      return { ...failure, at: new Date(at) }
    })
  }

  /** For a transaction of the write queue. */
  async end(id: string, { state, credits, error }: JobEnd, now: Date): Promise<void> {
    await this.#sql(
      "update firecrawl_job set state = ?2, credits = ?3, error = ?4, ended_at = ?5 where id = ?1 and ended_at is null",
    ).run(id, state, credits, error, now.getTime())
    await this.#sql("delete from firecrawl_frontier where job_id = ?").run(id)
  }

  /**
   * Jobs of processes that are lost have failed, and keep the documents that they had found.
   * @returns true: other processes leave jobs that wait, too
   */
  async recover(now: Date): Promise<boolean> {
    const left = leftWork(this.#db, "firecrawl_job", "scraping")
    if (!(await left.isThere())) return true
    await this.#writes.run(() =>
      sql`update firecrawl_job set state = 'failed', error = ${RESTARTED}, ended_at = ${now.getTime()} where ${left.where}`.execute(
        queriesOf(this.#db),
      ),
    )
    return true
  }

  /** Forgets what ended before a time. */
  async forget(before: Date): Promise<void> {
    await this.#writes.run(async () => {
      await this.#sql(
        "delete from firecrawl_result where job_id in (select id from firecrawl_job where ended_at < ?)",
      ).run(before.getTime())
      await this.#sql("delete from firecrawl_job where ended_at < ?").run(before.getTime())
    })
  }
}

export const RESTARTED =
  "The appliance was stopped while it worked on this; what it had found by then is kept."

function toJob(row: Record<string, unknown>): FirecrawlJob {
  const date = (column: string) => new Date(Number(row[column]))
  return {
    id: row["id"] as string,
    owner: JSON.parse(row["owner"] as string) as JobOwner,
    request: JSON.parse(row["request"] as string) as JobRequest,
    state: row["state"] as JobState,
    completed: Number(row["completed"]),
    tried: Number(row["tried"]),
    credits: Number(row["credits"]),
    error: row["error"] as string | null,
    createdAt: date("created_at"),
    begunAt: dateOrNull(row["begun_at"]),
    endedAt: row["ended_at"] === null ? null : date("ended_at"),
  }
}
