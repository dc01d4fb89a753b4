import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

import { migrate, type StateStore } from "#crawler/state-store.ts"

/** `search` may use every endpoint; `admin` may also see how the appliance works inside. */
export type KeyRole = "search" | "admin"

export const KEY_ROLES: readonly KeyRole[] = ["search", "admin"]

/** A valid key, without the key itself. */
export interface ApiKey {
  /** Stable name of the key in logs and counters. */
  readonly id: string
  readonly role: KeyRole
}

/** A key that was made here, as lists show it. */
export interface MadeKey extends ApiKey {
  /** What its maker called it; empty for none. */
  readonly name: string
  readonly createdAt: Date
  /** Since when it is refused; null while it is valid. */
  readonly disabledAt: Date | null
}

/**
 * The API keys of this appliance.
 *
 * Only SHA-256 digests are kept. A slow password hash would add nothing: made keys carry 256 random bits, so
 * guessing a digest's source is out of reach at any speed, while the check runs on every request.
 */
export interface KeyStore {
  /** The key behind `presented`, or null. */
  verify(presented: string): ApiKey | null
  /** Makes and stores a key. The return value is the only copy of its text. */
  create(role: KeyRole, name?: string): string
  /** Every key that was made, oldest first. */
  list(): readonly MadeKey[]
  /** Has a key refused from now on, for good. @returns false when there is no such key. */
  disable(id: string): boolean
  /** Whether any key would be accepted. */
  any(): boolean
}

const steps = [
  `create table api_keys (
     id text primary key,
     digest blob not null unique,
     created_at text not null
   ) strict`,
  // Until here only first starts made keys, for the operator.
  `alter table api_keys add column role text not null default 'search' check (role in ('search', 'admin'));
   update api_keys set role = 'admin'`,
  `alter table api_keys add column name text not null default '';
   alter table api_keys add column disabled_at text`,
]

/**
 * @param operatorKey accepted, as admin, as long as it is given here and never stored; empty for none. Its
 *   strength is the operator's choice, which is the other reason to keep even its digest out of the file.
 */
export function openKeyStore(db: StateStore, operatorKey: string): KeyStore {
  migrate(db, "keys", steps)
  const operator = operatorKey === "" ? null : digest(operatorKey)
  const byDigest = db.prepare(
    "select id, digest, role from api_keys where digest = ? and disabled_at is null",
  )
  const insert = db.prepare(
    "insert into api_keys (id, digest, created_at, role, name) values (?, ?, ?, ?, ?)",
  )
  const count = db.prepare("select count(*) as n from api_keys where disabled_at is null")
  const all = db.prepare(
    "select id, role, name, created_at, disabled_at from api_keys order by created_at, id",
  )
  const disable = db.prepare("update api_keys set disabled_at = coalesce(disabled_at, ?) where id = ?")
  return {
    verify(presented) {
      const given = digest(presented)
      if (operator !== null && timingSafeEqual(operator, given)) return { id: "operator", role: "admin" }
      // The index sees digests only: its timing tells nothing about the text of a key.
      const row = byDigest.get(given)
      if (row === undefined || !timingSafeEqual(row["digest"] as Uint8Array, given)) return null
      return { id: row["id"] as string, role: row["role"] as KeyRole }
    },
    create(role, name = "") {
      const key = `fsk-${randomBytes(32).toString("base64url")}`
      insert.run(randomBytes(6).toString("hex"), digest(key), new Date().toISOString(), role, name)
      return key
    },
    list: () =>
      all.all().map((row) => ({
        id: row["id"] as string,
        role: row["role"] as KeyRole,
        name: row["name"] as string,
        createdAt: new Date(row["created_at"] as string),
        disabledAt: row["disabled_at"] === null ? null : new Date(row["disabled_at"] as string),
      })),
    disable: (id) => Number(disable.run(new Date().toISOString(), id).changes) > 0,
    any: () => operator !== null || Number(count.get()!["n"]) > 0,
  }
}

const digest = (key: string): Buffer => createHash("sha256").update(key).digest()
