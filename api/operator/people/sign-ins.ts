import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

interface SessionTable {
  face_session: { digest: Uint8Array; key_id: string; created_at: number; expires_at: number }
}

/** A session of a person in some browser. */
export interface SignIn {
  /** The digest of its token, which opens nothing. */
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The sessions of people, who have one for each browser in which they signed in. */
export class SignIns {
  readonly #db: StateStore
  readonly #queries: Queries<SessionTable>

  constructor(db: StateStore) {
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** Those that are not over, the newest first. */
  async of(person: string, now = Date.now()): Promise<readonly SignIn[]> {
    if (!(await this.#areAny())) return []
    const rows = await this.#queries
      .selectFrom("face_session")
      .select(["digest", "created_at", "expires_at"])
      .where("key_id", "=", person)
      .where("expires_at", ">", now)
      .orderBy("created_at", "desc")
      .execute()
    return rows.map((row) => ({
      id: Buffer.from(row.digest).toString("hex"),
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
    }))
  }

  /** Nobody may have signed in on this appliance yet. */
  async #areAny(): Promise<boolean> {
    return await hasTable(this.#db, "face_session")
  }

  /** Ends one, or all. @returns how many ended */
  async end(person: string, id?: string): Promise<number> {
    if (!(await this.#areAny())) return 0
    return await transaction(this.#db, async () => {
      const all = this.#queries.deleteFrom("face_session").where("key_id", "=", person)
      const ended = id === undefined ? all : all.where("digest", "=", Buffer.from(id, "hex"))
      return Number((await ended.executeTakeFirst()).numDeletedRows)
    })
  }
}
