import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

import { migrate, type StateStore } from "#crawler/state-store.ts"

/** `search` may use every endpoint; `admin` may also see how the appliance works inside. */
export type KeyRole = "search" | "admin"

/** A valid key, without the key itself. */
export interface ApiKey {
  /** Stable name of the key in logs and counters. */
  readonly id: string
  readonly role: KeyRole
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
  create(role: KeyRole): string
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
]

/**
 * @param operatorKey accepted, as admin, as long as it is given here and never stored; empty for none. Its
 *   strength is the operator's choice, which is the other reason to keep even its digest out of the file.
 */
export function openKeyStore(db: StateStore, operatorKey: string): KeyStore {
  migrate(db, "keys", steps)
  const operator = operatorKey === "" ? null : digest(operatorKey)
  const byDigest = db.prepare("select id, digest, role from api_keys where digest = ?")
  const insert = db.prepare("insert into api_keys (id, digest, created_at, role) values (?, ?, ?, ?)")
  const count = db.prepare("select count(*) as n from api_keys")
  return {
    verify(presented) {
      const given = digest(presented)
      if (operator !== null && timingSafeEqual(operator, given)) return { id: "operator", role: "admin" }
      // The index sees digests only: its timing tells nothing about the text of a key.
      const row = byDigest.get(given)
      if (row === undefined || !timingSafeEqual(row["digest"] as Uint8Array, given)) return null
      return { id: row["id"] as string, role: row["role"] as KeyRole }
    },
    create(role) {
      const key = `fsk-${randomBytes(32).toString("base64url")}`
      insert.run(randomBytes(6).toString("hex"), digest(key), new Date().toISOString(), role)
      return key
    },
    any: () => operator !== null || Number(count.get()!["n"]) > 0,
  }
}

const digest = (key: string): Buffer => createHash("sha256").update(key).digest()
