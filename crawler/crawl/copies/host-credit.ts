import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

const STEPS = [
  `create table copy_credit (
     source text not null, host text not null, credit integer not null, asked_at integer not null,
     primary key (source, host)
   ) strict, without rowid`,
]

/** Copies that a host is asked for before any has spared a page. */
const TRIALS = 20
/** So many of them are left for the visits that find out whether the copies asked for first spare anything. */
const FOR_CHECKS = 10
/** What one spared page is worth: a host of which one copy in twenty helps is still asked. */
const EARNS = 20
/** How many a host with a good past may be asked for in vain. */
const MOST = 1000
/** After so long without a request a host is tried anew. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/** How many more copies each host may be asked for, in `state.db`: each request costs one, each page spared gives more. */
export class HostCredit {
  readonly #source: string
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore, source: string, now: number) {
    migrate(db, "copies", STEPS)
    this.#source = source
    this.#prepare = prepareOnce(db)
    this.#prepare("delete from copy_credit where asked_at < ?").run(now - KEPT_DAYS * DAY_MS)
  }

  /**
   * Takes one request.
   * @param isCheck whether its answer may spare a page at once
   * @returns whether it may be made
   */
  take(host: string, now: number, isCheck: boolean): boolean {
    const row = this.#prepare(
      `insert into copy_credit (source, host, credit, asked_at) values (?1, ?2, ${TRIALS - 1}, ?3)
       on conflict (source, host) do update set credit = copy_credit.credit - 1, asked_at = ?3
         where copy_credit.credit > ?4 returning credit`,
    ).get(this.#source, host, now, isCheck ? 0 : FOR_CHECKS)
    return row !== undefined
  }

  /** A page was spared. */
  earn(host: string): void {
    this.#prepare("update copy_credit set credit = min(credit + ?, ?) where source = ? and host = ?").run(
      EARNS,
      MOST,
      this.#source,
      host,
    )
  }
}
