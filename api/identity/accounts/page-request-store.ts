import { createHash } from "node:crypto"

import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "./limits/stored-use.ts"

/** What somebody misses in the index: a page by its address, or what a question should find. */
export interface PageRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /** Empty when only a question is known. */
  readonly url: string
  readonly question: string
  readonly comment: string
}

/** All that was asked for in the same words. */
export interface WantedPage {
  /** The same for the same address, or the same question where no address is known. */
  readonly id: string
  readonly url: string
  /** The question and the comment of the last time. */
  readonly question: string
  readonly comment: string
  /** Keys that asked for it. */
  readonly keys: number
  readonly firstAt: number
  readonly lastAt: number
}

export const STORED_REQUESTS: StoredTable = {
  table: "page_request",
  key: "key_id",
  columns: ["url", "question", "comment"],
}

interface PageRequestRow {
  wanted: string
  key_id: string
  url: string
  question: string
  comment: string
  first_at: number
  last_at: number
}

const STEPS = [
  `create table page_request (
     wanted text not null, key_id text not null, url text not null, question text not null, comment text not null,
     first_at integer not null, last_at integer not null, primary key (wanted, key_id)
   ) strict, without rowid;
   create index page_request_by_time on page_request (last_at);
   create index page_request_by_key on page_request (key_id, last_at);
   ${countStored(STORED_REQUESTS)}`,
]

/** More than an operator goes through: the oldest go, of the key that has the most. */
const MOST_ENTRIES = 2000
/** One key may fill such a part, so that there is room left for the others. */
const SHARE_OF_KEY = 2

/**
 * Requests for pages, in `state.db`, until the operator settles them, they are pruned, or newer ones need their room. A key asks for the same thing once, however
 * often it does. `add`, `settle` and `prune` belong into a write transaction.
 */
export class PageRequestStore {
  readonly stored: StoredUse
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #limits: StoreLimits = storeLimits(Infinity, SHARE_OF_KEY, { entries: MOST_ENTRIES })
  readonly #log: BoundedLog<PageRequestRow>
  readonly prune: BoundedLog<PageRequestRow>["prune"]

  constructor(db: StateStore) {
    migrate(db, "page-requests", STEPS)
    this.stored = new StoredUse(db, STORED_REQUESTS)
    this.#prepare = prepareOnce(db)
    this.#log = new BoundedLog(db, {
      table: "page_request",
      owner: "key_id",
      id: ["wanted", "key_id"],
      time: "last_at",
    })
    this.prune = this.#log.prune
  }

  /** @returns its id among {@link list} */
  async add({ at, keyId, url, question, comment }: PageRequest): Promise<string> {
    const id = idOf(url, question)
    await this.#prepare(
      `insert into page_request (wanted, key_id, url, question, comment, first_at, last_at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (wanted, key_id) do update set question = excluded.question, comment = excluded.comment, last_at = excluded.last_at`,
    ).run(id, keyId, url, question, comment, at, at)
    await this.stored.makeRoom(keyId, this.#limits, this.#log.dropOldest)
    return id
  }

  /** What most keys ask for first, the newest of those. */
  async list({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<WantedPage[]> {
    // The words of the one who asked last.
    return (
      await this.#prepare(
        `select wanted, url, question, comment, keys, first_asked as first_at, last_at from (
         select wanted, url, question, comment, last_at, count(*) over (partition by wanted) as keys,
           min(first_at) over (partition by wanted) as first_asked,
           row_number() over (partition by wanted order by last_at desc, key_id) as place
         from page_request) as asked
       where place = 1 order by keys desc, last_at desc, wanted limit ? offset ?`,
      ).all(limit, offset)
    ).map((row) => ({
      id: row["wanted"] as string,
      url: row["url"] as string,
      question: row["question"] as string,
      comment: row["comment"] as string,
      keys: Number(row["keys"]),
      firstAt: Number(row["first_at"]),
      lastAt: Number(row["last_at"]),
    }))
  }

  async count(): Promise<number> {
    return Number((await this.#prepare("select count(distinct wanted) as n from page_request").get())!["n"])
  }

  /** Forgets what was asked for. @returns whether it was there */
  async settle(id: string): Promise<boolean> {
    return Number((await this.#prepare("delete from page_request where wanted = ?").run(id)).changes) > 0
  }
}

function idOf(url: string, question: string): string {
  const wanted = url === "" ? ["question", question.toLowerCase()] : ["url", url]
  return createHash("sha256").update(JSON.stringify(wanted)).digest("hex").slice(0, 16)
}
