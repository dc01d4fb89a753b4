import type { Generated } from "kysely"
import { isLiving, type OwnProcess } from "#base/store/processes/own-process.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed, listedIn, storeTime } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { repeat } from "#base/flow/repeat.ts"
import { Serial } from "#base/flow/serial.ts"
import { steadyNow } from "#base/steady-time.ts"
import { HostTurn, RETRY_MS, type SharedPace, type Turns } from "./host-turn.ts"

interface TurnTables {
  /** Times are measured by the store's clock, so the clocks of the machines need not agree. */
  host_turn: {
    host: string
    process: string | null
    last_at: Generated<number>
    blocked_until: Generated<number>
    delay_ms: Generated<number>
    crawl_delay_ms: number | null
    wanted_until: Generated<number>
  }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table host_turn (
     host ${text} primary key, process ${text}, last_at ${integer} not null default 0, blocked_until ${integer} not null default 0,
     delay_ms ${integer} not null default 0, crawl_delay_ms ${integer}, wanted_until ${integer} not null default 0
   ) ${keyed}`,
]

/** How long after its last request a process is assumed to still want its turn. */
const WANTED_MS = 3 * RETRY_MS
/** Upper limit for a pause or a block recorded by another machine. A longer one means that the machine's clock or the store's was wrong. */
const MOST_MS = 24 * 3_600_000

/** @param hosts a JSON array */
const take = once((q: Queries<TurnTables>, { id, hosts }: { id: string; hosts: string }) =>
  q
    .updateTable("host_turn")
    .set((eb) => ({
      process: id,
      wanted_until: 0,
      last_at: eb
        .case()
        .when(eb.or([eb("process", "is", null), eb("process", "=", id)]))
        .then(eb.ref("last_at"))
        .else(storeTime())
        .end(),
    }))
    .where("host", "in", (eb) =>
      eb
        .selectFrom("host_turn")
        .select("host")
        .where("host", "in", listedIn(hosts))
        .where((one) =>
          one.or([
            one("process", "is", null),
            one("process", "=", id),
            one.not(isLiving(one.ref("process"))),
          ]),
        )
        .forUpdate()
        .skipLocked(),
    )
    .returning(["host", "last_at", "blocked_until", "delay_ms as delayMs", "crawl_delay_ms as crawlDelayMs"])
    .returning(storeTime().as("now")),
)

/** Creates or updates the tables. */
export const migrateHostTurns = (db: StateStore): void => migrate(db, "host-turns", STEPS)

/**
 * This process's turns at hosts that other processes also visit. A host's row says whose turn it is: one process at a
 * time visits a host, so its pace applies to all of them. A process keeps a turn while it needs it and passes it on
 * when others are waiting; if the process is lost, others take the turn.
 */
export class HostTurns implements Turns, AsyncDisposable {
  readonly #db: StateStore
  readonly #queries: Queries<TurnTables>
  readonly #process: OwnProcess
  readonly #turns = new Map<string, HostTurn>()
  readonly #looks: AsyncDisposable
  readonly #onFailure: (error: unknown) => void
  /** Runs calls to the store one at a time, so that a returned turn is written before it is taken again. */
  readonly #asked = new Serial()

  /** @param onFailure receives errors from the store; without turns nothing is visited */
  constructor(db: StateStore, process: OwnProcess, onFailure: (error: unknown) => void) {
    migrateHostTurns(db)
    this.#db = db
    this.#queries = queriesOf(db)
    this.#process = process
    this.#onFailure = onFailure
    this.#looks = repeat(() => this.#inTurn(() => this.#look()), RETRY_MS, { keepsAlive: false })
  }

  /** The turn at the host with this pace. */
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

  /** Must be called when the host's pace is no longer tracked. */
  forget(host: string): void {
    this.#turns.delete(host)
  }

  /** Gives back all turns. Nothing is visited after that. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const turn of this.#turns.values()) turn.settle(false)
    this.#turns.clear()
    await this.#looks[Symbol.asyncDispose]()
    await this.#asked.idle()
  }

  /** Again requests the turns that other processes had, and checks whether others want the turns of this process. */
  async #look(): Promise<void> {
    const now = steadyNow()
    const waiting = [...this.#turns].filter(([, turn]) => turn.isWanted && turn.mayTry(now))
    if (waiting.length > 0) await this.#take(waiting)
    if ([...this.#turns.values()].every((turn) => !turn.isHeld)) return
    const mine = this.#queries.selectFrom("host_turn").select("host").where("process", "=", this.#process.id)
    for (const { host } of await mine.where("wanted_until", ">", storeTime()).execute())
      this.#turns.get(host)?.handOn(now)
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    await this.#asked.run(work).catch(this.#onFailure)
  }

  /** Takes the turns that are available. */
  async #take(turns: readonly (readonly [string, HostTurn])[]): Promise<void> {
    const names = turns.map(([host]) => host)
    const asked = { id: this.#process.id, hosts: JSON.stringify(names) }
    let rows = await take.all(this.#db, asked)
    if (rows.length < turns.length) {
      const { numInsertedOrUpdatedRows: made = 0n } = await this.#queries
        .insertInto("host_turn")
        .values(names.map((host) => ({ host })))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (made > 0n) rows = await take.all(this.#db, asked)
    }
    const now = steadyNow()
    const byHost = new Map(turns)
    /** Turns that were no longer wanted by the time the store answered. */
    const unwanted: [string, HostTurn][] = []
    for (const { host, now: storeNow, last_at, blocked_until, delayMs, crawlDelayMs } of rows) {
      const here = (time: number) => now - Math.max(-MOST_MS, storeNow - time)
      const turn = byHost.get(host)!
      if (turn.isHeld) continue
      if (!turn.isWanted) unwanted.push([host, turn])
      turn.begin(now, { lastAt: here(last_at), blockedUntil: here(blocked_until), delayMs, crawlDelayMs })
    }
    for (const [host, turn] of unwanted) {
      turn.isHeld = false
      await this.#giveBack(host, turn)
    }
    if (rows.length === turns.length) return
    await this.#queries
      .updateTable("host_turn")
      .set((eb) => ({ wanted_until: eb(storeTime(), "+", WANTED_MS) }))
      .where("host", "in", listed(names))
      .where("process", "<>", asked.id)
      .where((eb) => eb("wanted_until", "<", eb(storeTime(), "+", RETRY_MS)))
      .execute()
  }

  async #giveBack(host: string, { pace }: HostTurn): Promise<void> {
    const { lastAt, blockedUntil, delayMs, crawlDelayMs } = pace.past
    const now = steadyNow()
    const ago = Number.isFinite(lastAt) ? Math.min(now - lastAt, MOST_MS) : MOST_MS
    await this.#queries
      .updateTable("host_turn")
      .set((eb) => ({
        process: null,
        last_at: eb(storeTime(), "-", Math.round(Math.max(0, ago))),
        blocked_until: eb(storeTime(), "+", Math.round(Math.max(0, blockedUntil - now))),
        delay_ms: Math.round(delayMs),
        crawl_delay_ms: crawlDelayMs === null ? null : Math.round(crawlDelayMs),
      }))
      .where((eb) => eb.and({ host, process: this.#process.id }))
      .execute()
  }
}
