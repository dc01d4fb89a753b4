import { createHash, randomBytes } from "node:crypto"

import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

const STEPS = [
  `create table face_session (
     digest blob primary key, key_id text not null, created_at integer not null, expires_at integer not null
   ) strict, without rowid;
   create index face_session_key on face_session (key_id, created_at);
   create index face_session_end on face_session (expires_at)`,
]

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
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrate(db, "face-sessions", STEPS)
    this.#db = db
    this.#prepare = prepareOnce(db)
  }

  /** Keeps a session, and forgets those that are over. Belongs into a write. */
  async add(token: string, keyId: string, now: number, lifetimeMs: number): Promise<void> {
    await this.#prepare("delete from face_session where expires_at <= ?").run(
      await deletionTime(this.#db, now),
    )
    await this.#prepare(
      `delete from face_session where digest in (
         select digest from face_session where key_id = ? order by created_at desc limit 9223372036854775807 offset ?)`,
    ).run(keyId, MOST_OF_KEY - 1)
    await this.#prepare(
      "insert into face_session (digest, key_id, created_at, expires_at) values (?, ?, ?, ?) on conflict do nothing",
    ).run(digestOf(token), keyId, now, now + lifetimeMs)
  }

  /** The session of this token, or null when there is none, or it is over. */
  async find(token: string, now: number): Promise<StoredSession | null> {
    const row = await this.#prepare(
      "select key_id, expires_at from face_session where digest = ? and expires_at > ? and created_at < ?",
      // One of a clock that was years ahead would last for years.
    ).get(digestOf(token), now, now + DAY_MS)
    return row === undefined ? null : { keyId: String(row["key_id"]), expiresAt: Number(row["expires_at"]) }
  }

  /** Ends a session for good. Belongs into a write. */
  async end(token: string): Promise<void> {
    await this.#prepare("delete from face_session where digest = ?").run(digestOf(token))
  }
}

/** The text of a new session; the return value is its only copy. */
export const newToken = (): string => randomBytes(32).toString("base64url")

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()
