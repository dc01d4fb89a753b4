import { createHash, randomBytes } from "node:crypto"

import { sql } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

const STEPS: readonly Step[] = [
  ({ text, integer, blob, keyed }) => `create table face_session (
     digest ${blob} primary key, key_id ${text} not null, created_at ${integer} not null, expires_at ${integer} not null
   ) ${keyed};
   create index face_session_key on face_session (key_id, created_at);
   create index face_session_end on face_session (expires_at)`,
]

interface SessionTables {
  face_session: { digest: Uint8Array; key_id: string; created_at: number; expires_at: number }
}

// Each call of a page runs this. `nextDay` ends sessions made while the clock was years ahead, which would last for years.
const byDigest = once(
  (q: Queries<SessionTables>, { of, now, nextDay }: { of: Uint8Array; now: number; nextDay: number }) =>
    q
      .selectFrom("face_session")
      .select(["key_id as keyId", "expires_at as expiresAt"])
      .where("digest", "=", of)
      .where("expires_at", ">", now)
      .where("created_at", "<", nextDay),
)

/** Sessions of one key at one time: the oldest ends when another begins. A team of fifty on two machines each. */
const MOST_OF_KEY = 100

const DAY_MS = 86_400_000

export interface StoredSession {
  readonly keyId: string
  readonly expiresAt: number
}

/** The sessions of this appliance. Only SHA-256 digests of their tokens are kept: 256 random bits need no slow hash. */
export class SessionStore {
  readonly #db: StateStore
  readonly #queries: Queries<SessionTables>

  constructor(db: StateStore) {
    migrate(db, "face-sessions", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** Keeps a session, and forgets those that are over. Belongs into a write. */
  async add(token: string, keyId: string, now: number, lifetimeMs: number): Promise<void> {
    const over = await deletionTime(this.#db, now)
    await this.#queries.deleteFrom("face_session").where("expires_at", "<=", over).execute()
    await this.#queries
      .deleteFrom("face_session")
      .where(
        sql<boolean>`digest in (select digest from face_session where key_id = ${keyId}
          order by created_at desc limit ${Number.MAX_SAFE_INTEGER} offset ${MOST_OF_KEY - 1})`,
      )
      .execute()
    await this.#queries
      .insertInto("face_session")
      .values({ digest: digestOf(token), key_id: keyId, created_at: now, expires_at: now + lifetimeMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** The session of this token, or null when there is none, or it is over. */
  async find(token: string, now: number): Promise<StoredSession | null> {
    return (await byDigest.get(this.#db, { of: digestOf(token), now, nextDay: now + DAY_MS })) ?? null
  }

  /** Ends a session for good. Belongs into a write. */
  async end(token: string): Promise<void> {
    await this.#queries.deleteFrom("face_session").where("digest", "=", digestOf(token)).execute()
  }
}

/** The text of a new session; the return value is its only copy. */
export const newToken = (): string => randomBytes(32).toString("base64url")

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()
