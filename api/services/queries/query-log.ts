import { type ExpressionBuilder, type Generated } from "kysely"
import { Serial } from "#base/flow/serial.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

const DAY_MS = 24 * 60 * 60 * 1000
/** Limits on the number of rows: 35 MB with questions of 50 characters; a single key may have half of the rows. */
const SHARES = { most: 200_000, mostOfOne: 100_000, countEvery: 1000 }
/** Maximum number of rows that wait while the store is locked; further rows are dropped, since no search waits for its entry. */
const MOST_WAITING = 1000
const MAX_QUESTION_CHARS = 400
/** Number of keys that must have asked a question before it is suggested: with two, each key would learn the other's question. */
const SEVERAL_KEYS = 3
/** Minimum number of characters a user must type: too many questions begin with the same one or two characters. */
const TYPED_LEAST = 3
/** Maximum number of rows searched for a suggestion, which takes a millisecond. */
const LOOKED_AT = 2000
/** A question whose best result has a lower score is seldom answered: scores are probabilities. */
export const LOW_SCORE = 0.3

interface AskedRow {
  id: Generated<number>
  at: number
  key_id: string
  question: string
  folded: string
  depth: string
  results: number
  top_score: number
  seconds: number
  missed: Generated<number>
}

interface AlikeRow {
  reach: string
  folded: string
  key_id: string
  question: string
  at: number
}

interface QueryTables {
  asked_query: AskedRow
  asked_alike: AlikeRow
}

const STEPS: readonly Step[] = [
  ({ id, integer, real, text, strict, keyed }) => `create table asked_query (
     id ${id},
     at ${integer} not null,
     key_id ${text} not null,
     question ${text} not null,
     folded ${text} not null,
     depth ${text} not null,
     results ${integer} not null,
     top_score ${real} not null,
     seconds ${real} not null,
     missed ${integer} not null default 0
   ) ${strict};
   create index asked_query_at on asked_query (at);
   create index asked_query_key on asked_query (key_id, id);
   create table asked_alike (
     reach ${text} not null, folded ${text} not null, key_id ${text} not null, question ${text} not null, at ${integer} not null,
     primary key (reach, folded, key_id)
   ) ${keyed};
   create index asked_alike_at on asked_alike (at);
   create index asked_alike_key on asked_alike (key_id, at)`,
]

/** A search that was answered. */
export interface AskedEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /**
   * The pages that the key could see, as in {@link QueryLog.alike}; if left out, the question is never suggested to
   * other keys.
   */
  readonly reach?: string
  readonly question: string
  readonly depth: string
  readonly results: number
  /** Score of the best result; 0 if there are no results. */
  readonly topScore: number
  readonly seconds: number
  /** Whether the index has no answer to the question; see `missed.ts`. Default: false. */
  readonly missed?: boolean
}

/**
 * `top`: questions by how often they were asked; `zero`: questions that the index does not answer; `low`: questions
 * whose best result was doubtful; `slow`: questions by their slowest answer.
 */
export const QUERY_REPORTS = ["top", "zero", "low", "slow"] as const

export type QueryReport = (typeof QUERY_REPORTS)[number]

/** One question, ignoring case and white space, over the requested period. */
export interface QueryLine {
  readonly question: string
  readonly count: number
  /** Number of keys that asked the question. */
  readonly keys: number
  /** Number of results the last time it was asked. */
  readonly results: number
  readonly topScore: number
  /** How long the slowest answer took, in seconds. */
  readonly seconds: number
  readonly lastAt: number
}

type Asked = ExpressionBuilder<QueryTables, "asked_query">

/** The questions of each report. */
const CONDITIONS = {
  top: (eb: Asked) => eb.lit(true),
  zero: (eb: Asked) => eb("missed", "=", 1),
  low: (eb: Asked) => eb.and([eb("results", ">", 0), eb("top_score", "<", LOW_SCORE)]),
  slow: (eb: Asked) => eb.lit(true),
} as const satisfies Record<QueryReport, unknown>

interface AskedValues extends Omit<AskedEntry, "reach" | "missed"> {
  readonly folded: string
  readonly missed: number
}

// Runs on each search.
const insertAsked = once((q: Queries<QueryTables>, row: AskedValues) =>
  q.insertInto("asked_query").values({
    at: row.at,
    key_id: row.keyId,
    question: row.question,
    folded: row.folded,
    depth: row.depth,
    results: row.results,
    top_score: row.topScore,
    seconds: row.seconds,
    missed: row.missed,
  }),
)

const insertAlike = once((q: Queries<QueryTables>, row: AlikeRow) =>
  q
    .insertInto("asked_alike")
    .values({ reach: row.reach, folded: row.folded, key_id: row.key_id, question: row.question, at: row.at })
    .onConflict((conflict) =>
      conflict
        .columns(["reach", "folded", "key_id"])
        .doUpdateSet((eb) => ({ question: eb.ref("excluded.question"), at: eb.ref("excluded.at") })),
    ),
)

interface Begun {
  readonly reach: string
  /** The typed text, and a string that sorts after every question that begins with it. */
  readonly from: string
  readonly before: string
  readonly oldest: number
  readonly limit: number
}

// Runs on each key press in a search box.
const alikeOf = once((q: Queries<QueryTables>, { reach, from, before, oldest, limit }: Begun) => {
  const begun = q
    .selectFrom("asked_alike")
    .selectAll()
    .where("reach", "=", reach)
    .where("folded", ">=", from)
    .where("folded", "<", before)
    .limit(LOOKED_AT)
  const latest = q
    .selectFrom(begun.as("begun"))
    .select((eb) => [
      "folded",
      "question",
      eb.fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("folded").orderBy("at", "desc").orderBy("key_id"))
        .as("place"),
    ])
    .where("at", ">=", oldest)
  return q
    .selectFrom(latest.as("latest"))
    .select((eb) => [
      eb.fn.max("question").filterWhere("place", "=", 1).as("question"),
      eb.fn.countAll<number>().as("keys"),
    ])
    .groupBy("folded")
    .having((eb) => eb(eb.fn.countAll<number>(), ">=", SEVERAL_KEYS))
    .orderBy("keys", "desc")
    .orderBy("folded")
    .limit(limit)
})

/** Questions that were asked, if the operator has them stored. Keys are stored only by their ids. */
export class QueryLog implements AsyncDisposable {
  readonly #db: StateStore
  readonly #queries: Queries<QueryTables>
  /** Number of days that questions are kept. */
  readonly days: number
  readonly #asked: BoundedLog<AskedRow>
  readonly #alike: BoundedLog<AlikeRow>
  #waiting: AskedEntry[] = []
  readonly #writing = new Serial()

  /** @param days days that questions are kept; 0: no question is recorded */
  constructor(db: StateStore, days: number) {
    migrate(db, "asked-queries", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
    this.days = days
    const shared = { owner: "key_id", shares: SHARES } as const
    this.#asked = new BoundedLog(db, { ...shared, table: "asked_query", order: "id" })
    this.#alike = new BoundedLog(db, { ...shared, table: "asked_alike", id: ["reach", "folded", "key_id"] })
  }

  get isOn(): boolean {
    return this.days > 0
  }

  /** Records a search; if the store is locked, the entry is written together with a later one. */
  async note(entry: AskedEntry): Promise<void> {
    if (!this.isOn) return
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(entry)
    await this.#writing.run(() => this.#write())
  }

  /** Resolves when all recorded searches are written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.idle()
  }

  async #write(): Promise<void> {
    const entries = this.#waiting.slice()
    // An earlier flush has already written these entries.
    if (entries.length === 0) return
    try {
      await transaction(this.#db, async () => {
        for (const one of entries) await this.#insert(one)
      })
      // More entries may have arrived in the meantime.
      this.#waiting.splice(0, entries.length)
      for (const log of [this.#asked, this.#alike]) await log.wrote(entries.length)
    } catch {
      // The store is locked, or the disk is full: that is no reason to refuse an answer.
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
    const folded = shown.toLowerCase()
    await insertAsked.run(this.#db, {
      at,
      keyId,
      question: shown,
      folded,
      depth,
      results,
      topScore,
      seconds,
      missed: missed ? 1 : 0,
    })
    if (reach === undefined || results === 0 || topScore < LOW_SCORE) return
    await insertAlike.run(this.#db, { reach, folded, key_id: keyId, question: shown, at })
  }

  /**
   * Questions that begin with the typed text, were asked by several keys with exactly this reach, and were answered. So
   * a suggestion reveals nothing that the key couldn't find by searching, and nothing about a single person.
   */
  async alike(reach: string, typed: string, limit: number): Promise<readonly string[]> {
    const begins = typed.replaceAll(/\s+/g, " ").trimStart().toLowerCase()
    if (!this.isOn || begins.length < TYPED_LEAST) return []
    const oldest = Date.now() - this.days * DAY_MS
    const rows = await alikeOf.all(this.#db, {
      reach,
      from: begins,
      before: `${begins}\u{10ffff}`,
      oldest,
      limit,
    })
    return rows.map(({ question }) => question)
  }

  /** The last questions, newest first. */
  async latest(limit: number): Promise<readonly string[]> {
    const latest = this.#queries
      .selectFrom("asked_query")
      .select("question")
      .orderBy("id", "desc")
      .limit(limit)
    return (await latest.execute()).map(({ question }) => question)
  }

  /** Deletes up to `count` searches from before `time`. @returns how many were deleted */
  readonly prune = async (time: number, count: number): Promise<number> =>
    Math.max(await this.#asked.prune(time, count), await this.#alike.prune(time, count))

  /** The questions of a time range; `before` is exclusive. */
  async report(
    kind: QueryReport,
    { from, before, limit, offset }: { from: number; before: number; limit: number; offset: number },
  ): Promise<{ readonly queries: readonly QueryLine[]; readonly total: number }> {
    const oldest = Math.max(from, Date.now() - this.days * DAY_MS)
    const asked = this.#queries
      .selectFrom("asked_query")
      .where("at", ">=", oldest)
      .where("at", "<", before)
      .where(CONDITIONS[kind])
    const { n } = await asked
      .select((eb) => eb.fn.count<number>("folded").distinct().as("n"))
      .executeTakeFirstOrThrow()
    const placed = asked.selectAll().select((eb) =>
      eb.fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("folded").orderBy("at", "desc").orderBy("id", "desc"))
        .as("place"),
    )
    const rows = await this.#queries
      .selectFrom(placed.as("one"))
      // The question as last asked.
      .select((eb) => [
        eb.fn.max("question").filterWhere("place", "=", 1).as("question"),
        eb.fn.countAll<number>().as("count"),
        eb.fn.count<number>("key_id").distinct().as("keys"),
        eb.fn.max("results").filterWhere("place", "=", 1).as("results"),
        eb.fn.max("top_score").filterWhere("place", "=", 1).as("topScore"),
        eb
          .selectFrom("asked_query as other")
          .select((inner) => inner.fn.max("other.seconds").as("most"))
          .whereRef("other.folded", "=", "one.folded")
          .where("other.at", ">=", oldest)
          .where("other.at", "<", before)
          .$asScalar()
          .$notNull()
          .as("seconds"),
        eb.fn.max("at").as("lastAt"),
      ])
      .groupBy("folded")
      .orderBy(kind === "slow" ? "seconds" : "count", "desc")
      .orderBy("lastAt", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return { total: n, queries: rows }
  }

  /** Deletes all questions. @returns how many searches were deleted */
  clear(): Promise<number> {
    return this.#writing.run(async () => {
      this.#waiting = []
      await this.#queries.deleteFrom("asked_alike").execute()
      const { numDeletedRows } = await this.#queries.deleteFrom("asked_query").executeTakeFirst()
      return Number(numDeletedRows)
    })
  }
}
