import { createHash } from "node:crypto"

import { sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "./storage/stored-use.ts"

/** Something a user can't find in the index: a page by its address, or an answer to a question. */
export interface PageRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /** Address of the page; empty if only a question is known. */
  readonly url: string
  readonly question: string
  readonly comment: string
}

/** Everything that was requested for the same address, or with the same question. */
export interface WantedPage {
  /** The same for requests with the same address, or with the same question if no address is known. */
  readonly id: string
  readonly url: string
  /** The question and the comment of the latest request. */
  readonly question: string
  readonly comment: string
  /** Number of keys with such a request. */
  readonly keys: number
  readonly firstAt: number
  readonly lastAt: number
}

export const STORED_REQUESTS: StoredTable = {
  table: "page_request",
  key: "key_id",
  columns: ["url", "question", "comment"],
}

interface PageRequestTables {
  page_request: {
    wanted: string
    key_id: string
    url: string
    question: string
    comment: string
    first_at: number
    last_at: number
  }
}
type PageRequestRow = PageRequestTables["page_request"]

const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, keyed } = words
    return `create table page_request (
     wanted ${text} not null, key_id ${text} not null, url ${text} not null, question ${text} not null, comment ${text} not null,
     first_at ${integer} not null, last_at ${integer} not null, primary key (wanted, key_id)
   ) ${keyed};
   create index page_request_by_time on page_request (last_at);
   create index page_request_by_key on page_request (key_id, last_at);
   ${countStored(words, STORED_REQUESTS)}`
  },
]

/** Maximum number of entries, more than an operator can go through; beyond it, the oldest are deleted, from the key that has the most. */
const MOST_ENTRIES = 2000
/** One key may fill 1/SHARE_OF_KEY of the room, so that there is room left for the others. */
const SHARE_OF_KEY = 2

/**
 * Requests for pages, in `state.db`, until the operator settles them, they are pruned, or they make room for newer
 * ones. Repeated requests by a key for the same thing count once. Call `add`, `settle` and `prune` inside a write
 * transaction.
 */
export class PageRequestStore {
  readonly stored: StoredUse
  readonly #queries: Queries<PageRequestTables>
  readonly #limits: StoreLimits = storeLimits(Infinity, SHARE_OF_KEY, { entries: MOST_ENTRIES })
  readonly #log: BoundedLog<PageRequestRow>
  readonly prune: BoundedLog<PageRequestRow>["prune"]

  constructor(db: StateStore) {
    migrate(db, "page-requests", STEPS)
    this.stored = new StoredUse(db, STORED_REQUESTS)
    this.#queries = queriesOf(db)
    this.#log = new BoundedLog(db, {
      table: "page_request",
      owner: "key_id",
      id: ["wanted", "key_id"],
      time: "last_at",
    })
    this.prune = this.#log.prune
  }

  /** @returns the id that the request has in {@link list} */
  async add({ at, keyId, url, question, comment }: PageRequest): Promise<string> {
    const id = idOf(url, question)
    await this.#queries
      .insertInto("page_request")
      .values({ wanted: id, key_id: keyId, url, question, comment, first_at: at, last_at: at })
      .onConflict((conflict) =>
        conflict.columns(["wanted", "key_id"]).doUpdateSet({ question, comment, last_at: at }),
      )
      .execute()
    await this.stored.makeRoom(keyId, this.#limits, this.#log.dropOldest)
    return id
  }

  /** The questions asked by the most keys first; among equals, the newest. */
  async list({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<WantedPage[]> {
    // Uses the wording of the latest caller.
    const asked = this.#queries
      .selectFrom("page_request")
      .select([
        "wanted as id",
        "url",
        "question",
        "comment",
        sql<number>`count(*) over (partition by wanted)`.as("keys"),
        sql<number>`min(first_at) over (partition by wanted)`.as("firstAt"),
        "last_at as lastAt",
        sql<number>`row_number() over (partition by wanted order by last_at desc, key_id)`.as("place"),
      ])
      .as("asked")
    return await this.#queries
      .selectFrom(asked)
      .select(["id", "url", "question", "comment", "keys", "firstAt", "lastAt"])
      .where("place", "=", 1)
      .orderBy("keys", "desc")
      .orderBy("lastAt", "desc")
      .orderBy("id")
      .limit(limit)
      .offset(offset)
      .execute()
  }

  async count(): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("page_request")
      .select((eb) => eb.fn.count<number>("wanted").distinct().as("n"))
      .executeTakeFirstOrThrow()
    return n
  }

  /** Deletes a request. @returns whether it existed */
  async settle(id: string): Promise<boolean> {
    const settled = this.#queries.deleteFrom("page_request").where("wanted", "=", id)
    return (await settled.executeTakeFirst()).numDeletedRows > 0n
  }
}

function idOf(url: string, question: string): string {
  const wanted = url === "" ? ["question", question.toLowerCase()] : ["url", url]
  return createHash("sha256").update(JSON.stringify(wanted)).digest("hex").slice(0, 16)
}
