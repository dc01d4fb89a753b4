import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { lesser } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

interface CreditTables {
  copy_credit: { source: string; host: string; credit: number; asked_at: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table copy_credit (
     source ${text} not null, host ${text} not null, credit ${integer} not null, asked_at ${integer} not null,
     primary key (source, host)
   ) ${keyed}`,
]

/** Number of copies that a crawl requests from a host before any has saved a page. */
const TRIALS = 20
/** Number of these trials that are reserved for later visits, which show whether the first copies save anything. */
const FOR_CHECKS = 10
/** Credit for one saved page: a crawl keeps asking a host if one copy in twenty helps. */
const EARNS = 20
/** The maximum number of copies that a crawl requests in a row without success, however many have helped before. */
const MOST = 1000
/** After this many days without a request, a host gets its trials again. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

interface Taken {
  readonly source: string
  readonly host: string
  readonly now: number
  /** A request is granted while the host's credit is above this. */
  readonly least: number
}
const take = once((q: Queries<CreditTables>, { source, host, now, least }: Taken) =>
  q
    .insertInto("copy_credit")
    .values({ source, host, credit: TRIALS - 1, asked_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["source", "host"])
        .doUpdateSet((eb) => ({ credit: eb("copy_credit.credit", "-", 1), asked_at: now }))
        .where("copy_credit.credit", ">", least),
    )
    .returning("credit"),
)
const earn = once((q: Queries<CreditTables>, { source, host }: Pick<Taken, "source" | "host">) =>
  q
    .updateTable("copy_credit")
    .set((eb) => ({ credit: lesser(eb("credit", "+", EARNS), eb.val(MOST)) }))
    .where((eb) => eb.and({ source, host })),
)

/** Brings the tables up to date. */
export const migrateCopies = (db: StateStore): void => migrate(db, "copies", STEPS)

/** How many more copies a crawl may request from each host, kept in the state: a request costs one, a saved page earns more. */
export class HostCredit {
  readonly #db: StateStore
  readonly #source: string

  private constructor(db: StateStore, source: string) {
    this.#db = db
    this.#source = source
  }

  static async open(db: StateStore, source: string, now: number): Promise<HostCredit> {
    migrateCopies(db)
    const old = now - KEPT_DAYS * DAY_MS
    await queriesOf<CreditTables>(db).deleteFrom("copy_credit").where("asked_at", "<", old).execute()
    return new HostCredit(db, source)
  }

  /**
   * Spends credit for one request.
   * @param isCheck whether its answer may save a page at once
   * @returns whether the crawl may send it
   */
  async take(host: string, now: number, isCheck: boolean): Promise<boolean> {
    const least = isCheck ? 0 : FOR_CHECKS
    return (await take.get(this.#db, { source: this.#source, host, now, least })) !== undefined
  }

  /** Credits the host for a saved page. */
  async earn(host: string): Promise<void> {
    await earn.run(this.#db, { source: this.#source, host })
  }
}
