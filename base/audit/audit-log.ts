import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { BoundedLog, type LogFilter, whereOf } from "#base/work/bounded-log.ts"

/**
 * 40 MB where each entry takes 400 bytes. A fifth is for one actor: two years of a change in each hour, and whoever makes
 * changes on purpose pushes out entries of their own.
 */
const SHARES = { most: 100_000, mostOfOne: 20_000, countEvery: 500 }
const MAX_CHARS = { name: 100, action: 200, object: 300, address: 100 }

const STEPS = [
  `create table audit_entry (
     id integer primary key,
     at integer not null,
     who_kind text not null,
     who_id text not null,
     who_name text not null,
     action text not null,
     object text not null,
     status integer,
     changes text not null,
     address text not null
   ) strict;
   create index audit_entry_at on audit_entry (at);
   create index audit_entry_who on audit_entry (who_id, id)`,
]

/** `key`: a call with an API key; `session`: somebody who signed in on a page; `command`: the command line. */
export const ACTOR_KINDS = ["key", "session", "command"] as const

/** Who changed something. */
export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number]
  /** Of a key or the one somebody signed in with: its id, never its text; of the command line: the user of the machine. */
  readonly id: string
  /** What the key was called then; empty: it had no name. */
  readonly name: string
}

/** One field, before and after, in short; null: it was not there, or what it was is not known. */
export interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** A change that was made. */
export interface Change {
  readonly who: Actor
  /** `PUT /admin/sources/{name}`, `fossick keys create`. */
  readonly action: string
  /** What was changed, `sources/docs`; empty for what has no name. */
  readonly object: string
  /** Of the answer; null for the command line. */
  readonly status: number | null
  readonly changes: readonly FieldChange[]
  /** IP address of the caller; empty for the command line. */
  readonly address: string
}

export interface AuditEntry extends Change {
  readonly id: number
  readonly at: Date
}

/** Which entries are wanted; what is left out does not matter. */
export interface AuditFilter {
  /** Milliseconds since 1970, inclusive. */
  readonly from?: number | undefined
  /** Exclusive. */
  readonly before?: number | undefined
  /** Id or name of who it was. */
  readonly who?: string | undefined
  /** All that begins so: `sources`, `sources/docs`; a key also where it is one of several that a call changed: `keys/3f9c2a`. */
  readonly object?: string | undefined
  /** A part of what was done: `delete`, `/keys`. */
  readonly action?: string | undefined
}

/** What was changed by people and programs who may, newest first. Nothing here is a secret: callers mask what they note. */
export class AuditLog {
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly days: number
  readonly #log: BoundedLog
  readonly prune: BoundedLog["prune"]

  /** @param days for which entries are kept */
  constructor(db: StateStore, days: number) {
    migrate(db, "audit", STEPS)
    this.#sql = prepareOnce(db)
    this.days = days
    this.#log = new BoundedLog(this.#sql, {
      table: "audit_entry",
      owner: "who_id",
      order: "id",
      shares: SHARES,
    })
    this.prune = this.#log.prune
  }

  /** Belongs into a write transaction, or stands for one. */
  async note({ who, action, object, status, changes, address }: Change, at = Date.now()): Promise<void> {
    await this.#sql(
      `insert into audit_entry (at, who_kind, who_id, who_name, action, object, status, changes, address)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      at,
      who.kind,
      who.id.slice(0, MAX_CHARS.name),
      who.name.slice(0, MAX_CHARS.name),
      action.slice(0, MAX_CHARS.action),
      object.slice(0, MAX_CHARS.object),
      status,
      JSON.stringify(changes),
      address.slice(0, MAX_CHARS.address),
    )
    await this.#log.wrote()
  }

  /** Newest first. */
  async list(filter: AuditFilter, slice: { limit: number; offset: number }): Promise<readonly AuditEntry[]> {
    return (await this.#log.list(slice, conditionsOf(filter))).map(entryOf)
  }

  /** Oldest first, from the one after this id on: what an export goes through, while others are written. */
  async after(id: number, filter: AuditFilter, limit: number): Promise<readonly AuditEntry[]> {
    const { where, values } = whereOf(conditionsOf(filter))
    return (
      await this.#sql(`select * from audit_entry where id > ? and ${where} order by id limit ?`).all(
        id,
        ...values,
        limit,
      )
    ).map(entryOf)
  }

  async count(filter: AuditFilter): Promise<number> {
    return await this.#log.count(conditionsOf(filter))
  }
}

function conditionsOf({ from, before, who, object, action }: AuditFilter): LogFilter {
  const parts: (readonly [string, ...(string | number)[]])[] = []
  if (from !== undefined) parts.push(["at >= ?", from])
  if (before !== undefined) parts.push(["at < ?", before])
  if (who !== undefined) parts.push(["(who_id = ? or who_name = ?)", who, who])
  if (object !== undefined) parts.push(objectCondition(object))
  if (action !== undefined) parts.push(["instr(lower(action), ?) > 0", action.toLowerCase()])
  return parts
}

/** Fields of an object have no slash in their names; those that name another object do. */
function objectCondition(object: string): readonly [string, ...(string | number)[]] {
  const begins = "substr(object, 1, ?) = ?"
  if (!object.includes("/")) return [begins, object.length, object]
  const named = JSON.stringify({ field: object }).slice(1, -2)
  return [`(${begins} or instr(changes, ?) > 0)`, object.length, object, named]
}

const entryOf = (row: Record<string, unknown>): AuditEntry => ({
  id: Number(row["id"]),
  at: new Date(Number(row["at"])),
  who: {
    kind: row["who_kind"] as Actor["kind"],
    id: String(row["who_id"]),
    name: String(row["who_name"]),
  },
  action: String(row["action"]),
  object: String(row["object"]),
  status: row["status"] === null ? null : Number(row["status"]),
  changes: JSON.parse(String(row["changes"])) as FieldChange[],
  address: String(row["address"]),
})
