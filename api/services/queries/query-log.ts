import { Serial } from "#base/flow/serial.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

const DAY_MS = 24 * 60 * 60 * 1000
/** 35 MB where questions have 50 characters; half of the rows are for one key. */
const SHARES = { most: 200_000, mostOfOne: 100_000, countEvery: 1000 }
/** Rows that wait while the store is locked; more are dropped, since no search waits for its entry. */
const MOST_WAITING = 1000
const MAX_QUESTION_CHARS = 400
/** Keys that must have asked a question before others are told of it: of two, either would know the other's. */
const SEVERAL_KEYS = 3
/** Characters that must be typed: fewer stand at the beginning of too many questions. */
const TYPED_LEAST = 3
/** Rows looked at for a suggestion: a millisecond. */
const LOOKED_AT = 2000
/** A best result below this seldom answers: scores are chances. */
export const LOW_SCORE = 0.3

interface AskedRow {
  id: number
  at: number
  key_id: string
}

interface AlikeRow {
  reach: string
  folded: string
  key_id: string
  at: number
}

const STEPS = [
  `create table asked_query (
     id integer primary key,
     at integer not null,
     key_id text not null,
     question text not null,
     folded text not null,
     depth text not null,
     results integer not null,
     top_score real not null,
     seconds real not null,
     missed integer not null default 0
   ) strict;
   create index asked_query_at on asked_query (at);
   create index asked_query_key on asked_query (key_id, id);
   create table asked_alike (
     reach text not null, folded text not null, key_id text not null, question text not null, at integer not null,
     primary key (reach, folded, key_id)
   ) strict, without rowid;
   create index asked_alike_at on asked_alike (at);
   create index asked_alike_key on asked_alike (key_id, at)`,
]

/** A search that was answered. */
export interface AskedEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /** What the key could see, as {@link QueryLog.alike} is asked for it; left out: nobody else is told of the question. */
  readonly reach?: string
  readonly question: string
  readonly depth: string
  readonly results: number
  /** 0 without results. */
  readonly topScore: number
  readonly seconds: number
  /** Whether the index has no answer to it; see `missed.ts`. Default: false. */
  readonly missed?: boolean
}

/** `top`: by how often they were asked; `zero`: that the index does not answer; `low`: whose best result was doubtful; `slow`: by the slowest answer. */
export const QUERY_REPORTS = ["top", "zero", "low", "slow"] as const

export type QueryReport = (typeof QUERY_REPORTS)[number]

/** One question, whatever its case and white space, over the time asked for. */
export interface QueryLine {
  readonly question: string
  readonly count: number
  /** Keys that asked it. */
  readonly keys: number
  /** Of the last time. */
  readonly results: number
  readonly topScore: number
  /** The slowest answer. */
  readonly seconds: number
  readonly lastAt: number
}

const CONDITIONS: Readonly<Record<QueryReport, string>> = {
  top: "true",
  zero: "missed = 1",
  low: `results > 0 and top_score < ${LOW_SCORE}`,
  slow: "true",
}
const ORDERS: Readonly<Record<QueryReport, string>> = {
  top: "count desc, last_at desc",
  zero: "count desc, last_at desc",
  low: "count desc, last_at desc",
  slow: "seconds desc, last_at desc",
}

/** Questions that were asked, where the operator has them kept. Keys by their ids alone. */
export class QueryLog implements AsyncDisposable {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>
  /** For which questions are kept. */
  readonly days: number
  readonly #asked: BoundedLog<AskedRow>
  readonly #alike: BoundedLog<AlikeRow>
  #waiting: AskedEntry[] = []
  readonly #writing = new Serial()

  /** @param days for which questions are kept; 0: none is noted */
  constructor(db: StateStore, days: number) {
    migrate(db, "asked-queries", STEPS)
    this.#db = db
    this.#sql = prepareOnce(db)
    this.days = days
    const shared = { owner: "key_id", shares: SHARES } as const
    this.#asked = new BoundedLog(db, { ...shared, table: "asked_query", order: "id" })
    this.#alike = new BoundedLog(db, { ...shared, table: "asked_alike", id: ["reach", "folded", "key_id"] })
  }

  get isOn(): boolean {
    return this.days > 0
  }

  /** Notes a search; where the store is locked, with one of the next. */
  async note(entry: AskedEntry): Promise<void> {
    if (!this.isOn) return
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(entry)
    await this.#writing.run(() => this.#write())
  }

  /** Resolves when all that was noted is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.idle()
  }

  async #write(): Promise<void> {
    const entries = this.#waiting.slice()
    // Those before it have written its own as well.
    if (entries.length === 0) return
    try {
      await transaction(this.#db, async () => {
        for (const one of entries) await this.#insert(one)
      })
      // More may have arrived since.
      this.#waiting.splice(0, entries.length)
      for (const log of [this.#asked, this.#alike]) await log.wrote(entries.length)
    } catch {
      // Locked, or the disk is full: an entry is no reason to refuse an answer.
    }
  }

  async #insert({
    at,
    keyId,
    reach,
    question,
    depth,
    results,
    topScore,
    seconds,
    missed = false,
  }: AskedEntry): Promise<void> {
    const shown = question.replaceAll(/\s+/g, " ").trim().slice(0, MAX_QUESTION_CHARS)
    await this.#sql(
      `insert into asked_query (at, key_id, question, folded, depth, results, top_score, seconds, missed)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(at, keyId, shown, shown.toLowerCase(), depth, results, topScore, seconds, missed ? 1 : 0)
    if (reach === undefined || results === 0 || topScore < LOW_SCORE) return
    await this.#sql(
      `insert into asked_alike (reach, folded, key_id, question, at) values (?, ?, ?, ?, ?)
       on conflict (reach, folded, key_id) do update set question = excluded.question, at = excluded.at`,
    ).run(reach, shown.toLowerCase(), keyId, shown, at)
  }

  /**
   * Questions that begin with what somebody has typed, that several keys of this very reach have asked, and that were answered: what is suggested to one
   * key says nothing that its own searches would not, and nothing of any one person.
   */
  async alike(reach: string, typed: string, limit: number): Promise<readonly string[]> {
    const begins = typed.replaceAll(/\s+/g, " ").trimStart().toLowerCase()
    if (!this.isOn || begins.length < TYPED_LEAST) return []
    const oldest = Date.now() - this.days * DAY_MS
    return (
      await this.#sql(
        `select max(question) filter (where place = 1) as question, count(*) as keys from
         (select folded, question, at,
            row_number() over (partition by folded order by at desc, key_id) as place
          from (select * from asked_alike where reach = ? and folded >= ? and folded < ? limit ?) as begun
          where at >= ?) as latest
       group by folded having count(*) >= ? order by keys desc, folded limit ?`,
      ).all(reach, begins, `${begins}\u{10ffff}`, LOOKED_AT, oldest, SEVERAL_KEYS, limit)
    ).map((row) => String(row["question"]))
  }

  /** The last questions, the newest first. */
  async latest(limit: number): Promise<readonly string[]> {
    const rows = await this.#sql("select question from asked_query order by id desc limit ?").all(limit)
    return rows.map((row) => String(row["question"]))
  }

  /** Forgets up to `count` searches from before `time`. @returns how many there were */
  readonly prune = async (time: number, count: number): Promise<number> =>
    Math.max(await this.#asked.prune(time, count), await this.#alike.prune(time, count))

  /** The questions of a time, `before` exclusive. */
  async report(
    kind: QueryReport,
    { from, before, limit, offset }: { from: number; before: number; limit: number; offset: number },
  ): Promise<{ readonly queries: readonly QueryLine[]; readonly total: number }> {
    const oldest = Math.max(from, Date.now() - this.days * DAY_MS)
    const where = `at >= ? and at < ? and ${CONDITIONS[kind]}`
    // As it was asked last.
    const rows = await this.#sql(
      `select max(question) filter (where place = 1) as question, count(*) as count, count(distinct key_id) as keys,
         max(results) filter (where place = 1) as results, max(top_score) filter (where place = 1) as top_score,
         (select max(seconds) from asked_query as other where other.folded = one.folded and at >= ? and at < ?) as seconds,
         max(at) as last_at
       from (select *, row_number() over (partition by folded order by at desc, id desc) as place
             from asked_query where ${where}) as one
       group by folded order by ${ORDERS[kind]} limit ? offset ?`,
    ).all(oldest, before, oldest, before, limit, offset)
    const total = await this.#sql(`select count(distinct folded) as n from asked_query where ${where}`).get(
      oldest,
      before,
    )
    return {
      total: Number(total?.["n"]),
      queries: rows.map((row) => ({
        question: String(row["question"]),
        count: Number(row["count"]),
        keys: Number(row["keys"]),
        results: Number(row["results"]),
        topScore: Number(row["top_score"]),
        seconds: Number(row["seconds"]),
        lastAt: Number(row["last_at"]),
      })),
    }
  }

  /** Deletes all questions. @returns how many searches were forgotten */
  clear(): Promise<number> {
    return this.#writing.run(async () => {
      this.#waiting = []
      await this.#sql("delete from asked_alike").run()
      return Number((await this.#sql("delete from asked_query").run()).changes)
    })
  }
}
