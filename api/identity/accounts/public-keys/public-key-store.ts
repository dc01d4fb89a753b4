import { randomBytes } from "node:crypto"

import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

import { PUBLIC_PREFIX, type PublicKey, type PublicKeySpec } from "./public-key.ts"

const STEPS = [
  `create table public_key (
     id text primary key,
     text text not null unique,
     created_at text not null,
     disabled_at text,
     spec text not null
   ) strict, without rowid`,
]

/** Keys at most: a documentation site needs one. */
export const MOST_PUBLIC_KEYS = 500

/**
 * Public keys in `state.db`, as they are: they stand in web pages anyway, so a site's lines can be copied again.
 * They are no part of the other keys, so that what takes a key knows nothing of these but the one door for them.
 */
export class PublicKeyStore {
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrate(db, "public-keys", STEPS)
    this.#prepare = prepareOnce(db)
  }

  /** The key of this text; null when it may not be used. */
  async verify(text: string): Promise<PublicKey | null> {
    const row = await this.#prepare("select * from public_key where text = ? and disabled_at is null").get(
      text,
    )
    return row === undefined ? null : keyOf(row)
  }

  async get(id: string): Promise<PublicKey | null> {
    const row = await this.#prepare("select * from public_key where id = ?").get(id)
    return row === undefined ? null : keyOf(row)
  }

  /** Oldest first. */
  async list(): Promise<readonly PublicKey[]> {
    return (await this.#prepare("select * from public_key order by created_at, id").all()).map(keyOf)
  }

  /** Whether pages of this origin may use any of the keys. */
  async admits(origin: string): Promise<boolean> {
    const found = await this.#prepare(
      `select 1 from public_key, json_each(spec, '$.origins') as origin
       where disabled_at is null and origin.value = ? limit 1`,
    ).get(origin)
    return found !== undefined
  }

  async hasRoom(): Promise<boolean> {
    return (
      Number((await this.#prepare("select count(*) as n from public_key").get())!["n"]) < MOST_PUBLIC_KEYS
    )
  }

  async create(spec: PublicKeySpec): Promise<PublicKey> {
    const id = randomBytes(6).toString("hex")
    await this.#prepare("insert into public_key (id, text, created_at, spec) values (?, ?, ?, ?)").run(
      id,
      `${PUBLIC_PREFIX}${randomBytes(18).toString("base64url")}`,
      new Date().toISOString(),
      JSON.stringify(spec),
    )
    return (await this.get(id))!
  }

  /** Holds a key to something else; its text stays. @returns null when there is no such key */
  async change(id: string, spec: PublicKeySpec, isDisabled: boolean): Promise<PublicKey | null> {
    const now = new Date().toISOString()
    await this.#prepare(
      "update public_key set spec = ?1, disabled_at = case when ?2 = 1 then coalesce(disabled_at, ?3) end where id = ?4",
    ).run(JSON.stringify(spec), isDisabled ? 1 : 0, now, id)
    return await this.get(id)
  }

  /** Refuses a key until it is enabled. @returns false when there is no such key */
  async disable(id: string): Promise<boolean> {
    return await this.#switch(id, true)
  }

  /** Accepts a disabled key again. @returns false when there is no such key */
  async enable(id: string): Promise<boolean> {
    return await this.#switch(id, false)
  }

  async #switch(id: string, isDisabled: boolean): Promise<boolean> {
    const { changes } = await this.#prepare(
      "update public_key set disabled_at = case when ?1 = 1 then coalesce(disabled_at, ?2) end where id = ?3",
    ).run(isDisabled ? 1 : 0, new Date().toISOString(), id)
    return Number(changes) > 0
  }

  /** @returns false when there is no such key */
  async delete(id: string): Promise<boolean> {
    return Number((await this.#prepare("delete from public_key where id = ?").run(id)).changes) > 0
  }
}

function keyOf(row: Record<string, unknown>): PublicKey {
  const disabledAt = row["disabled_at"] as string | null
  return {
    ...specOf(JSON.parse(row["spec"] as string) as PublicKeySpec),
    id: row["id"] as string,
    text: row["text"] as string,
    createdAt: new Date(row["created_at"] as string),
    disabledAt: disabledAt === null ? null : new Date(disabledAt),
  }
}

/** What was stored as a spec, and nothing that stood beside it. */
const specOf = (stored: PublicKeySpec): PublicKeySpec => ({
  name: stored.name,
  source: stored.source,
  collection: stored.collection,
  origins: stored.origins,
  answers: stored.answers,
  rateLimits: stored.rateLimits,
  credits: stored.credits,
})
