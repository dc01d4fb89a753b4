import { createHash, randomBytes } from "node:crypto"

import { type Selectable, sql } from "kysely"
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
  ({ text, integer }) => `alter table face_session add column provider ${text};
   alter table face_session add column subject ${text};
   alter table face_session add column provider_session ${text};
   alter table face_session add column proved_at ${integer};
   alter table face_session add column is_renewable ${integer};
   alter table face_session add column held ${text};
   alter table face_session add column asking_until ${integer};
   create index face_session_provider on face_session (provider, provider_session) where provider is not null;
   create index face_session_subject on face_session (provider, subject) where provider is not null`,
]

interface SessionTables {
  face_session: {
    digest: Uint8Array
    key_id: string
    created_at: number
    expires_at: number
    provider: string | null
    subject: string | null
    provider_session: string | null
    proved_at: number | null
    is_renewable: number | null
    held: string | null
    asking_until: number | null
  }
}
type SessionRow = Selectable<SessionTables["face_session"]>

// Runs for each call from a page. `nextDay` excludes sessions that began while the clock was years ahead, which would
// otherwise last for years.
const byDigest = once(
  (q: Queries<SessionTables>, { of, now, nextDay }: { of: Uint8Array; now: number; nextDay: number }) =>
    q
      .selectFrom("face_session")
      .selectAll()
      .where("digest", "=", of)
      .where("expires_at", ">", now)
      .where("created_at", "<", nextDay),
)

/** Maximum number of concurrent sessions per key: when another begins, the oldest ends. Enough for a team of fifty with two machines each. */
const MOST_OF_KEY = 100

const DAY_MS = 86_400_000

/** The reason why a person has access: a provider's facts, and the time at which it vouched for them. */
export interface SessionProof {
  readonly provider: string
  /** Identifies the person at the provider. */
  readonly subject: string
  /** Identifies the session at the provider; null if not known. */
  readonly providerSession: string | null
  readonly provedAt: Date
  /** Whether the provider can be asked again. */
  readonly isRenewable: boolean
  /** Data kept for the provider, sealed. */
  readonly held: string
}

export interface StoredSession {
  /** Id of a key, or of a person if there is a proof. */
  readonly keyId: string
  /** Identifies the session here. */
  readonly digest: Uint8Array
  readonly expiresAt: number
  /** Null if the session began with a key. */
  readonly proof: SessionProof | null
}

/** One user's session in one browser. */
export interface SignIn {
  /** The digest of its token, in hex. It grants no access. */
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
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

  /** Stores a session, and deletes expired ones. Call it inside a write transaction. */
  async add(
    token: string,
    keyId: string,
    now: number,
    lifetimeMs: number,
    proof: SessionProof | null = null,
  ): Promise<void> {
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
      .values({
        digest: digestOf(token),
        key_id: keyId,
        created_at: now,
        expires_at: now + lifetimeMs,
        ...(proof !== null && { ...columnsOf(proof), provider: proof.provider, subject: proof.subject }),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** The session of this token, or null for an unknown or expired one. */
  async find(token: string, now: number): Promise<StoredSession | null> {
    return await this.byDigest(digestOf(token), now)
  }

  async byDigest(digest: Uint8Array, now: number): Promise<StoredSession | null> {
    const row = await byDigest.get(this.#db, { of: digest, now, nextDay: now + DAY_MS })
    return row === undefined ? null : sessionOf(row)
  }

  /** The sessions that can be used to ask a provider about a person, newest proof first. */
  async renewableOf(personId: string, now: number, limit: number): Promise<readonly StoredSession[]> {
    const rows = await this.#queries
      .selectFrom("face_session")
      .selectAll()
      .where("key_id", "=", personId)
      .where("is_renewable", "=", 1)
      .where("expires_at", ">", now)
      .orderBy("proved_at", "desc")
      .limit(limit)
      .execute()
    return rows.map(sessionOf)
  }

  /**
   * Claims the right to ask the provider about a session, which only one process can have at a time: a provider might
   * conclude that a refresh token used twice was stolen. Call it inside a write transaction.
   * @param until when another process may claim the right, if {@link renewed} doesn't release it
   * @returns false when another process has the right, or the proof has changed
   */
  async claim(
    { digest, proof }: Pick<StoredSession, "digest" | "proof">,
    now: number,
    until: number,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#queries
      .updateTable("face_session")
      .set({ asking_until: until })
      .where("digest", "=", digest)
      .where("proved_at", "=", proof?.provedAt.getTime() ?? null)
      .where((eb) => eb.or([eb("asking_until", "is", null), eb("asking_until", "<=", now)]))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Stores a newer proof; if there is none, only releases the claim. Call it inside a write transaction. */
  async renewed(digest: Uint8Array, proof: SessionProof | null): Promise<void> {
    await this.#queries
      .updateTable("face_session")
      .set({ asking_until: null, ...(proof !== null && columnsOf(proof)) })
      .where("digest", "=", digest)
      .execute()
  }

  /** Ends a session permanently. Call it inside a write transaction. */
  async end(token: string): Promise<void> {
    await this.endByDigest(digestOf(token))
  }

  /** Ends the session with this digest. Call it inside a write transaction. */
  async endByDigest(digest: Uint8Array): Promise<void> {
    await this.#queries.deleteFrom("face_session").where("digest", "=", digest).execute()
  }

  /** The sessions of a key or person that have not ended, newest first. */
  async of(keyId: string, now: number): Promise<readonly SignIn[]> {
    const rows = await this.#queries
      .selectFrom("face_session")
      .select(["digest", "created_at", "expires_at"])
      .where("key_id", "=", keyId)
      .where("expires_at", ">", now)
      .orderBy("created_at", "desc")
      .execute()
    return rows.map((row) => ({
      id: Buffer.from(row.digest).toString("hex"),
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
    }))
  }

  /** Ends one of these sessions, or all. Call it inside a write transaction. @returns how many were ended */
  async endOf(keyId: string, id?: SignIn["id"]): Promise<number> {
    const all = this.#queries.deleteFrom("face_session").where("key_id", "=", keyId)
    const ended = id === undefined ? all : all.where("digest", "=", Buffer.from(id, "hex"))
    return Number((await ended.executeTakeFirst()).numDeletedRows)
  }

  /**
   * Ends sessions that began with a provider: those that belong to a session there, to a person, or to both. Call it
   * inside a write transaction. @returns how many were ended
   */
  async endOfProvider(
    provider: string,
    {
      providerSession,
      subject,
    }: { readonly providerSession: string | null; readonly subject: string | null },
  ): Promise<number> {
    if (providerSession === null && subject === null) return 0
    let ended = this.#queries.deleteFrom("face_session").where("provider", "=", provider)
    if (providerSession !== null) ended = ended.where("provider_session", "=", providerSession)
    if (subject !== null) ended = ended.where("subject", "=", subject)
    return Number((await ended.executeTakeFirst()).numDeletedRows)
  }
}

const columnsOf = ({ providerSession, provedAt, isRenewable, held }: SessionProof) => ({
  provider_session: providerSession,
  proved_at: provedAt.getTime(),
  is_renewable: isRenewable ? 1 : 0,
  held,
})

const sessionOf = (row: SessionRow): StoredSession => ({
  keyId: row.key_id,
  digest: row.digest,
  expiresAt: row.expires_at,
  proof:
    row.provider === null
      ? null
      : {
          provider: row.provider,
          subject: row.subject ?? "",
          providerSession: row.provider_session,
          provedAt: new Date(row.proved_at ?? 0),
          isRenewable: row.is_renewable === 1,
          held: row.held ?? "",
        },
})

/** Creates the token of a new session; the return value is its only copy. */
export const newToken = (): string => randomBytes(32).toString("base64url")

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()
