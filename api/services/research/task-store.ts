import { sql } from "kysely"
import { queriesOf } from "#base/store/query/queries.ts"
import type { DegradedPart } from "#base/flow/degraded.ts"
import { migrate, prepareOnce, type StateStore, type Step } from "#base/store/state-store.ts"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"

import type { KeptByKey } from "../../identity/accounts/limits/kept-by-key.ts"
import type { Tracking } from "../../identity/accounts/tracking.ts"
import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "../../identity/accounts/limits/stored-use.ts"
import type { WriteQueue } from "../../identity/accounts/billing/write-queue.ts"
import type { StoredBytes } from "../../server/load/bounds.ts"
import { type KeyTurns, keyTurns } from "#base/work/key-turns.ts"
import type { MissingValue } from "./report/structured.ts"
import type { EvidenceRecord, Source } from "./sources/evidence.ts"
import type { ResearchRequest } from "./request.ts"

export type TaskState = "pending" | "in_progress" | "completed" | "failed"

/** Who asked for a task: what its call is billed to. */
export interface TaskOwner extends Tracking {
  readonly keyId: string
}

export interface ResearchTask {
  readonly id: string
  /** Nobody else may look at it. */
  readonly owner: TaskOwner
  readonly state: TaskState
  readonly request: ResearchRequest
  /** What is known so far; null before the first question is done. */
  readonly found: EvidenceRecord | null
  readonly content: string | object | null
  readonly sources: readonly Source[]
  readonly missing: readonly MissingValue[]
  /** What its report was made without. */
  readonly degraded: readonly DegradedPart[]
  /** Why it failed, for its owner. */
  readonly error: string | null
  readonly credits: number
  readonly createdAt: Date
}

export type TaskResult = Pick<ResearchTask, "sources" | "missing" | "degraded" | "credits"> & {
  readonly content: string | object
}

/** A task that was begun so often and never ended is not begun again: it may be what ends the process. */
const MAX_STARTS = 3

export const STORED_TASKS: StoredTable = {
  table: "research_task",
  key: "key_id",
  columns: ["owner", "request", "found", "content", "sources", "missing", "error"],
}

/** Ends a task in SQL: what it found and what was given along is needed no longer. */
const ENDED = "found = null, request = json_set(request, '$.files', json('[]'))"

/** One key may fill such a part, so that there is room left for the others. */
const SHARE_OF_KEY = 4

const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, strict } = words
    return `create table research_task (
     id ${text} primary key,
     key_id ${text} not null,
     owner ${text} not null,
     state ${text} not null check (state in ('pending', 'in_progress', 'completed', 'failed')),
     request ${text} not null,
     found ${text},
     content ${text},
     sources ${text} not null default '[]',
     missing ${text} not null default '[]',
     error ${text},
     credits ${integer} not null default 0,
     starts ${integer} not null default 0,
     created_at ${integer} not null,
     ended_at ${integer},
     -- The process that works on it.
     process ${text},
     degraded ${text} not null default '[]',
     -- When its last turn began.
     turn_at ${integer}
   ) ${strict};
   create index research_task_open on research_task (state, created_at) where state in ('pending', 'in_progress');
   create index research_task_ended on research_task (ended_at) where ended_at is not null;
   ${countStored(words, STORED_TASKS)}`
  },
]

const NO_LIMIT: Pick<KeptByKey, "hasRoom"> = { hasRoom: async () => true }

/** Research tasks in state.db: they survive the process that works on them. */
export class ResearchTasks {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #writes: Pick<WriteQueue, "run">
  readonly #limits: StoreLimits
  readonly #kept: Pick<KeptByKey, "hasRoom">
  readonly stored: StoredUse
  /** Turns among the keys whose tasks wait. */
  readonly turns: KeyTurns
  readonly #process: string | null

  /**
   * @param writes the queue that writes over the same connection
   * @param bytes that all tasks may take, with their reports; a quarter of them of one key
   * @param kept what each key has had kept in all
   * @param process id of this one among others on the same state; null: there is no other
   */
  constructor(
    db: StateStore,
    writes: Pick<WriteQueue, "run">,
    bytes = Infinity,
    kept: Pick<KeptByKey, "hasRoom"> = NO_LIMIT,
    process: string | null = null,
  ) {
    migrateProcesses(db)
    migrate(db, "research", STEPS)
    this.#process = process
    this.stored = new StoredUse(db, STORED_TASKS)
    this.#limits = storeLimits(bytes, SHARE_OF_KEY)
    this.#db = db
    this.#sql = prepareOnce(db)
    const work = { table: "research_task", waiting: "pending", working: "in_progress" }
    this.turns = keyTurns("research", work, this.#sql)
    this.#writes = writes
    this.#kept = kept
  }

  /** Whether other processes may work on tasks meanwhile; without them all that is found under way at the start was left by a lost one. */
  get isShared(): boolean {
    return this.#process !== null
  }

  /** What all tasks take, and may. */
  async storedBytes(): Promise<StoredBytes> {
    return { bytes: (await this.stored.all()).bytes, most: this.#limits.all.bytes }
  }

  /** Null when there is no room for it, of this key or in all; then nothing is added. */
  async add(id: string, owner: TaskOwner, request: ResearchRequest, now: Date): Promise<ResearchTask | null> {
    const [ownerText, text] = [JSON.stringify(owner), JSON.stringify(request)]
    const size = Buffer.byteLength(ownerText) + Buffer.byteLength(text)
    return await this.#writes.run(async () => {
      const isFull = await this.stored.isFull(owner.keyId, this.#limits, size)
      if (isFull || !(await this.#kept.hasRoom(owner.keyId, size))) return null
      const row = await this.#sql(
        `insert into research_task (id, key_id, owner, state, request, created_at)
         values (?, ?, ?, 'pending', ?, ?) returning *`,
      ).get(id, owner.keyId, ownerText, text, now.getTime())
      return toTask(row!)
    })
  }

  async get(id: string): Promise<ResearchTask | null> {
    const row = await this.#sql("select * from research_task where id = ?").get(id)
    return row ? toTask(row) : null
  }

  /** How many wait, of all keys and of one; without a key, of all alone. */
  async waiting(keyId = ""): Promise<{ readonly all: number; readonly ofKey: number }> {
    const row = (await this.#sql(
      "select count(*) as n, count(*) filter (where key_id = ?) as mine from research_task where state = 'pending'",
    ).get(keyId))!
    return { all: Number(row["n"]), ofKey: Number(row["mine"]) }
  }

  /** Begins the task whose turn it is; null when none waits. */
  begin(now: Date): Promise<ResearchTask | null> {
    return this.#writes.run(async () => {
      const row = await this.#sql(
        `update research_task set state = 'in_progress', starts = starts + 1, process = ?, turn_at = ?
         where id = (${this.turns.nextId}) returning *`,
      ).get(this.#process, now.getTime())
      return row ? toTask(row) : null
    })
  }

  async progress(id: string, found: EvidenceRecord): Promise<void> {
    const text = JSON.stringify(found)
    await this.#writes.run(() =>
      this.#sql("update research_task set found = ? where id = ? and state = 'in_progress'").run(text, id),
    )
  }

  /** For a transaction of the write queue. */
  async complete(
    id: string,
    { content, sources, missing, degraded, credits }: TaskResult,
    now: Date,
  ): Promise<void> {
    await this.#sql(
      `update research_task set state = 'completed', content = ?, sources = ?, missing = ?, degraded = ?, credits = ?, ${ENDED},
         ended_at = ? where id = ? and state = 'in_progress'`,
    ).run(
      JSON.stringify(content),
      JSON.stringify(sources),
      JSON.stringify(missing),
      JSON.stringify(degraded),
      credits,
      now.getTime(),
      id,
    )
  }

  async fail(id: string, error: string, now: Date): Promise<void> {
    await this.#writes.run(() =>
      this.#sql(
        `update research_task set state = 'failed', error = ?, ${ENDED}, ended_at = ? where id = ? and ended_at is null`,
      ).run(error, now.getTime(), id),
    )
  }

  /** Has a task wait again, with what it knows. */
  async putBack(id: string): Promise<void> {
    await this.#writes.run(() =>
      this.#sql(
        "update research_task set state = 'pending', starts = starts - 1 where id = ? and state = 'in_progress'",
      ).run(id),
    )
  }

  /**
   * Tasks of processes that are lost wait again, but those that were under way each time one was lost have failed.
   * @returns whether there were any
   */
  async recover(now: Date): Promise<boolean> {
    const left = leftWork(this.#db, "research_task", "in_progress")
    if (!(await left.isThere())) return false
    const queries = queriesOf(this.#db)
    await this.#writes.run(async () => {
      await sql`update research_task set state = 'failed', ${sql.raw(ENDED)}, ended_at = ${now.getTime()},
           error = 'The appliance ended ' || starts || ' times while it worked on this.'
         where ${left.where} and starts >= ${MAX_STARTS}`.execute(queries)
      await sql`update research_task set state = 'pending' where ${left.where}`.execute(queries)
    })
    return true
  }

  /** Forgets what ended before a time. */
  async forget(before: Date): Promise<void> {
    await this.#writes.run(() =>
      this.#sql("delete from research_task where ended_at < ?").run(before.getTime()),
    )
  }
}

function toTask(row: Record<string, unknown>): ResearchTask {
  const json = (column: string): unknown => (row[column] === null ? null : JSON.parse(row[column] as string))
  return {
    id: row["id"] as string,
    owner: json("owner") as TaskOwner,
    state: row["state"] as TaskState,
    request: json("request") as ResearchRequest,
    found: json("found") as EvidenceRecord | null,
    content: json("content") as string | object | null,
    sources: json("sources") as Source[],
    missing: json("missing") as MissingValue[],
    degraded: json("degraded") as DegradedPart[],
    error: row["error"] as string | null,
    credits: Number(row["credits"]),
    createdAt: new Date(Number(row["created_at"])),
  }
}
