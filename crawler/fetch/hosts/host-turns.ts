import { isLivingSql, type OwnProcess } from "#base/store/processes/own-process.ts"
import { SKIP_LOCKED } from "#base/store/state-port.ts"
import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { repeat } from "#base/flow/repeat.ts"
import { Serial } from "#base/flow/serial.ts"
import { steadyNow } from "#base/steady-time.ts"
import { HostTurn, RETRY_MS, type SharedPace, type Turns } from "./host-turn.ts"

const STEPS = [
  `create table host_turn (
     host text primary key, process text, last_at integer not null default 0, blocked_until integer not null default 0,
     delay_ms integer not null default 0, crawl_delay_ms integer, wanted_until integer not null default 0
   ) strict, without rowid`,
]

/** So long a process that asks is taken to want its turn still. */
const WANTED_MS = 3 * RETRY_MS
/** A pause or a block that another machine left, at most: its clock, or the store's, was wrong. */
const MOST_MS = 24 * 3_600_000

/** Milliseconds since 1970 by the clock of the store: machines need not agree on the time. */
const STORE_NOW = "cast(unixepoch('subsec') * 1000 as integer)"

/**
 * The turns of this process at hosts that others visit, too. A host's row says whose turn it is: one process at a time visits a host, so
 * that its own pace is the pace of all of them. A turn is kept while it is wanted, handed on when others wait, and others'
 * to take once its process is lost.
 */
export class HostTurns implements Turns, AsyncDisposable {
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #process: OwnProcess
  readonly #turns = new Map<string, HostTurn>()
  readonly #looks: AsyncDisposable
  readonly #onFailure: (error: unknown) => void
  /** Calls to the store, one at a time: a returned turn is written before it is taken again. */
  readonly #asked = new Serial()

  /** @param onFailure told of an error of the store; without its turns nothing is visited */
  constructor(db: StateStore, process: OwnProcess, onFailure: (error: unknown) => void) {
    migrate(db, "host-turns", STEPS)
    this.#sql = prepareOnce(db)
    this.#process = process
    this.#onFailure = onFailure
    this.#looks = repeat(() => this.#inTurn(() => this.#look()), RETRY_MS, { keepsAlive: false })
  }

  /** The turn at a host whose pace this is. */
  of(host: string, pace: SharedPace): HostTurn {
    const turn = new HostTurn(pace, {
      isSound: () => this.#process.isSound,
      take: (one) => this.#inTurn(() => this.#take([[host, one]])),
      giveBack: (one) =>
        void this.#inTurn(async () => {
          if (!one.isHeld) await this.#giveBack(host, one)
        }),
    })
    this.#turns.set(host, turn)
    return turn
  }

  /** The host's pace is not kept any longer. */
  forget(host: string): void {
    this.#turns.delete(host)
  }

  /** Gives all turns back. Nothing is visited any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const turn of this.#turns.values()) turn.settle(false)
    this.#turns.clear()
    await this.#looks[Symbol.asyncDispose]()
    await this.#asked.idle()
  }

  /** Tries again where another process had the turn, and sees where others want theirs. */
  async #look(): Promise<void> {
    const now = steadyNow()
    const waiting = [...this.#turns].filter(([, turn]) => turn.isWanted && turn.mayTry(now))
    if (waiting.length > 0) await this.#take(waiting)
    if ([...this.#turns.values()].every((turn) => !turn.isHeld)) return
    const wanted = await this.#sql(
      `select host from host_turn where process = ? and wanted_until > ${STORE_NOW}`,
    ).all(this.#process.id)
    for (const { host } of wanted) this.#turns.get(String(host))?.handOn(now)
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    await this.#asked.run(work).catch(this.#onFailure)
  }

  /** Takes what turns can be had. */
  async #take(turns: readonly (readonly [string, HostTurn])[]): Promise<void> {
    const hosts = JSON.stringify(turns.map(([host]) => host))
    const { id } = this.#process
    const take = this.#sql(
      `update host_turn set process = ?1, wanted_until = 0,
         last_at = case when process is null or process = ?1 then last_at else ${STORE_NOW} end
       where host in (
         select host from host_turn where host in (select value from json_each(?2))
           and (process is null or process = ?1 or not ${isLivingSql("process")}) ${SKIP_LOCKED})
       returning host, last_at, blocked_until, delay_ms, crawl_delay_ms, ${STORE_NOW} as now`,
    )
    let rows = await take.all(id, hosts)
    if (rows.length < turns.length) {
      const { changes } = await this.#sql(
        "insert or ignore into host_turn (host) select value from json_each(?) where true",
      ).run(hosts)
      if (Number(changes) > 0) rows = await take.all(id, hosts)
    }
    const now = steadyNow()
    const byHost = new Map(turns)
    /** No longer wanted by the time the store answered. */
    const unwanted: [string, HostTurn][] = []
    for (const row of rows) {
      const ago = (column: string) => Math.max(-MOST_MS, Number(row["now"]) - Number(row[column]))
      const crawlDelay = row["crawl_delay_ms"]
      const turn = byHost.get(String(row["host"]))!
      if (turn.isHeld) continue
      if (!turn.isWanted) unwanted.push([String(row["host"]), turn])
      turn.begin(now, {
        lastAt: now - ago("last_at"),
        blockedUntil: now - ago("blocked_until"),
        delayMs: Number(row["delay_ms"]),
        crawlDelayMs: crawlDelay === null ? null : Number(crawlDelay),
      })
    }
    for (const [host, turn] of unwanted) {
      turn.isHeld = false
      await this.#giveBack(host, turn)
    }
    if (rows.length === turns.length) return
    await this.#sql(
      `update host_turn set wanted_until = ${STORE_NOW} + ${WANTED_MS}
       where host in (select value from json_each(?1)) and process <> ?2 and wanted_until < ${STORE_NOW} + ${RETRY_MS}`,
    ).run(hosts, id)
  }

  async #giveBack(host: string, { pace }: HostTurn): Promise<void> {
    const { lastAt, blockedUntil, delayMs, crawlDelayMs } = pace.past
    const now = steadyNow()
    const ago = Number.isFinite(lastAt) ? Math.min(now - lastAt, MOST_MS) : MOST_MS
    await this.#sql(
      `update host_turn set process = null, last_at = ${STORE_NOW} - ?3, blocked_until = ${STORE_NOW} + ?4, delay_ms = ?5,
         crawl_delay_ms = ?6
       where host = ?1 and process = ?2`,
    ).run(
      host,
      this.#process.id,
      Math.round(Math.max(0, ago)),
      Math.round(Math.max(0, blockedUntil - now)),
      Math.round(delayMs),
      crawlDelayMs === null ? null : Math.round(crawlDelayMs),
    )
  }
}
