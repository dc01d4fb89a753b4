import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { type Expression, type Generated, type RawBuilder, sql, type SqlBool } from "kysely"
import { steadyNow } from "#base/steady-time.ts"
import { type Queries, queriesOf } from "../query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "../state-store.ts"

/** How often a process gives a sign of life, and checks those of others. */
export const SIGN_MS = 2000
/** Processes on other machines consider a process lost when it gives no sign of life for this long, which is longer than a busy machine blocks an event loop. */
const LEASE_MS = 15_000
/** A process stops on its own this long before others take over its work. */
const MARGIN_MS = 3000
/** If more time than this passes between checks, it is unknown what others did in the meantime. */
const LOOK_MS = 3 * SIGN_MS

interface ProcessTables {
  state_process: { id: string; kind: string; machine: string; pid: number; signs: Generated<number> }
  state_role: { name: string; process: string }
}

const STEPS: readonly Step[] = [
  ({ text, integer, keyed }) => `create table state_process (
     id ${text} primary key, kind ${text} not null, machine ${text} not null, pid ${integer} not null, signs ${integer} not null default 0
   ) ${keyed};
   create table state_role (name ${text} primary key, process ${text} not null) ${keyed}`,
]

/** Whether the process with this id is considered alive. False for null. */
export const isLiving = (id: Expression<string | null>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from state_process where state_process.id = ${id})`

/**
 * Rows that lost processes were working on.
 *
 * @param table has the columns `state` and `process`
 * @param state the state of rows that a process is working on
 */
export function leftWork(
  db: StateStore,
  table: string,
  state: string,
): { readonly where: RawBuilder<SqlBool>; readonly isThere: () => Promise<boolean> } {
  const where = sql<SqlBool>`(state = ${sql.lit(state)} and not ${isLiving(sql.ref(`${table}.process`))})`
  const some = sql`select 1 from ${sql.table(table)} where ${where} limit 1`
  // This check runs often and usually finds nothing, so it starts with a read, which does not have to wait for its turn
  // among writers.
  return { where, isThere: async () => (await some.execute(queriesOf(db))).rows.length > 0 }
}

export const migrateProcesses = (db: StateStore): void => {
  migrate(db, "processes", STEPS)
}

/** Process ids are unique only within a container, so this identifies the scope in which an id means the same process. */
const MACHINE = `${hostname()} ${pidNamespace()}`

/** Another process's sign count at the last check, and when it last changed, by the steady clock. */
interface Seen {
  readonly signs: number
  readonly since: number
}

/**
 * This process, among all those that work on one state. Its work is marked with its {@link id}, and other processes may
 * take over that work once this process is lost: as soon as a process on the same machine sees that it has ended, or
 * when it has given no sign of life for {@link LEASE_MS}. Each process judges by its own steady clock, so machines need
 * not agree on the time.
 */
export class OwnProcess implements AsyncDisposable {
  readonly id = randomUUID()
  readonly #db: StateStore
  #kind: string
  readonly #queries: Queries<ProcessTables>
  readonly #clock: () => number
  #signedAt = Number.NEGATIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #seen = new Map<string, Seen>()

  /**
   * Registers this process.
   *
   * @param kind what the process does, as text for people
   * @param clock a steady clock, in milliseconds
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
    this.#queries = queriesOf(db)
    this.#clock = clock
  }

  /**
   * Gives a sign of life; called every {@link SIGN_MS}.
   * @returns false if others considered this process lost in the meantime: they have taken over its work, and it starts
   * again without work
   */
  async sign(): Promise<boolean> {
    const now = this.#clock()
    const { numUpdatedRows } = await this.#queries
      .updateTable("state_process")
      .set((eb) => ({ signs: eb("signs", "+", 1) }))
      .where("id", "=", this.id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) {
      await this.#register()
      return false
    }
    this.#signedAt = now
    return true
  }

  /** Whether it is still impossible for any other process to consider this one lost. Runs no query. */
  get isSound(): boolean {
    return this.#clock() - this.#signedAt < LEASE_MS - MARGIN_MS
  }

  /**
   * Removes lost processes. Call it about every {@link SIGN_MS}; after an outage of the store, when all processes are
   * late, it waits the full time again.
   * @returns the number of processes removed
   */
  async bury(): Promise<number> {
    const now = this.#clock()
    const before = now - this.#lookedAt > LOOK_MS ? new Map<string, Seen>() : this.#seen
    this.#lookedAt = now
    this.#seen = new Map()
    const others = await this.#queries
      .selectFrom("state_process")
      .select(["id", "machine", "pid", "signs"])
      .where("id", "<>", this.id)
      .execute()
    const lost: { readonly id: string; readonly signs: number }[] = []
    for (const { id, signs, ...where } of others) {
      const known = before.get(id)
      const since = known?.signs === signs ? known.since : now
      this.#seen.set(id, { signs, since })
      if (hasEnded(where) || now - since >= LEASE_MS) lost.push({ id, signs })
    }
    if (lost.length === 0) return 0
    return await transaction(this.#db, async () => {
      let buried = 0
      for (const { id, signs } of lost) {
        const { numDeletedRows } = await this.#queries
          .deleteFrom("state_process")
          .where("id", "=", id)
          .where("signs", "=", signs)
          .executeTakeFirst()
        buried += Number(numDeletedRows)
      }
      return buried
    })
  }

  /** Takes a role that only one process can have at a time. @returns whether this process has it, from now until it is lost or ends */
  async take(role: string): Promise<boolean> {
    const held = await this.#queries
      .selectFrom("state_role")
      .select("name")
      .where("name", "=", role)
      .where("process", "=", this.id)
      .executeTakeFirst()
    if (held !== undefined) return true
    const row = await this.#queries
      .insertInto("state_role")
      .values({ name: role, process: this.id })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet({ process: this.id })
          .where((eb) =>
            eb.or([eb("state_role.process", "=", this.id), eb.not(isLiving(eb.ref("state_role.process")))]),
          ),
      )
      .returning("process")
      .executeTakeFirst()
    return row !== undefined
  }

  /** Whether another process has this role. */
  async isTaken(role: string): Promise<boolean> {
    const taken = await this.#queries
      .selectFrom("state_role")
      .select("name")
      .where("name", "=", role)
      .where("process", "<>", this.id)
      .where((eb) => isLiving(eb.ref("process")))
      .executeTakeFirst()
    return taken !== undefined
  }

  /** Records that this process now does something else. */
  async become(kind: string): Promise<void> {
    this.#kind = kind
    await this.#queries.updateTable("state_process").set({ kind }).where("id", "=", this.id).execute()
  }

  /** Whether other processes of this kind are considered alive. */
  async hasOthers(kind: string): Promise<boolean> {
    const other = await this.#queries
      .selectFrom("state_process")
      .select("id")
      .where("kind", "=", kind)
      .where("id", "<>", this.id)
      .executeTakeFirst()
    return other !== undefined
  }

  /** Gives up a role. */
  async leave(role: string): Promise<void> {
    await this.#queries
      .deleteFrom("state_role")
      .where("name", "=", role)
      .where("process", "=", this.id)
      .execute()
  }

  /** Removes this process, which no longer has any work. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queries.deleteFrom("state_process").where("id", "=", this.id).execute()
  }

  async #register(): Promise<void> {
    await this.#queries
      .insertInto("state_process")
      .values({ id: this.id, kind: this.#kind, machine: MACHINE, pid: process.pid })
      .execute()
    this.#signedAt = this.#clock()
  }
}

/** Whether a process on this machine has ended; false for those on other machines. */
function hasEnded({ machine, pid }: { readonly machine: string; readonly pid: number }): boolean {
  if (machine !== MACHINE) return false
  try {
    process.kill(pid, 0)
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
