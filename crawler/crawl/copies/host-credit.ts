import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

const STEPS = [
  `create table copy_credit (
     source text not null, host text not null, credit integer not null, asked_at integer not null,
     primary key (source, host)
   ) strict, without rowid`,
]

/** Copies that a crawl asks a host for before one has saved a page. */
const TRIALS = 20
/** The trials kept for later visits, which show whether the first copies save anything. */
const FOR_CHECKS = 10
/** Credit for one saved page: a crawl keeps asking a host if one copy in twenty helps. */
const EARNS = 20
/** Most copies that a crawl asks for in vain, however many have helped before. */
const MOST = 1000
/** After this many days without a request, a host gets its trials again. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/** How many more copies a crawl may ask each host for, kept in the state: a request costs one, a saved page earns more. */
export class HostCredit {
  readonly #source: string
  readonly #prepare: ReturnType<typeof prepareOnce>

  private constructor(db: StateStore, source: string) {
    this.#source = source
    this.#prepare = prepareOnce(db)
  }

  static async open(db: StateStore, source: string, now: number): Promise<HostCredit> {
    migrate(db, "copies", STEPS)
    await db.prepare("delete from copy_credit where asked_at < ?").run(now - KEPT_DAYS * DAY_MS)
    return new HostCredit(db, source)
  }

  /**
   * Takes one request.
   * @param isCheck whether its answer may save a page at once
   * @returns whether the crawl may send it
   */
  async take(host: string, now: number, isCheck: boolean): Promise<boolean> {
    const row = await this.#prepare(
      `insert into copy_credit (source, host, credit, asked_at) values (?1, ?2, ${TRIALS - 1}, ?3)
       on conflict (source, host) do update set credit = copy_credit.credit - 1, asked_at = ?3
         where copy_credit.credit > ?4 returning credit`,
    ).get(this.#source, host, now, isCheck ? 0 : FOR_CHECKS)
    return row !== undefined
  }

  /** Credits the host for a saved page. */
  async earn(host: string): Promise<void> {
    await this.#prepare(
      "update copy_credit set credit = min(credit + ?, ?) where source = ? and host = ?",
    ).run(EARNS, MOST, this.#source, host)
  }
}
