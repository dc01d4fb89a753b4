import { createHmac, randomBytes } from "node:crypto"

import { queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

/** Converts a person's id to one that distinguishes people without identifying anyone. */
export type HumanHash = (id: string) => string

interface SecretTables {
  account_secret: { name: string; value: Uint8Array }
}

const STEPS: readonly Step[] = [
  ({ text, blob, strict }) =>
    `create table account_secret (name ${text} primary key, value ${blob} not null) ${strict}`,
]
const SECRET_BYTES = 32
const SHOWN_CHARS = 32

/**
 * HMAC-SHA256 (RFC 2104) with a secret: with a plain hash, the e-mail address behind an id could be found by hashing
 * addresses.
 * @param secret empty to use one that is created at the first start and kept in `state.db`
 */
export async function openHumanHash(db: StateStore, secret: string): Promise<HumanHash> {
  return hashUnder(secret === "" ? await keptSecret(db, "human-ids") : secret)
}

/** Opens the same kind of hash for the addresses that calls come from. */
export const openCallerHash = async (db: StateStore): Promise<HumanHash> =>
  hashUnder(await keptSecret(db, "callers"))

const hashUnder =
  (key: string | Uint8Array): HumanHash =>
  (id) =>
    createHmac("sha256", key).update(id).digest("hex").slice(0, SHOWN_CHARS)

/** Brings the tables up to date. */
export const migrateSecrets = (db: StateStore): void => migrate(db, "account-secrets", STEPS)

/** Returns the secret with this name, 32 random bytes, which is created on first use and kept in `state.db`. */
export async function keptSecret(db: StateStore, name: string): Promise<Uint8Array> {
  migrateSecrets(db)
  const queries = queriesOf<SecretTables>(db)
  const find = queries.selectFrom("account_secret").select("value").where("name", "=", name)
  if ((await find.executeTakeFirst()) === undefined) {
    // When two processes start at once, the value of the first one is used.
    const make = queries
      .insertInto("account_secret")
      .values({ name, value: randomBytes(SECRET_BYTES) })
      .onConflict((conflict) => conflict.doNothing())
    await db.patiently(() => make.execute())
  }
  return (await find.executeTakeFirstOrThrow()).value
}
