import { createHash, randomBytes, randomUUID } from "node:crypto"

import { type Generated, type Selectable, sql } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"
import { ACCESS_MS, CLIENT_MS, CLOCK_ERROR_MS, CODE_MS, ENDED_MS, REFRESH_MS } from "./lifetimes.ts"

/** A program that registered itself (RFC 7591). It has no secret: PKCE guards its codes. */
export interface OAuthClient {
  readonly id: string
  /** The registered metadata, validated. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The rights a user gave a program with their key. */
export interface Grant {
  readonly id: string
  readonly client: string
  /** The program's own name. */
  readonly clientName: string
  /** Id of the key that the user presented. */
  readonly key: string
  /** Collections that the program is limited to; null for everything that the key may see. */
  readonly collections: readonly string[] | null
  readonly createdAt: Date
  readonly usedAt: Date | null
  readonly revokedAt: Date | null
}

/** An authorization whose program has yet to fetch the tokens. */
export interface PendingCode {
  readonly client: string
  readonly grant: string
  readonly redirectUri: string
  readonly challenge: string
}

export interface IssuedTokens {
  readonly access: string
  readonly refresh: string
  /** Seconds for which `access` is valid. */
  readonly expiresIn: number
}

type TokenKind = "access" | "refresh"

interface OAuthTables {
  oauth_client: { id: string; metadata: string; created_at: number }
  oauth_grant: {
    id: string
    client: string
    client_name: string
    key: string
    collections: string | null
    created_at: number
    used_at: number | null
    revoked_at: number | null
  }
  oauth_code: {
    digest: Uint8Array
    client: string
    grant_id: string
    redirect_uri: string
    challenge: string
    expires_at: number
    used: Generated<number>
  }
  oauth_token: {
    digest: Uint8Array
    grant_id: string
    kind: TokenKind
    expires_at: number
    rotated: Generated<number>
  }
}
type GrantRow = OAuthTables["oauth_grant"]

const STEPS: readonly Step[] = [
  ({
    text,
    integer,
    blob,
    strict,
  }) => `create table oauth_client (id ${text} primary key, metadata ${text} not null, created_at ${integer} not null) ${strict};
   create table oauth_grant (
     id ${text} primary key, client ${text} not null, client_name ${text} not null, key ${text} not null, collections ${text},
     created_at ${integer} not null, used_at ${integer}, revoked_at ${integer}
   ) ${strict};
   create index oauth_grant_client on oauth_grant (client);
   create table oauth_code (
     digest ${blob} primary key, client ${text} not null, grant_id ${text} not null, redirect_uri ${text} not null, challenge ${text} not null,
     expires_at ${integer} not null, used ${integer} not null default 0
   ) ${strict};
   create table oauth_token (
     digest ${blob} primary key, grant_id ${text} not null, kind ${text} not null, expires_at ${integer} not null,
     rotated ${integer} not null default 0
   ) ${strict};
   create index oauth_token_grant on oauth_token (grant_id)`,
]

/**
 * Maximum number of programs without a grant; when another registers, the oldest is deleted: otherwise one caller with
 * many registrations would keep everyone else out. At the twenty registrations an hour that one address may make, fifty
 * addresses reach this number in an hour; a person admits a program within minutes.
 */
const MOST_IDLE_CLIENTS = 1000
/**
 * Maximum number of exchanged refresh tokens remembered per grant, so that their reuse is noticed: four days for a
 * program that refreshes hourly. A program that only refreshes cannot fill the store.
 */
const MOST_EXCHANGED = 100
/** Maximum number of grants for one key, including ended ones: the least recently used is deleted when another is added. */
const MOST_OF_KEY = 200
/** Precision of a grant's last use: one minute, so that the grant is not written with every call. */
const USED_MS = 60_000

// Statements that run for each call with a token.
const grantById = once((q: Queries<OAuthTables>, { id }: { id: string }) =>
  q.selectFrom("oauth_grant").selectAll().where("id", "=", id),
)
const tokenByDigest = once((q: Queries<OAuthTables>, { of }: { of: Uint8Array }) =>
  q.selectFrom("oauth_token").selectAll().where("digest", "=", of),
)

/** Clients, grants and tokens in `state.db`. Codes and tokens are stored only as SHA-256 digests, like keys. */
export class OAuthStore {
  readonly #db: StateStore
  readonly #queries: Queries<OAuthTables>

  constructor(db: StateStore) {
    migrate(db, "oauth", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  async register(metadata: Readonly<Record<string, unknown>>): Promise<OAuthClient> {
    const [id, now] = [randomUUID(), Date.now()]
    return await transaction(this.#db, async () => {
      const idle = sql<boolean>`not exists (
        select 1 from oauth_grant where client = oauth_client.id and revoked_at is null)`
      await this.#queries
        .deleteFrom("oauth_client")
        .where("created_at", "<", (await deletionTime(this.#db, now)) - CLIENT_MS)
        .where(idle)
        .execute()
      await this.#queries
        .deleteFrom("oauth_client")
        .where(
          sql<boolean>`id in (select id from oauth_client where ${idle}
            order by created_at desc, id limit ${Number.MAX_SAFE_INTEGER} offset ${MOST_IDLE_CLIENTS - 1})`,
        )
        .execute()
      await this.#queries
        .insertInto("oauth_client")
        .values({ id, metadata: JSON.stringify(metadata), created_at: now })
        .execute()
      return { id, metadata }
    })
  }

  async client(id: string): Promise<OAuthClient | null> {
    const row = await this.#queries
      .selectFrom("oauth_client")
      .select("metadata")
      .where("id", "=", id)
      .executeTakeFirst()
    return row === undefined ? null : { id, metadata: JSON.parse(row.metadata) as OAuthClient["metadata"] }
  }

  /** Records that a user admitted a program. @returns the code with which the program fetches its tokens */
  async allow(
    grant: Pick<Grant, "client" | "clientName" | "key" | "collections">,
    { redirectUri, challenge }: Pick<PendingCode, "redirectUri" | "challenge">,
  ): Promise<string> {
    const [id, code] = [randomUUID(), secret()]
    await transaction(this.#db, async () => {
      const now = Date.now()
      const old = await deletionTime(this.#db, now)
      await this.#queries
        .deleteFrom("oauth_code")
        .where("expires_at", "<", old - CLIENT_MS)
        .execute()
      await this.#queries.deleteFrom("oauth_token").where("expires_at", "<", old).execute()
      await this.#forgetGrants(grant.key, old)
      const { client, clientName, key, collections } = grant
      await this.#queries
        .insertInto("oauth_grant")
        .values({
          id,
          client,
          client_name: clientName,
          key,
          collections: collections && JSON.stringify(collections),
          created_at: now,
        })
        .execute()
      await this.#queries
        .insertInto("oauth_code")
        .values({
          digest: digest(code),
          client,
          grant_id: id,
          redirect_uri: redirectUri,
          challenge,
          expires_at: now + CODE_MS,
        })
        .execute()
    })
    return code
  }

  /**
   * The grant behind a code; null if the code is expired, unknown, or another program's. A code used twice ends its
   * grant.
   */
  async code(client: string, code: string): Promise<PendingCode | null> {
    const row = await this.#queries
      .selectFrom("oauth_code")
      .selectAll()
      .where("digest", "=", digest(code))
      .where("client", "=", client)
      .executeTakeFirst()
    if (row === undefined) return null
    if (row.used === 1) {
      await this.revoke(row.grant_id)
      return null
    }
    if (row.expires_at < Date.now()) return null
    return { client, grant: row.grant_id, redirectUri: row.redirect_uri, challenge: row.challenge }
  }

  /**
   * Exchanges a code for tokens, once. @returns null if the code was used before; its grant then ends, as described at
   * {@link code}
   */
  async redeem(code: string, grant: string): Promise<IssuedTokens | null> {
    return await transaction(this.#db, async () => {
      const { numUpdatedRows } = await this.#queries
        .updateTable("oauth_code")
        .set({ used: 1 })
        .where("digest", "=", digest(code))
        .where("used", "=", 0)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) return await this.#issue(grant)
      await this.revoke(grant)
      return null
    })
  }

  /**
   * New tokens for a refresh token, which thereby expires. If a refresh token is used again, it was stolen, either by
   * this caller or by an earlier one, so its grant ends (OAuth 2.1, section 4.3.1). Null if the token is invalid.
   */
  async refresh(client: string, token: string): Promise<IssuedTokens | null> {
    return await transaction(this.#db, async () => {
      const row = await this.#token(token, "refresh")
      const grant = row && (await this.grant(row.grant_id))
      if (!row || !grant || grant.client !== client || grant.revokedAt !== null) return null
      if (row.rotated === 1) {
        await this.revoke(grant.id)
        return null
      }
      await this.#queries
        .updateTable("oauth_token")
        .set({ rotated: 1 })
        .where("digest", "=", row.digest)
        .execute()
      await this.#tokensGone(grant.id).where("kind", "=", "access").execute()
      return await this.#issue(grant.id)
    })
  }

  /** The grant of a valid access token, and when the token expires; null for an invalid one. */
  async granted(token: string): Promise<{ readonly grant: Grant; readonly expiresAt: Date } | null> {
    const row = await this.#token(token, "access")
    const grant = row && (await this.grant(row.grant_id))
    if (!row || !grant || grant.revokedAt !== null) return null
    const now = Date.now()
    if (now - (grant.usedAt?.getTime() ?? 0) > USED_MS) {
      await this.#queries
        .updateTable("oauth_grant")
        .set({ used_at: now })
        .where("id", "=", grant.id)
        .execute()
    }
    return { grant, expiresAt: new Date(row.expires_at) }
  }

  /** Ends the grant behind a token of this program, whichever kind of token it is. */
  async revokeToken(client: string, token: string): Promise<void> {
    const row = await tokenByDigest.get(this.#db, { of: digest(token) })
    const grant = row && (await this.grant(row.grant_id))
    if (grant && grant.client === client) await this.revoke(grant.id)
  }

  /** Ends a grant. @returns false when there is no such grant, or it has already ended */
  async revoke(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#queries
      .updateTable("oauth_grant")
      .set({ revoked_at: Date.now() })
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .executeTakeFirst()
    await this.#tokensGone(id).execute()
    return numUpdatedRows > 0n
  }

  async grant(id: string): Promise<Grant | null> {
    const row = await grantById.get(this.#db, { id })
    return row === undefined ? null : grantOf(row)
  }

  /** The grants, newest first. */
  async grants(limit: number): Promise<Grant[]> {
    const rows = await this.#queries
      .selectFrom("oauth_grant")
      .selectAll()
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute()
    return rows.map(grantOf)
  }

  #tokensGone(grant: string) {
    return this.#queries.deleteFrom("oauth_token").where("grant_id", "=", grant)
  }

  /**
   * Deletes grants that ended long ago or that no token can use, and, for this key, enough grants to make room for one
   * more.
   */
  async #forgetGrants(key: string, now: number): Promise<void> {
    await this.#queries
      .deleteFrom("oauth_grant")
      .where(sql<boolean>`coalesce(revoked_at, created_at) < ${now - ENDED_MS}
         and (revoked_at is not null or not exists (select 1 from oauth_token where grant_id = oauth_grant.id))`)
      .execute()
    const beyond = await this.#queries
      .selectFrom("oauth_grant")
      .select("id")
      .where("key", "=", key)
      .orderBy(sql`coalesce(used_at, created_at)`, "desc")
      .orderBy("id")
      .limit(Number.MAX_SAFE_INTEGER)
      .offset(MOST_OF_KEY - 1)
      .execute()
    for (const { id } of beyond) {
      await this.#tokensGone(id).execute()
      await this.#queries.deleteFrom("oauth_code").where("grant_id", "=", id).execute()
      await this.#queries.deleteFrom("oauth_grant").where("id", "=", id).execute()
    }
  }

  async #issue(grant: string): Promise<IssuedTokens> {
    const [access, refresh, now] = [secret(), secret(), Date.now()]
    await this.#queries
      .insertInto("oauth_token")
      .values([
        { digest: digest(access), grant_id: grant, kind: "access", expires_at: now + ACCESS_MS },
        { digest: digest(refresh), grant_id: grant, kind: "refresh", expires_at: now + REFRESH_MS },
      ])
      .execute()
    await this.#queries
      .deleteFrom("oauth_token")
      .where(
        sql<boolean>`digest in (select digest from oauth_token where grant_id = ${grant} and rotated = 1
          order by expires_at desc limit ${Number.MAX_SAFE_INTEGER} offset ${MOST_EXCHANGED})`,
      )
      .execute()
    return { access, refresh, expiresIn: ACCESS_MS / 1000 }
  }

  async #token(token: string, kind: TokenKind): Promise<Selectable<OAuthTables["oauth_token"]> | null> {
    const row = await tokenByDigest.get(this.#db, { of: digest(token) })
    if (row?.kind !== kind) return null
    const left = row.expires_at - Date.now()
    // A token issued while the clock was years ahead would be valid for years.
    return left < 0 || left > (kind === "access" ? ACCESS_MS : REFRESH_MS) + CLOCK_ERROR_MS ? null : row
  }
}

/** A secret of 256 random bits, which no slow hash would protect better. */
const secret = (): string => randomBytes(32).toString("base64url")
const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

const grantOf = (row: GrantRow): Grant => ({
  id: row.id,
  client: row.client,
  clientName: row.client_name,
  key: row.key,
  collections: row.collections === null ? null : (JSON.parse(row.collections) as readonly string[]),
  createdAt: new Date(row.created_at),
  usedAt: dateOrNull(row.used_at),
  revokedAt: dateOrNull(row.revoked_at),
})
