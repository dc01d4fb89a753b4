import { type Generated, type Selectable, sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { DegradedPart } from "#base/flow/degraded.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { leftWork, migrateProcesses } from "#base/store/processes/own-process.ts"

import type { KeptByKey } from "../../identity/accounts/storage/kept-by-key.ts"
import type { Tracking } from "../../identity/accounts/tracking.ts"
import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "../../identity/accounts/storage/stored-use.ts"
import type { WriteQueue } from "../../identity/accounts/billing/write-queue.ts"
import type { StoredBytes } from "../../server/load/bounds.ts"
import { type KeyTurns, keyTurns } from "#base/work/key-turns.ts"
import type { MissingValue } from "./report/structured.ts"
import type { EvidenceRecord, Source } from "./sources/evidence.ts"
import type { ResearchRequest } from "./request.ts"

export type TaskState = "pending" | "in_progress" | "completed" | "failed"

/** The caller of a task, for billing. */
export interface TaskOwner extends Tracking {
  readonly keyId: string
}

export interface ResearchTask {
  readonly id: string
  /** The caller of the task; no other caller may see it. */
  readonly owner: TaskOwner
  readonly state: TaskState
  readonly request: ResearchRequest
  /** The findings so far; null before the first question is done. */
  readonly found: EvidenceRecord | null
  readonly content: string | object | null
  readonly sources: readonly Source[]
  readonly missing: readonly MissingValue[]
  /** The parts that are missing from the report. */
  readonly degraded: readonly DegradedPart[]
  /** Why the task failed, for its owner. */
  readonly error: string | null
  readonly credits: number
  readonly createdAt: Date
}

export type TaskResult = Pick<ResearchTask, "sources" | "missing" | "degraded" | "credits"> & {
  readonly content: string | object
}

/** Maximum number of starts: a task that was started this many times without ending is not started again, because it may be what crashes the process. */
const MAX_STARTS = 3

export const STORED_TASKS: StoredTable = {
  table: "research_task",
  key: "key_id",
  columns: ["owner", "request", "found", "content", "sources", "missing", "error"],
}

export interface TaskTables {
  research_task: {
    id: string
    key_id: string
    owner: string
    state: TaskState
    request: string
    found: string | null
    content: string | null
    sources: Generated<string>
    missing: Generated<string>
    degraded: Generated<string>
    error: string | null
    credits: Generated<number>
    starts: Generated<number>
    created_at: number
    ended_at: number | null
    process: string | null
    turn_at: number | null
  }
}

/** Column values of a finished task, which no longer needs its findings and files. */
const ENDED = { found: null, request: sql<string>`json_set(request, '$.files', json('[]'))` }

/** One key may use at most 1/SHARE_OF_KEY of the room, so that others have room as well. */
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
  readonly #queries: Queries<TaskTables>
  readonly #writes: Pick<WriteQueue, "run">
  readonly #limits: StoreLimits
  readonly #kept: Pick<KeptByKey, "hasRoom">
  readonly stored: StoredUse
  /** The keys with waiting tasks, in the order of their turns. */
  readonly turns: KeyTurns
  readonly #process: string | null

  /**
   * @param writes the queue that writes over the same connection
   * @param bytes maximum number of bytes for all tasks with their reports; one key may use a quarter of them
   * @param kept total bytes stored for each key
   * @param process id of this process among those that share the state; null if it is the only one
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
    this.#queries = queriesOf(db)
    const work = { table: "research_task", waiting: "pending", working: "in_progress" }
    this.turns = keyTurns("research", work, db)
    this.#writes = writes
    this.#kept = kept
  }

  /**
   * Whether other processes may work on tasks at the same time. If not, tasks that were in progress at startup belonged
   * to a process that has ended.
   */
  get isShared(): boolean {
    return this.#process !== null
  }

  /** Total bytes of all tasks, and the limit. */
  async storedBytes(): Promise<StoredBytes> {
    return { bytes: (await this.stored.all()).bytes, most: this.#limits.all.bytes }
  }

  /** Adds a task. Returns `null`, and adds nothing, if there is no room for it, for this key or in total. */
  async add(id: string, owner: TaskOwner, request: ResearchRequest, now: Date): Promise<ResearchTask | null> {
    const [ownerText, text] = [JSON.stringify(owner), JSON.stringify(request)]
    const size = Buffer.byteLength(ownerText) + Buffer.byteLength(text)
    return await this.#writes.run(async () => {
      const isFull = await this.stored.isFull(owner.keyId, this.#limits, size)
      if (isFull || !(await this.#kept.hasRoom(owner.keyId, size))) return null
      const row = await this.#queries
        .insertInto("research_task")
        .values({
          id,
          key_id: owner.keyId,
          owner: ownerText,
          state: "pending",
          request: text,
          created_at: now.getTime(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toTask(row)
    })
  }

  async get(id: string): Promise<ResearchTask | null> {
    const task = this.#queries.selectFrom("research_task").selectAll().where("id", "=", id)
    const row = await task.executeTakeFirst()
    return row ? toTask(row) : null
  }

  /** Number of waiting tasks, in total and for a key; without a key, only the total. */
  async waiting(keyId = ""): Promise<{ readonly all: number; readonly ofKey: number }> {
    return await this.#queries
      .selectFrom("research_task")
      .select((eb) => [
        eb.fn.countAll<number>().as("all"),
        eb.fn.countAll<number>().filterWhere("key_id", "=", keyId).as("ofKey"),
      ])
      .where("state", "=", sql.lit("pending"))
      .executeTakeFirstOrThrow()
  }

  /** Starts the task whose turn it is; `null` if no task is waiting. */
  begin(now: Date): Promise<ResearchTask | null> {
    return this.#writes.run(async () => {
      const row = await this.#queries
        .updateTable("research_task")
        .set((eb) => ({
          state: "in_progress",
          starts: eb("starts", "+", 1),
          process: this.#process,
          turn_at: now.getTime(),
        }))
        .where("id", "=", this.turns.nextId)
        .returningAll()
        .executeTakeFirst()
      return row ? toTask(row) : null
    })
  }

  async progress(id: string, found: EvidenceRecord): Promise<void> {
    const text = JSON.stringify(found)
    await this.#writes.run(() => this.#underWay(id).set({ found: text }).execute())
  }

  /** Stores the result of a task; must run in a transaction of the write queue. */
  async complete(
    id: string,
    { content, sources, missing, degraded, credits }: TaskResult,
    now: Date,
  ): Promise<void> {
    await this.#underWay(id)
      .set({
        ...ENDED,
        state: "completed",
        content: JSON.stringify(content),
        sources: JSON.stringify(sources),
        missing: JSON.stringify(missing),
        degraded: JSON.stringify(degraded),
        credits,
        ended_at: now.getTime(),
      })
      .execute()
  }

  async fail(id: string, error: string, now: Date): Promise<void> {
    await this.#writes.run(() =>
      this.#queries
        .updateTable("research_task")
        .set({ ...ENDED, state: "failed", error, ended_at: now.getTime() })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .execute(),
    )
  }

  /** Makes a task wait again, with its findings so far. */
  async putBack(id: string): Promise<void> {
    await this.#writes.run(() =>
      this.#underWay(id)
        .set((eb) => ({ state: "pending", starts: eb("starts", "-", 1) }))
        .execute(),
    )
  }

  /**
   * Puts tasks of lost processes back in the queue, but fails those that have already been started too many times.
   * @returns whether there were any such tasks
   */
  async recover(now: Date): Promise<boolean> {
    const left = leftWork(this.#db, "research_task", "in_progress")
    if (!(await left.isThere())) return false
    await this.#writes.run(async () => {
      const lost = this.#queries.updateTable("research_task").where(left.where)
      await lost
        .set({
          ...ENDED,
          state: "failed",
          ended_at: now.getTime(),
          error: sql<string>`'The appliance stopped ' || starts || ' times while it worked on this task.'`,
        })
        .where("starts", ">=", MAX_STARTS)
        .execute()
      await lost.set({ state: "pending" }).execute()
    })
    return true
  }

  /** Deletes tasks that ended before a time. */
  async forget(before: Date): Promise<void> {
    await this.#writes.run(() =>
      this.#queries.deleteFrom("research_task").where("ended_at", "<", before.getTime()).execute(),
    )
  }

  #underWay(id: string) {
    return this.#queries.updateTable("research_task").where("id", "=", id).where("state", "=", "in_progress")
  }
}

function toTask(row: Selectable<TaskTables["research_task"]>): ResearchTask {
  const json = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  return {
    id: row.id,
    owner: json(row.owner) as TaskOwner,
    state: row.state,
    request: json(row.request) as ResearchRequest,
    found: json(row.found) as EvidenceRecord | null,
    content: json(row.content) as string | object | null,
    sources: json(row.sources) as Source[],
    missing: json(row.missing) as MissingValue[],
    degraded: json(row.degraded) as DegradedPart[],
    error: row.error,
    credits: row.credits,
    createdAt: new Date(row.created_at),
  }
}
