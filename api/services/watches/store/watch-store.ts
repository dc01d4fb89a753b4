import { randomUUID } from "node:crypto"

import { type Selectable, sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import type { PageUrl } from "#engine"
import type { PageReaders } from "#engine/index/page/readers.ts"

import { KeptByKey } from "../../../identity/accounts/storage/kept-by-key.ts"
import type { Change, Entry, SeenPage, Subject, Watch, WatchOptions } from "../watch.ts"
import { PageTexts } from "./page-texts.ts"
import { migrateWatches, type WatchTables } from "./watch-tables.ts"

/** An address where a crawl changed the index. */
export interface Note {
  readonly seq: number
  readonly url: PageUrl
  readonly at: number
}

/** The result of checking one page for one watch. */
export interface Found {
  readonly watch: string
  readonly url: PageUrl
  /** The entry to send; `null` if nothing changed, or the watch doesn't want this change. */
  readonly entry: Omit<Entry, "seq" | "id" | "watch" | "url" | "at"> | null
  /** The watch's new record of the page; `null` for no record. `text` is null if the text hasn't changed. */
  readonly seen: (SeenPage & { readonly text: string | null }) | null
  /** The text as last seen. */
  readonly before: string | null
}

/** Watches, the pages they have seen and their entries, in `state.db`. All calls are synchronous and short. */
export class WatchStore {
  readonly db: StateStore
  readonly texts: PageTexts
  readonly #kept: KeptByKey
  readonly #queries: Queries<WatchTables>

  /** @param keyBytes maximum number of bytes stored for one key in all; unlimited by default */
  constructor(
    db: StateStore,
    { textBytes, keyBytes = Infinity }: { readonly textBytes: number; readonly keyBytes?: number },
  ) {
    migrateWatches(db)
    this.db = db
    this.#queries = queriesOf(db)
    this.texts = new PageTexts(db, textBytes)
    this.#kept = new KeptByKey(db, keyBytes)
  }

  /** Whether a key may store more data. */
  async hasRoom(key: string): Promise<boolean> {
    return await this.#kept.hasRoom(key)
  }

  /** @returns null if the key already has the maximum number of watches */
  async create(
    { key, subject, ...options }: WatchOptions & Pick<Watch, "key" | "subject">,
    most: number,
  ): Promise<Watch | null> {
    const id = randomUUID()
    return await transaction(this.db, async () => {
      if ((await this.list(key)).length >= most) return null
      await this.#queries
        .insertInto("watch")
        .values({ id, key, subject: JSON.stringify(subject), ...columnsOf(options), created_at: Date.now() })
        .execute()
      return await this.get(id)
    })
  }

  async change(id: string, options: WatchOptions): Promise<Watch | null> {
    await this.#queries.updateTable("watch").set(columnsOf(options)).where("id", "=", id).execute()
    return await this.get(id)
  }

  async delete(id: string): Promise<void> {
    await transaction(this.db, async () => {
      await this.#queries.deleteFrom("watch").where("id", "=", id).execute()
      await this.texts.releaseAll()
      // If no watches are left, there is nothing to check.
      await this.#queries
        .deleteFrom("watch_note")
        .where(sql<boolean>`not exists (select 1 from watch)`)
        .execute()
    })
  }

  async get(id: string): Promise<Watch | null> {
    const row = await this.#queries.selectFrom("watch").selectAll().where("id", "=", id).executeTakeFirst()
    return row === undefined ? null : watchOf(row)
  }

  /** The watches of a key, or all of them, oldest first. */
  async list(key?: string): Promise<Watch[]> {
    const rows = await this.#queries
      .selectFrom("watch")
      .selectAll()
      .$if(key !== undefined, (q) => q.where("key", "=", key!))
      .orderBy("created_at")
      .orderBy("id")
      .execute()
    return rows.map(watchOf)
  }

  /** Notes that are older than `before`, oldest first. */
  async notes(before: number, limit: number): Promise<Note[]> {
    return await this.#queries
      .selectFrom("watch_note")
      .selectAll()
      .where("at", "<=", before)
      .orderBy("seq")
      .limit(limit)
      .execute()
  }

  /** The address that a watch's first check has reached; the check continues after this address. */
  async lookedTo(id: string): Promise<string> {
    const watch = this.#queries.selectFrom("watch").select("looked_to").where("id", "=", id)
    return (await watch.executeTakeFirst())?.looked_to ?? ""
  }

  async seen(watch: string, url: PageUrl): Promise<SeenPage | null> {
    const row = await this.#queries
      .selectFrom("watch_seen")
      .select(["url", "hash", "title", "sources", "readers"])
      .where("watch", "=", watch)
      .where("url", "=", url)
      .executeTakeFirst()
    return row === undefined ? null : filedOf(row)
  }

  async seenCount(watch: string): Promise<number> {
    const { n } = await this.#queries
      .selectFrom("watch_seen")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("watch", "=", watch)
      .executeTakeFirstOrThrow()
    return n
  }

  /**
   * Stores the result of a check, and deletes the notes that led to it, all or nothing.
   * @throws Overtaken, with nothing stored, if another process has deleted them in the meantime
   */
  async keep(found: readonly Found[], notes: readonly Note[], now: number): Promise<void> {
    await transaction(this.db, async () => {
      for (const { seq } of notes) {
        const note = this.#queries.deleteFrom("watch_note").where("seq", "=", seq)
        if ((await note.executeTakeFirst()).numDeletedRows === 0n) throw new Overtaken()
      }
      for (const one of found) {
        const watch = await this.get(one.watch)
        if (watch !== null) await this.#keepOne(one, watch.key, now)
      }
    })
  }

  /**
   * Stores one batch of a watch's first check: pages that already exist are not reported as new. `last`: the address
   * after which to continue.
   */
  async keepFirst(
    watch: string,
    seen: readonly NonNullable<Found["seen"]>[],
    last: string,
    isOver: boolean,
  ): Promise<void> {
    await transaction(this.db, async () => {
      const key = (await this.get(watch))?.key
      if (key === undefined) return
      for (const one of seen) await this.#see(watch, one, key)
      await this.#queries
        .updateTable("watch")
        .set({ looked_to: last, ready_at: isOver ? Date.now() : null })
        .where("id", "=", watch)
        .execute()
    })
  }

  /** Entries, newest first. @param after only entries after this number, in that case oldest first */
  async entries(
    watch: string,
    { limit, after }: { readonly limit: number; readonly after?: number | undefined },
  ): Promise<Entry[]> {
    const rows = await this.#entriesOf(watch, after === undefined ? "desc" : "asc")
      .where("seq", ">", after ?? -1)
      .limit(limit)
      .execute()
    return rows.map(entryOf)
  }

  /** The entries from one number to another. */
  async entriesFrom(watch: string, first: number, last: number): Promise<Entry[]> {
    const rows = await this.#entriesOf(watch)
      .where((eb) => eb.between("seq", first, last))
      .execute()
    return rows.map(entryOf)
  }

  #entriesOf(watch: string, order: "asc" | "desc" = "asc") {
    return this.#queries
      .selectFrom("watch_entry")
      .selectAll()
      .where("watch", "=", watch)
      .orderBy("seq", order)
  }

  /** Deletes entries beyond the newest `most` of each watch, but none that has yet to be sent. */
  async prune(most: number): Promise<void> {
    for (const { id } of await this.list()) {
      await this.#queries
        .deleteFrom("watch_entry")
        .where("watch", "=", id)
        .where(
          sql<boolean>`seq <= (select seq from watch_entry where watch = ${id} order by seq desc limit 1 offset ${most})
           and seq <= (select case when webhook is null and emails = '[]' then ${LAST} else told_to end
             from watch where id = ${id})
           and seq < coalesce((select min(first_entry) from watch_delivery where watch = ${id} and state = 'waiting'),
             ${LAST})`,
        )
        .execute()
    }
  }

  /** If the key has no room left, entries are stored without their diff, and no more pages are remembered. */
  async #keepOne({ watch, url, entry, seen, before }: Found, key: string, now: number): Promise<void> {
    const hasRoom = await this.hasRoom(key)
    if (entry !== null) {
      const { change, title, diff } = entry
      await this.#queries
        .insertInto("watch_entry")
        .values({
          id: randomUUID(),
          watch,
          change,
          url,
          title,
          ...textsOf(entry),
          diff: hasRoom ? diff : null,
          at: now,
          key,
        })
        .execute()
    }
    if (seen === null) {
      await this.#queries.deleteFrom("watch_seen").where("watch", "=", watch).where("url", "=", url).execute()
    } else if (hasRoom || before !== null) {
      await this.#see(watch, seen, key)
      if (seen.text === null) await this.#narrowEntries(watch, url, seen.readers ?? [])
    }
    if (before !== null && before !== seen?.hash) await this.texts.release(before)
  }

  /** Adds readers to earlier entries of a page, so that keys they exclude no longer see those entries, even once the page is gone. */
  async #narrowEntries(watch: string, url: PageUrl, readers: readonly PageReaders[]): Promise<void> {
    for (const row of await this.#entriesOf(watch).where("url", "=", url).execute()) {
      const all = [...(entryOf(row).readers ?? []), ...readers].map((one) => JSON.stringify(one))
      await this.#queries
        .updateTable("watch_entry")
        .set({ readers: `[${[...new Set(all)].join(",")}]` })
        .where("seq", "=", row.seq)
        .execute()
    }
  }

  async #see(
    watch: string,
    { url, hash, title, text, ...filed }: NonNullable<Found["seen"]>,
    key: string,
  ): Promise<void> {
    const seen = { hash, title, ...textsOf(filed), key }
    await this.#queries
      .insertInto("watch_seen")
      .values({ watch, url, ...seen })
      .onConflict((conflict) => conflict.columns(["watch", "url"]).doUpdateSet(seen))
      .execute()
    if (text !== null && (await this.hasRoom(key))) await this.texts.keep(hash, text, key)
  }
}

/** Thrown when another process did the same work first. */
export class Overtaken extends Error {}

/** Larger than any entry's number. */
const LAST = sql.lit(Number.MAX_SAFE_INTEGER)

const columnsOf = ({ name, changes, webhook, emails, everyMinutes, paused }: WatchOptions) => ({
  name,
  changes: JSON.stringify(changes),
  webhook,
  emails: JSON.stringify(emails),
  every_minutes: everyMinutes,
  paused: paused ? 1 : 0,
})

const watchOf = (row: Selectable<WatchTables["watch"]>): Watch => ({
  id: row.id,
  key: row.key,
  subject: JSON.parse(row.subject) as Subject,
  name: row.name,
  changes: JSON.parse(row.changes) as readonly Change[],
  webhook: row.webhook,
  emails: JSON.parse(row.emails) as readonly string[],
  everyMinutes: row.every_minutes,
  paused: row.paused === 1,
  createdAt: new Date(row.created_at),
  readyAt: dateOrNull(row.ready_at),
})

const entryOf = ({ key: _, ...row }: Selectable<WatchTables["watch_entry"]>): Entry => ({
  ...filedOf(row),
  at: new Date(row.at),
})

type Filed = Pick<SeenPage, "sources" | "readers">

const textsOf = ({ sources, readers }: Filed) => ({
  sources: JSON.stringify(sources),
  readers: readers === undefined ? null : JSON.stringify(readers),
})

function filedOf<Row extends { readonly sources: string; readonly readers: string | null }>(
  row: Row,
): Omit<Row, keyof Filed> & Filed {
  const { readers, sources: _sources, ...rest } = row
  return {
    ...rest,
    sources: JSON.parse(row.sources) as Filed["sources"],
    ...(readers !== null && { readers: JSON.parse(String(row.readers)) as NonNullable<Filed["readers"]> }),
  }
}
