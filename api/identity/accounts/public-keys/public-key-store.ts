import { randomBytes } from "node:crypto"

import { type RawBuilder, sql, type UpdateObject } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

import { PUBLIC_PREFIX, type PublicKey, type PublicKeySpec } from "./public-key.ts"

interface PublicKeyTables {
  public_key: { id: string; text: string; created_at: string; disabled_at: string | null; spec: string }
}

const STEPS: readonly Step[] = [
  ({ text, keyed }) => `create table public_key (
     id ${text} primary key,
     text ${text} not null unique,
     created_at ${text} not null,
     disabled_at ${text},
     spec ${text} not null
   ) ${keyed}`,
]

const byText = once((q: Queries<PublicKeyTables>, { text }: { text: string }) =>
  q.selectFrom("public_key").selectAll().where("text", "=", text).where("disabled_at", "is", null),
)
const ofOrigin = once((q: Queries<PublicKeyTables>, { origin }: { origin: string }) =>
  q
    .selectFrom(["public_key", sql<{ value: string }>`json_each(spec, '$.origins')`.as("origin")])
    .select("public_key.id")
    .where("disabled_at", "is", null)
    .where("origin.value", "=", origin)
    .limit(1),
)

/** Maximum number of keys: a documentation site needs one. */
export const MOST_PUBLIC_KEYS = 500

/**
 * Public keys in `state.db`, in plain text: they are in web pages anyway, and so the lines to paste into a site can be
 * copied again. They are kept separate from the other keys, so that only the code for public keys can find them.
 */
export class PublicKeyStore {
  readonly #db: StateStore
  readonly #queries: Queries<PublicKeyTables>

  constructor(db: StateStore) {
    migrate(db, "public-keys", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** The key with this text; null if it may not be used. */
  async verify(text: string): Promise<PublicKey | null> {
    const row = await byText.get(this.#db, { text })
    return row === undefined ? null : keyOf(row)
  }

  async get(id: string): Promise<PublicKey | null> {
    const row = await this.#queries
      .selectFrom("public_key")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst()
    return row === undefined ? null : keyOf(row)
  }

  /** All keys, oldest first. */
  async list(): Promise<readonly PublicKey[]> {
    return (
      await this.#queries.selectFrom("public_key").selectAll().orderBy("created_at").orderBy("id").execute()
    ).map(keyOf)
  }

  /** Whether pages of this origin may use any of the keys. */
  async admits(origin: string): Promise<boolean> {
    return (await ofOrigin.get(this.#db, { origin })) !== undefined
  }

  async hasRoom(): Promise<boolean> {
    return (await this.#queries.selectFrom("public_key").select("id").execute()).length < MOST_PUBLIC_KEYS
  }

  async create(spec: PublicKeySpec): Promise<PublicKey> {
    const id = randomBytes(6).toString("hex")
    await this.#queries
      .insertInto("public_key")
      .values({
        id,
        text: `${PUBLIC_PREFIX}${randomBytes(18).toString("base64url")}`,
        created_at: new Date().toISOString(),
        spec: JSON.stringify(spec),
      })
      .execute()
    return (await this.get(id))!
  }

  /** Changes a key's limits, but not its text. @returns null when there is no such key */
  async change(id: string, spec: PublicKeySpec, isDisabled: boolean): Promise<PublicKey | null> {
    await this.#update(id, { spec: JSON.stringify(spec), disabled_at: since(isDisabled) })
    return await this.get(id)
  }

  /** Disables a key until it is enabled. @returns false when there is no such key */
  async disable(id: string): Promise<boolean> {
    return await this.#update(id, { disabled_at: since(true) })
  }

  /** Enables a disabled key. @returns false when there is no such key */
  async enable(id: string): Promise<boolean> {
    return await this.#update(id, { disabled_at: null })
  }

  async #update(id: string, values: UpdateObject<PublicKeyTables, "public_key">): Promise<boolean> {
    const changed = this.#queries.updateTable("public_key").set(values).where("id", "=", id)
    return (await changed.executeTakeFirst()).numUpdatedRows > 0n
  }

  /** Deletes a key. @returns false when there is no such key */
  async delete(id: string): Promise<boolean> {
    const gone = this.#queries.deleteFrom("public_key").where("id", "=", id)
    return (await gone.executeTakeFirst()).numDeletedRows > 0n
  }
}

const since = (isDisabled: boolean): RawBuilder<string> | null =>
  isDisabled ? sql`coalesce(disabled_at, ${new Date().toISOString()})` : null

const keyOf = (row: PublicKeyTables["public_key"]): PublicKey => ({
  ...specOf(JSON.parse(row.spec) as PublicKeySpec),
  id: row.id,
  text: row.text,
  createdAt: new Date(row.created_at),
  disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at),
})

/** Picks the part of a key that is stored as its spec. */
const specOf = (stored: PublicKeySpec): PublicKeySpec => ({
  name: stored.name,
  source: stored.source,
  collection: stored.collection,
  origins: stored.origins,
  answers: stored.answers,
  rateLimits: stored.rateLimits,
  credits: stored.credits,
})
