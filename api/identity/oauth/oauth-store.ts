import { createHash, randomBytes, randomUUID } from "node:crypto"

import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

/** A program that registered itself (RFC 7591). It has no secret: PKCE guards its codes. */
export interface OAuthClient {
  readonly id: string
  /** As it registered, checked. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What somebody let a program do with their key. */
export interface Grant {
  readonly id: string
  readonly client: string
  /** What the program calls itself. */
  readonly clientName: string
  /** Id of the key that was shown. */
  readonly key: string
  /** Collections that it is held to; null: all that the key may see. */
  readonly collections: readonly string[] | null
  readonly createdAt: Date
  readonly usedAt: Date | null
  readonly revokedAt: Date | null
}

/** An authorization that waits for its program to fetch the tokens. */
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

const STEPS = [
  `create table oauth_client (id text primary key, metadata text not null, created_at integer not null) strict;
   create table oauth_grant (
     id text primary key, client text not null, client_name text not null, key text not null, collections text,
     created_at integer not null, used_at integer, revoked_at integer
   ) strict;
   create index oauth_grant_client on oauth_grant (client);
   create table oauth_code (
     digest blob primary key, client text not null, grant_id text not null, redirect_uri text not null, challenge text not null,
     expires_at integer not null, used integer not null default 0
   ) strict;
   create table oauth_token (
     digest blob primary key, grant_id text not null, kind text not null, expires_at integer not null,
     rotated integer not null default 0
   ) strict;
   create index oauth_token_grant on oauth_token (grant_id)`,
]

const MINUTE_MS = 60_000
/** OAuth 2.1, section 4.1.2: ten minutes at most; a program fetches its tokens at once. */
const CODE_MS = 2 * MINUTE_MS
const ACCESS_MS = 60 * MINUTE_MS
/** Each refresh begins it anew. */
const REFRESH_MS = 30 * 24 * 60 * MINUTE_MS
/** Programs that registered and were let in by nobody are forgotten after this. */
const CLIENT_MS = 24 * 60 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/**
 * Of those, the oldest go when another comes: who registers many would otherwise keep everybody else out. Of the twenty an hour that one
 * address may register, fifty addresses fill it in an hour; a person lets a program in within minutes.
 */
const MOST_IDLE_CLIENTS = 1000
/**
 * Refresh tokens of a grant that were exchanged and are remembered, so that one that comes again is noticed: four days of a program that
 * does so each hour. One that does nothing else fills nothing.
 */
const MOST_EXCHANGED = 100
/** Grants of one key, those that ended among them: the one that was used longest ago goes when another comes. */
const MOST_OF_KEY = 200
/** For so long what has ended is shown to the operator. */
const ENDED_MS = REFRESH_MS
const ALL_BEYOND = "limit 9223372036854775807 offset ?"
/** Of use, told to the minute: a grant is not written with each call. */
const USED_MS = MINUTE_MS

/** Clients, grants and tokens in `state.db`. Of codes and tokens only SHA-256 digests are kept, as of keys. */
export class OAuthStore {
  readonly #db: StateStore
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrate(db, "oauth", STEPS)
    this.#db = db
    this.#prepare = prepareOnce(db)
  }

  async register(metadata: Readonly<Record<string, unknown>>): Promise<OAuthClient> {
    const [id, now] = [randomUUID(), Date.now()]
    return await transaction(this.#db, async () => {
      const idle =
        "not exists (select 1 from oauth_grant where client = oauth_client.id and revoked_at is null)"
      await this.#prepare(`delete from oauth_client where created_at < ? and ${idle}`).run(
        (await deletionTime(this.#db, now)) - CLIENT_MS,
      )
      await this.#prepare(
        `delete from oauth_client where id in (
           select id from oauth_client where ${idle} order by created_at desc, id ${ALL_BEYOND})`,
      ).run(MOST_IDLE_CLIENTS - 1)
      await this.#prepare("insert into oauth_client values (?, ?, ?)").run(id, JSON.stringify(metadata), now)
      return { id, metadata }
    })
  }

  async client(id: string): Promise<OAuthClient | null> {
    const row = await this.#prepare("select metadata from oauth_client where id = ?").get(id)
    return row === undefined
      ? null
      : { id, metadata: JSON.parse(String(row["metadata"])) as OAuthClient["metadata"] }
  }

  /** Somebody let a program in. @returns the code with which it fetches its tokens */
  async allow(
    grant: Pick<Grant, "client" | "clientName" | "key" | "collections">,
    { redirectUri, challenge }: Pick<PendingCode, "redirectUri" | "challenge">,
  ): Promise<string> {
    const [id, code] = [randomUUID(), secret()]
    await transaction(this.#db, async () => {
      const now = Date.now()
      const old = await deletionTime(this.#db, now)
      await this.#prepare("delete from oauth_code where expires_at < ?").run(old - CLIENT_MS)
      await this.#prepare("delete from oauth_token where expires_at < ?").run(old)
      await this.#forgetGrants(grant.key, old)
      await this.#prepare(
        "insert into oauth_grant (id, client, client_name, key, collections, created_at) values (?, ?, ?, ?, ?, ?)",
      ).run(
        id,
        grant.client,
        grant.clientName,
        grant.key,
        grant.collections && JSON.stringify(grant.collections),
        now,
      )
      await this.#prepare(
        `insert into oauth_code (digest, client, grant_id, redirect_uri, challenge, expires_at) values (?, ?, ?, ?, ?, ?)`,
      ).run(digest(code), grant.client, id, redirectUri, challenge, now + CODE_MS)
    })
    return code
  }

  /** What a code stands for; null for one that is over, of another program, or not known. One that is used again ends its grant. */
  async code(client: string, code: string): Promise<PendingCode | null> {
    const row = await this.#prepare("select * from oauth_code where digest = ? and client = ?").get(
      digest(code),
      client,
    )
    if (row === undefined) return null
    if (row["used"] === 1) {
      await this.revoke(String(row["grant_id"]))
      return null
    }
    if (Number(row["expires_at"]) < Date.now()) return null
    return {
      client,
      grant: String(row["grant_id"]),
      redirectUri: String(row["redirect_uri"]),
      challenge: String(row["challenge"]),
    }
  }

  /** Turns a code into tokens, once. @returns null when the code was used before; then its grant ends, as {@link code} says */
  async redeem(code: string, grant: string): Promise<IssuedTokens | null> {
    return await transaction(this.#db, async () => {
      const { changes } = await this.#prepare(
        "update oauth_code set used = 1 where digest = ? and used = 0",
      ).run(digest(code))
      if (Number(changes) > 0) return await this.#issue(grant)
      await this.revoke(grant)
      return null
    })
  }

  /**
   * New tokens for a refresh token, which ends with that. One that is used again was stolen, by whoever uses it now or did
   * before: its grant ends (OAuth 2.1, section 4.3.1). Null when it is of no use.
   */
  async refresh(client: string, token: string): Promise<IssuedTokens | null> {
    return await transaction(this.#db, async () => {
      const row = await this.#token(token, "refresh")
      const grant = row && (await this.grant(String(row["grant_id"])))
      if (!row || !grant || grant.client !== client || grant.revokedAt !== null) return null
      if (row["rotated"] === 1) {
        await this.revoke(grant.id)
        return null
      }
      await this.#prepare("update oauth_token set rotated = 1 where digest = ?").run(digest(token))
      await this.#prepare("delete from oauth_token where grant_id = ? and kind = 'access'").run(grant.id)
      return await this.#issue(grant.id)
    })
  }

  /** The grant of a valid access token, and when the token ends; null when it may not be used. */
  async granted(token: string): Promise<{ readonly grant: Grant; readonly expiresAt: Date } | null> {
    const row = await this.#token(token, "access")
    const grant = row && (await this.grant(String(row["grant_id"])))
    if (!row || !grant || grant.revokedAt !== null) return null
    const now = Date.now()
    if (now - (grant.usedAt?.getTime() ?? 0) > USED_MS) {
      await this.#prepare("update oauth_grant set used_at = ? where id = ?").run(now, grant.id)
    }
    return { grant, expiresAt: new Date(Number(row["expires_at"])) }
  }

  /** Ends the grant of a token of this program, whichever kind it is. */
  async revokeToken(client: string, token: string): Promise<void> {
    const row = await this.#prepare("select grant_id from oauth_token where digest = ?").get(digest(token))
    const grant = row && (await this.grant(String(row["grant_id"])))
    if (grant && grant.client === client) await this.revoke(grant.id)
  }

  /** @returns false when there is no such grant, or it is over */
  async revoke(id: string): Promise<boolean> {
    const { changes } = await this.#prepare(
      "update oauth_grant set revoked_at = ? where id = ? and revoked_at is null",
    ).run(Date.now(), id)
    await this.#prepare("delete from oauth_token where grant_id = ?").run(id)
    return Number(changes) > 0
  }

  async grant(id: string): Promise<Grant | null> {
    const row = await this.#prepare("select * from oauth_grant where id = ?").get(id)
    return row === undefined ? null : grantOf(row)
  }

  /** Newest first. */
  async grants(limit: number): Promise<Grant[]> {
    return (
      await this.#prepare("select * from oauth_grant order by created_at desc, id limit ?").all(limit)
    ).map(grantOf)
  }

  /** Those that ended long ago, or that no token can use; and, of this key, all but so many that there is room for one more. */
  async #forgetGrants(key: string, now: number): Promise<void> {
    await this.#prepare(
      `delete from oauth_grant where coalesce(revoked_at, created_at) < ?
         and (revoked_at is not null or not exists (select 1 from oauth_token where grant_id = oauth_grant.id))`,
    ).run(now - ENDED_MS)
    const beyond = await this.#prepare(
      `select id from oauth_grant where key = ? order by coalesce(used_at, created_at) desc, id ${ALL_BEYOND}`,
    ).all(key, MOST_OF_KEY - 1)
    for (const { id } of beyond) {
      for (const sql of [
        "delete from oauth_token where grant_id = ?",
        "delete from oauth_code where grant_id = ?",
        "delete from oauth_grant where id = ?",
      ])
        await this.#prepare(sql).run(String(id))
    }
  }

  async #issue(grant: string): Promise<IssuedTokens> {
    const [access, refresh, now] = [secret(), secret(), Date.now()]
    const insert = this.#prepare(
      "insert into oauth_token (digest, grant_id, kind, expires_at) values (?, ?, ?, ?)",
    )
    await insert.run(digest(access), grant, "access", now + ACCESS_MS)
    await insert.run(digest(refresh), grant, "refresh", now + REFRESH_MS)
    await this.#prepare(
      `delete from oauth_token where digest in (
         select digest from oauth_token where grant_id = ? and rotated = 1 order by expires_at desc ${ALL_BEYOND})`,
    ).run(grant, MOST_EXCHANGED)
    return { access, refresh, expiresIn: ACCESS_MS / 1000 }
  }

  async #token(token: string, kind: "access" | "refresh"): Promise<Record<string, unknown> | null> {
    const row = await this.#prepare("select * from oauth_token where digest = ? and kind = ?").get(
      digest(token),
      kind,
    )
    if (row === undefined) return null
    const left = Number(row["expires_at"]) - Date.now()
    // One of a clock that was years ahead would be valid for years.
    return left < 0 || left > (kind === "access" ? ACCESS_MS : REFRESH_MS) + DAY_MS ? null : row
  }
}

/** 256 random bits: no slow hash would protect it better. */
const secret = (): string => randomBytes(32).toString("base64url")
const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

function grantOf(row: Record<string, unknown>): Grant {
  const collections = row["collections"] as string | null
  return {
    id: String(row["id"]),
    client: String(row["client"]),
    clientName: String(row["client_name"]),
    key: String(row["key"]),
    collections: collections === null ? null : (JSON.parse(collections) as readonly string[]),
    createdAt: new Date(Number(row["created_at"])),
    usedAt: dateOrNull(row["used_at"]),
    revokedAt: dateOrNull(row["revoked_at"]),
  }
}
