import { type StateStore, transaction } from "#base/store/state-store.ts"

import { SessionStore } from "../../identity/sessions/session-store.ts"

/** A session of a person in some browser. */
export interface SignIn {
  /** The digest of its token, which opens nothing. */
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The sessions of people, who have one for each browser in which they signed in. */
export class SignIns {
  readonly #db: StateStore
  readonly #store: SessionStore

  constructor(db: StateStore) {
    this.#db = db
    this.#store = new SessionStore(db)
  }

  /** Those that are not over, the newest first. */
  async of(person: string, now = Date.now()): Promise<readonly SignIn[]> {
    return (await this.#store.ofKey(person, now)).map(({ digest, createdAt, expiresAt }) => ({
      id: Buffer.from(digest).toString("hex"),
      createdAt: new Date(createdAt),
      expiresAt: new Date(expiresAt),
    }))
  }

  /** Ends one, or all. @returns how many ended */
  async end(person: string, id?: string): Promise<number> {
    const digest = id === undefined ? null : Buffer.from(id, "hex")
    return await transaction(this.#db, () => this.#store.endOfKey(person, digest))
  }
}
