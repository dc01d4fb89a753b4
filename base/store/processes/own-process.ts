import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { steadyNow } from "#base/steady-time.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "../state-store.ts"

/** How often a process gives a sign of life, and looks at those of others. */
export const SIGN_MS = 2000
/** One that has given none for so long is lost, as far as other machines can tell. Beyond what a busy machine holds an event loop up. */
const LEASE_MS = 15_000
/** A process stops by itself before others take its work over. */
const MARGIN_MS = 3000
/** After a longer pause between two looks nothing is known of what others did meanwhile. */
const LOOK_MS = 3 * SIGN_MS

const STEPS: readonly string[] = [
  `create table state_process (
     id text primary key, kind text not null, machine text not null, pid integer not null, signs integer not null default 0
   ) strict, without rowid;
   create table state_role (name text primary key, process text not null) strict, without rowid`,
]

/** Whether the process with this id, an expression in SQL, is taken for living. One that is null never was. */
export const isLivingSql = (id: string): string =>
  `exists (select 1 from state_process where state_process.id = ${id})`

/**
 * Rows that processes had in hand which are lost.
 *
 * @param table has the columns `state` and `process`
 * @param state of rows that a process has in hand
 */
export function leftWork(
  sql: ReturnType<typeof prepareOnce>,
  table: string,
  state: string,
): { readonly where: string; readonly isThere: () => Promise<boolean> } {
  const where = `state = '${state}' and not ${isLivingSql(`${table}.process`)}`
  // Asked again and again, and nothing is left as a rule: a read takes no turn among writers.
  return {
    where,
    isThere: async () => (await sql(`select 1 from ${table} where ${where} limit 1`).get()) !== undefined,
  }
}

export const migrateProcesses = (db: StateStore): void => {
  migrate(db, "processes", STEPS)
}

/** Ids of processes are those of a container: where they mean the same process. */
const MACHINE = `${hostname()} ${pidNamespace()}`

/** What another process had said when this one looked, and since when, by the steady clock, it has said no more. */
interface Seen {
  readonly signs: number
  readonly since: number
}

/**
 * This process among all that work on one state. What one has in hand carries its {@link id}, and is another's to take up once it is
 * lost: as soon as a process of the same machine sees that it has ended, or when it has given no sign of life for {@link LEASE_MS}.
 * Each judges by its own steady clock: machines need not agree on the time.
 */
export class OwnProcess implements AsyncDisposable {
  readonly id = randomUUID()
  readonly #db: StateStore
  #kind: string
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #clock: () => number
  #signedAt = Number.NEGATIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #seen = new Map<string, Seen>()

  /**
   * Registers this process.
   *
   * @param kind what it does, for people
   * @param clock steady, in milliseconds
   */
  static async begin(db: StateStore, kind: string, clock: () => number = steadyNow): Promise<OwnProcess> {
    migrateProcesses(db)
    const own = new OwnProcess(db, kind, clock)
    await own.#register()
    return own
  }

  private constructor(db: StateStore, kind: string, clock: () => number) {
    this.#db = db
    this.#kind = kind
    this.#sql = prepareOnce(db)
    this.#clock = clock
  }

  /**
   * Gives a sign of life, every {@link SIGN_MS}.
   * @returns false when it was taken for lost meanwhile: what it had in hand is others' now, and it begins anew with nothing
   */
  async sign(): Promise<boolean> {
    const now = this.#clock()
    const { changes } = await this.#sql("update state_process set signs = signs + 1 where id = ?").run(
      this.id,
    )
    if (Number(changes) === 0) {
      await this.#register()
      return false
    }
    this.#signedAt = now
    return true
  }

  /** Whether nobody can have taken it for lost yet. Asks nobody. */
  get isSound(): boolean {
    return this.#clock() - this.#signedAt < LEASE_MS - MARGIN_MS
  }

  /**
   * Takes processes for lost that are. To be called about every {@link SIGN_MS}; after an outage of the store, when all of them are late,
   * it takes its time again.
   * @returns how many
   */
  async bury(): Promise<number> {
    const now = this.#clock()
    const before = now - this.#lookedAt > LOOK_MS ? new Map<string, Seen>() : this.#seen
    this.#lookedAt = now
    this.#seen = new Map()
    const lost: { readonly id: string; readonly signs: number }[] = []
    for (const row of await this.#sql("select id, machine, pid, signs from state_process where id <> ?").all(
      this.id,
    )) {
      const [id, signs] = [String(row["id"]), Number(row["signs"])]
      const known = before.get(id)
      const since = known?.signs === signs ? known.since : now
      this.#seen.set(id, { signs, since })
      if (hasEnded(row) || now - since >= LEASE_MS) lost.push({ id, signs })
    }
    if (lost.length === 0) return 0
    return await transaction(this.#db, async () => {
      const remove = this.#sql("delete from state_process where id = ? and signs = ?")
      let buried = 0
      for (const { id, signs } of lost) buried += Number((await remove.run(id, signs)).changes)
      return buried
    })
  }

  /** Has one process at a time do something. @returns whether it is this one's to do, from now until it is lost or ends */
  async take(role: string): Promise<boolean> {
    const held = await this.#sql("select 1 from state_role where name = ? and process = ?").get(role, this.id)
    if (held !== undefined) return true
    const row = await this.#sql(
      `insert into state_role (name, process) values (?, ?)
       on conflict (name) do update set process = excluded.process
         where state_role.process = excluded.process or not ${isLivingSql("state_role.process")}
       returning process`,
    ).get(role, this.id)
    return row !== undefined
  }

  /** Whether another process has something to do that is one process's. */
  async isTaken(role: string): Promise<boolean> {
    return (
      (await this.#sql(
        `select 1 from state_role where name = ? and process <> ? and ${isLivingSql("process")}`,
      ).get(role, this.id)) !== undefined
    )
  }

  /** Does something else from now on. */
  async become(kind: string): Promise<void> {
    this.#kind = kind
    await this.#sql("update state_process set kind = ? where id = ?").run(kind, this.id)
  }

  /** Whether others of this kind are taken for living. */
  async hasOthers(kind: string): Promise<boolean> {
    return (
      (await this.#sql("select 1 from state_process where kind = ? and id <> ?").get(kind, this.id)) !==
      undefined
    )
  }

  /** Gives back what it was to do. */
  async leave(role: string): Promise<void> {
    await this.#sql("delete from state_role where name = ? and process = ?").run(role, this.id)
  }

  /** The process ends, with nothing in hand. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql("delete from state_process where id = ?").run(this.id)
  }

  async #register(): Promise<void> {
    await this.#sql("insert into state_process (id, kind, machine, pid) values (?, ?, ?, ?)").run(
      this.id,
      this.#kind,
      MACHINE,
      process.pid,
    )
    this.#signedAt = this.#clock()
  }
}

/** Whether a process of this machine is there no longer; false of those of others. */
function hasEnded(row: Record<string, unknown>): boolean {
  if (row["machine"] !== MACHINE) return false
  try {
    process.kill(Number(row["pid"]), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}
