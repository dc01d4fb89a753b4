import { type Expression, type Generated, type Selectable, sql, type SqlBool } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { BoundedLog, type LogFilter, whereOf } from "#base/work/bounded-log.ts"

/**
 * Limits on the log: 40 MB at 400 bytes per entry. One actor can have a fifth of the entries: two years of one change
 * an hour. An actor who floods the log pushes out only their own entries.
 */
const SHARES = { most: 100_000, mostOfOne: 20_000, countEvery: 500 }
const MAX_CHARS = { name: 100, action: 200, object: 300, address: 100 }

interface AuditTables {
  audit_entry: {
    id: Generated<number>
    at: number
    who_kind: Actor["kind"]
    who_id: string
    who_name: string
    action: string
    object: string
    status: number | null
    changes: string
    address: string
  }
}
type AuditRow = AuditTables["audit_entry"]

const STEPS: readonly Step[] = [
  ({ id, integer, text, strict }) => `create table audit_entry (
     id ${id},
     at ${integer} not null,
     who_kind ${text} not null,
     who_id ${text} not null,
     who_name ${text} not null,
     action ${text} not null,
     object ${text} not null,
     status ${integer},
     changes ${text} not null,
     address ${text} not null
   ) ${strict};
   create index audit_entry_at on audit_entry (at);
   create index audit_entry_who on audit_entry (who_id, id)`,
]

/** `key`: a call with an API key; `session`: a user who signed in on a page; `command`: the command line. */
export const ACTOR_KINDS = ["key", "session", "command"] as const

/** Who changed something. */
export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number]
  /** The id of the key, or of the key that the user signed in with, never its text; for the command line, the machine's user. */
  readonly id: string
  /** The key's name at the time; empty if it had none. */
  readonly name: string
}

/** One field, before and after, shortened; `null` if it did not exist, or its value is unknown. */
export interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** A change that was made. */
export interface Change {
  readonly who: Actor
  /** The action, such as `PUT /admin/sources/{name}` or `fossick keys create`. */
  readonly action: string
  /** The thing that was changed, such as `sources/docs`; empty when it has no name. */
  readonly object: string
  /** Status of the response; null for the command line. */
  readonly status: number | null
  readonly changes: readonly FieldChange[]
  /** IP address of the caller; empty for the command line. */
  readonly address: string
}

export interface AuditEntry extends Change {
  readonly id: number
  readonly at: Date
}

/** Selects entries; fields that are left out exclude nothing. */
export interface AuditFilter {
  /** Start of the time range in milliseconds since 1970, inclusive. */
  readonly from?: number | undefined
  /** Exclusive. */
  readonly before?: number | undefined
  /** Id or name of the actor. */
  readonly who?: string | undefined
  /** All objects that begin with this text: `sources`, `sources/docs`; for a key such as `keys/3f9c2a`, also calls that changed it along with other objects. */
  readonly object?: string | undefined
  /** Part of the action, such as `delete` or `/keys`. */
  readonly action?: string | undefined
}

/** Changes made by authorized people and programs, newest first. Contains no secrets: callers mask the values they record. */
export class AuditLog {
  readonly #queries: Queries<AuditTables>
  readonly days: number
  readonly #log: BoundedLog<AuditRow>
  readonly prune: BoundedLog<AuditRow>["prune"]

  /** @param days number of days that entries are kept */
  constructor(db: StateStore, days: number) {
    migrate(db, "audit", STEPS)
    this.#queries = queriesOf(db)
    this.days = days
    this.#log = new BoundedLog(db, {
      table: "audit_entry",
      owner: "who_id",
      order: "id",
      shares: SHARES,
    })
    this.prune = this.#log.prune
  }

  /** Adds an entry with a single statement, to run inside the transaction of the change or separately. */
  async note({ who, action, object, status, changes, address }: Change, at = Date.now()): Promise<void> {
    await this.#queries
      .insertInto("audit_entry")
      .values({
        at,
        who_kind: who.kind,
        who_id: who.id.slice(0, MAX_CHARS.name),
        who_name: who.name.slice(0, MAX_CHARS.name),
        action: action.slice(0, MAX_CHARS.action),
        object: object.slice(0, MAX_CHARS.object),
        status,
        changes: JSON.stringify(changes),
        address: address.slice(0, MAX_CHARS.address),
      })
      .execute()
    await this.#log.wrote()
  }

  /** Entries, newest first. */
  async list(filter: AuditFilter, slice: { limit: number; offset: number }): Promise<readonly AuditEntry[]> {
    return (await this.#log.list(slice, conditionsOf(filter))).map(entryOf)
  }

  /** Entries after this id, oldest first, for an export that runs while other entries are written. */
  async after(id: number, filter: AuditFilter, limit: number): Promise<readonly AuditEntry[]> {
    const rows = await this.#queries
      .selectFrom("audit_entry")
      .selectAll()
      .where("id", ">", id)
      .where(whereOf(conditionsOf(filter)))
      .orderBy("id")
      .limit(limit)
      .execute()
    return rows.map(entryOf)
  }

  async count(filter: AuditFilter): Promise<number> {
    return await this.#log.count(conditionsOf(filter))
  }
}

const conditionsOf =
  ({ from, before, who, object, action }: AuditFilter): LogFilter<AuditRow> =>
  (eb) => [
    ...(from === undefined ? [] : [eb("at", ">=", from)]),
    ...(before === undefined ? [] : [eb("at", "<", before)]),
    ...(who === undefined ? [] : [eb.or([eb("who_id", "=", who), eb("who_name", "=", who)])]),
    ...(object === undefined ? [] : [isOf(object)]),
    ...(action === undefined ? [] : [sql<SqlBool>`instr(lower(action), ${action.toLowerCase()}) > 0`]),
  ]

/** The names of an object's own fields contain no slash; names that refer to another object do. */
function isOf(object: string): Expression<SqlBool> {
  const begins = sql<SqlBool>`substr(object, 1, ${object.length}) = ${object}`
  if (!object.includes("/")) return begins
  const named = JSON.stringify({ field: object }).slice(1, -2)
  return sql<SqlBool>`(${begins} or instr(changes, ${named}) > 0)`
}

const entryOf = (row: Selectable<AuditRow>): AuditEntry => ({
  id: row.id,
  at: new Date(row.at),
  who: { kind: row.who_kind, id: row.who_id, name: row.who_name },
  action: row.action,
  object: row.object,
  status: row.status,
  changes: JSON.parse(row.changes) as FieldChange[],
  address: row.address,
})
