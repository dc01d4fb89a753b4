import { totalmem } from "node:os"

import type { Clock } from "#base/clock.ts"
import { diskOf } from "#base/disk-space.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { visitsByJob } from "#crawler/crawl/frontier/job-addresses.ts"
import type { Engine } from "#engine"

import { QuestionMeter, type Questions } from "./question-meter.ts"

/** Time between stored samples. */
export const STEP_MS = 5 * 60_000
/** Maximum number of samples: eight days, at about 200 bytes each. */
const MOST_SAMPLES = (8 * 24 * 60 * 60_000) / STEP_MS

interface HistoryTables {
  history: { at: number; sample: string }
}

const STEPS: readonly Step[] = [
  ({ id, text, strict }) => `create table history (at ${id}, sample ${text} not null) ${strict}`,
]

/** Totals for one step, and the state at its end. */
export interface Sample extends Questions {
  /** Length of the step in seconds. */
  readonly seconds: number
  /** Visits made by crawls that have ended, however they ended. */
  readonly visits: number
  readonly failedVisits: number
  /** Number of pages in the index; null while the index cannot be read. */
  readonly pages: number | null
  readonly passages: number | null
  /** Memory of the API process. */
  readonly processBytes: number
  readonly memoryFreeBytes: number
  readonly diskFreeBytes: number | null
}

export interface KeptSample extends Sample {
  /** When the step ended, in milliseconds since 1970. */
  readonly at: number
}

type Visits = Awaited<ReturnType<typeof visitsByJob>>

export interface HistoryParts {
  readonly db: StateStore
  readonly engine: Pick<Engine, "stats">
  readonly dataDir: string
  /** Counts questions; if left out, none are counted. */
  readonly questions?: QuestionMeter
  readonly clock?: Clock
}

/** Brings the tables up to date. */
export const migrateHistory = (db: StateStore): void => migrate(db, "history", STEPS)

/** How the appliance performed over the last few days, in `state.db`: one sample every {@link STEP_MS}, up to a maximum number. */
export class History {
  readonly #parts: HistoryParts
  readonly #questions: QuestionMeter
  readonly #clock: Clock
  /** Number of pages visited before the current step. */
  #visited: Visits
  #since: number

  private constructor(parts: HistoryParts, visited: Visits) {
    this.#parts = parts
    this.#questions = parts.questions ?? new QuestionMeter()
    this.#clock = parts.clock ?? Date.now
    this.#visited = visited
    this.#since = this.#clock()
  }

  static async open(parts: HistoryParts): Promise<History> {
    migrateHistory(parts.db)
    return new History(parts, await visitsByJob(parts.db))
  }

  /** The current step so far. */
  async now(): Promise<KeptSample> {
    return this.#sample(await visitsByJob(this.#parts.db), await this.#stats())
  }

  /** Stores the current step and begins the next. `write` runs its callback in a transaction. */
  async keep(write: (work: () => Promise<void>) => Promise<unknown>): Promise<void> {
    const stats = await this.#stats()
    const visited = await visitsByJob(this.#parts.db)
    const { at, ...sample } = this.#sample(visited, stats)
    this.#questions.forget()
    this.#visited = visited
    this.#since = at
    const [queries, row] = [queriesOf<HistoryTables>(this.#parts.db), { sample: JSON.stringify(sample) }]
    await write(async () => {
      await queries
        .insertInto("history")
        .values({ at, ...row })
        .onConflict((conflict) => conflict.column("at").doUpdateSet(row))
        .execute()
      await queries
        .deleteFrom("history")
        .where("at", "<=", (eb) =>
          eb.selectFrom("history").select("at").orderBy("at", "desc").limit(1).offset(MOST_SAMPLES),
        )
        .execute()
    })
  }

  /** The samples that ended after `from`, oldest first. */
  async since(from: number): Promise<KeptSample[]> {
    const rows = await queriesOf<HistoryTables>(this.#parts.db)
      .selectFrom("history")
      .selectAll()
      .where("at", ">", from)
      .orderBy("at")
      .execute()
    return rows.map((row) => ({ ...(JSON.parse(row.sample) as Sample), at: row.at }))
  }

  /** Other checks report an unreadable index. */
  async #stats(): Promise<{ readonly pages: number; readonly passages: number } | null> {
    return await this.#parts.engine.stats().catch(() => null)
  }

  #sample(visited: Visits, stats: { readonly pages: number; readonly passages: number } | null): KeptSample {
    const at = this.#clock()
    let [visits, failedVisits] = [0, 0]
    for (const [job, now] of visited) {
      const before = this.#visited.get(job)
      visits += now.all - (before?.all ?? 0)
      failedVisits += now.failed - (before?.failed ?? 0)
    }
    return {
      at,
      seconds: Math.max(1, Math.round((at - this.#since) / 1000)),
      visits: Math.max(0, visits),
      failedVisits: Math.max(0, failedVisits),
      ...this.#questions.questions,
      pages: stats?.pages ?? null,
      passages: stats?.passages ?? null,
      processBytes: process.memoryUsage.rss(),
      memoryFreeBytes: process.availableMemory(),
      diskFreeBytes: diskOf(this.#parts.dataDir)?.freeBytes ?? null,
    }
  }
}

/** Memory of the machine or of the container, in bytes. For a process without a limit, `constrainedMemory` can return 0, or more than any machine has. */
export const memoryBytes = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem())
