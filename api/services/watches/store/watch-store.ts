import { randomUUID } from "node:crypto"

import { replaceSql } from "#base/store/state-port.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import type { PageUrl } from "#engine"

import { KeptByKey } from "../../../identity/accounts/limits/kept-by-key.ts"
import type { Change, Entry, SeenPage, Subject, Watch, WatchOptions } from "../watch.ts"
import { PageTexts } from "./page-texts.ts"
import { migrateWatches } from "./watch-tables.ts"

/** An address of which a crawl changed what the index holds. */
export interface Note {
  readonly seq: number
  readonly url: PageUrl
  readonly at: number
}

/** What a look found of one page for one watch. */
export interface Found {
  readonly watch: string
  readonly url: PageUrl
  /** To be told; null: it is no news, or none that is wanted. */
  readonly entry: Omit<Entry, "seq" | "id" | "watch" | "url" | "at"> | null
  /** What is seen from now on; null: nothing. */
  readonly seen: (SeenPage & { readonly text: string }) | null
  /** What was seen until now. */
  readonly before: string | null
}

/** Watches, what they have seen and found, in `state.db`. All calls are synchronous and short. */
export class WatchStore {
  readonly db: StateStore
  readonly texts: PageTexts
  readonly #kept: KeptByKey
  readonly #prepare: ReturnType<typeof prepareOnce>

  /** @param keyBytes that one key may have kept in all; by default as many as it likes */
  constructor(
    db: StateStore,
    { textBytes, keyBytes = Infinity }: { readonly textBytes: number; readonly keyBytes?: number },
  ) {
    migrateWatches(db)
    this.db = db
    this.#prepare = prepareOnce(db)
    this.texts = new PageTexts(db, textBytes)
    this.#kept = new KeptByKey(db, keyBytes)
  }

  /** Whether more may be kept for a key. */
  async hasRoom(key: string): Promise<boolean> {
    return await this.#kept.hasRoom(key)
  }

  /** @returns null when the key has as many as it may. */
  async create(
    { key, subject, ...options }: WatchOptions & Pick<Watch, "key" | "subject">,
    most: number,
  ): Promise<Watch | null> {
    const id = randomUUID()
    return await transaction(this.db, async () => {
      if ((await this.list(key)).length >= most) return null
      await this.#prepare(
        `insert into watch (id, key, subject, name, changes, webhook, emails, every_minutes, paused, created_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        id,
        key,
        JSON.stringify(subject),
        options.name,
        JSON.stringify(options.changes),
        options.webhook,
        JSON.stringify(options.emails),
        options.everyMinutes,
        options.paused ? 1 : 0,
        Date.now(),
      )
      return await this.get(id)
    })
  }

  async change(id: string, options: WatchOptions): Promise<Watch | null> {
    await this.#prepare(
      `update watch set name = ?2, changes = ?3, webhook = ?4, emails = ?5, every_minutes = ?6, paused = ?7 where id = ?1`,
    ).run(
      id,
      options.name,
      JSON.stringify(options.changes),
      options.webhook,
      JSON.stringify(options.emails),
      options.everyMinutes,
      options.paused ? 1 : 0,
    )
    return await this.get(id)
  }

  async delete(id: string): Promise<void> {
    await transaction(this.db, async () => {
      await this.#prepare("delete from watch where id = ?").run(id)
      await this.texts.releaseAll()
      // Nobody watches: nothing is to be looked at.
      await this.#prepare("delete from watch_note where not exists (select 1 from watch)").run()
    })
  }

  async get(id: string): Promise<Watch | null> {
    const row = await this.#prepare("select * from watch where id = ?").get(id)
    return row === undefined ? null : watchOf(row)
  }

  /** Those of a key, or all, oldest first. */
  async list(key?: string): Promise<Watch[]> {
    return (
      await this.#prepare("select * from watch where ?1 is null or key = ?1 order by created_at, id").all(
        key ?? null,
      )
    ).map(watchOf)
  }

  /** Notes that are older than `before`, oldest first. */
  async notes(before: number, limit: number): Promise<Note[]> {
    return (
      await this.#prepare("select seq, url, at from watch_note where at <= ? order by seq limit ?").all(
        before,
        limit,
      )
    ).map((row) => ({ seq: Number(row["seq"]), url: row["url"] as PageUrl, at: Number(row["at"]) }))
  }

  /** Where the first look of a watch stands: behind this address. */
  async lookedTo(id: string): Promise<string> {
    return String(
      (await this.#prepare("select looked_to from watch where id = ?").get(id))?.["looked_to"] ?? "",
    )
  }

  async seen(watch: string, url: PageUrl): Promise<SeenPage | null> {
    const row = await this.#prepare("select * from watch_seen where watch = ? and url = ?").get(watch, url)
    return row === undefined ? null : seenOf(row)
  }

  async seenCount(watch: string): Promise<number> {
    return Number(
      (await this.#prepare("select count(*) as n from watch_seen where watch = ?").get(watch))?.["n"],
    )
  }

  /**
   * Keeps what a look found, and ends the notes that led to it, all or nothing.
   * @throws Overtaken, with nothing kept, when another process has ended them meanwhile
   */
  async keep(found: readonly Found[], notes: readonly Note[], now: number): Promise<void> {
    await transaction(this.db, async () => {
      for (const { seq } of notes) {
        if (Number((await this.#prepare("delete from watch_note where seq = ?").run(seq)).changes) === 0) {
          throw new Overtaken()
        }
      }
      for (const one of found) {
        const watch = await this.get(one.watch)
        if (watch !== null) await this.#keepOne(one, watch.key, now)
      }
    })
  }

  /** Keeps a stretch of the first look of a watch: what is there already is no news. `last`: where it goes on. */
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
      await this.#prepare("update watch set looked_to = ?2, ready_at = ?3 where id = ?1").run(
        watch,
        last,
        isOver ? Date.now() : null,
      )
    })
  }

  /** Newest first. @param after only those behind this number, then oldest first */
  async entries(
    watch: string,
    { limit, after }: { readonly limit: number; readonly after?: number | undefined },
  ): Promise<Entry[]> {
    const order = after === undefined ? "desc" : "asc"
    return (
      await this.#prepare(
        `select * from watch_entry where watch = ? and seq > ? order by seq ${order} limit ?`,
      ).all(watch, after ?? -1, limit)
    ).map(entryOf)
  }

  /** Those from one number to another. */
  async entriesFrom(watch: string, first: number, last: number): Promise<Entry[]> {
    return (
      await this.#prepare(
        "select * from watch_entry where watch = ? and seq between ? and ? order by seq",
      ).all(watch, first, last)
    ).map(entryOf)
  }

  /** Forgets entries beyond the newest `most` of each watch, but none that has yet to be sent. */
  async prune(most: number): Promise<void> {
    for (const { id } of await this.list()) {
      await this.#prepare(
        `delete from watch_entry where watch = ?1
           and seq <= (select seq from watch_entry where watch = ?1 order by seq desc limit 1 offset ?2)
           and seq <= (select case when webhook is null and emails = '[]' then ${Number.MAX_SAFE_INTEGER} else told_to end
             from watch where id = ?1)
           and seq < coalesce((select min(first_entry) from watch_delivery where watch = ?1 and state = 'waiting'),
             ${Number.MAX_SAFE_INTEGER})`,
      ).run(id, most)
    }
  }

  /** Where its key has no room left, what is told comes without its difference, and no further page is remembered. */
  async #keepOne({ watch, url, entry, seen, before }: Found, key: string, now: number): Promise<void> {
    const hasRoom = await this.hasRoom(key)
    if (entry !== null) {
      await this.#prepare(
        `insert into watch_entry (id, watch, change, url, title, sources, diff, at, key) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        randomUUID(),
        watch,
        entry.change,
        url,
        entry.title,
        JSON.stringify(entry.sources),
        hasRoom ? entry.diff : null,
        now,
        key,
      )
    }
    if (seen === null) {
      await this.#prepare("delete from watch_seen where watch = ? and url = ?").run(watch, url)
    } else if (hasRoom || before !== null) await this.#see(watch, seen, key)
    if (before !== null && before !== seen?.hash) await this.texts.release(before)
  }

  async #see(
    watch: string,
    { url, hash, title, sources, text }: NonNullable<Found["seen"]>,
    key: string,
  ): Promise<void> {
    await this.#prepare(
      replaceSql("watch_seen", ["watch", "url", "hash", "title", "sources", "key"], ["watch", "url"]),
    ).run(watch, url, hash, title, JSON.stringify(sources), key)
    if (await this.hasRoom(key)) await this.texts.keep(hash, text, key)
  }
}

/** Another process did the same work first. */
export class Overtaken extends Error {}

function watchOf(row: Record<string, unknown>): Watch {
  return {
    id: String(row["id"]),
    key: String(row["key"]),
    subject: JSON.parse(String(row["subject"])) as Subject,
    name: String(row["name"]),
    changes: JSON.parse(String(row["changes"])) as readonly Change[],
    webhook: row["webhook"] as string | null,
    emails: JSON.parse(String(row["emails"])) as readonly string[],
    everyMinutes: Number(row["every_minutes"]),
    paused: row["paused"] === 1,
    createdAt: new Date(Number(row["created_at"])),
    readyAt: dateOrNull(row["ready_at"]),
  }
}

function seenOf(row: Record<string, unknown>): SeenPage {
  return {
    url: row["url"] as PageUrl,
    hash: String(row["hash"]),
    title: String(row["title"]),
    sources: JSON.parse(String(row["sources"])) as readonly string[],
  }
}

function entryOf(row: Record<string, unknown>): Entry {
  return {
    seq: Number(row["seq"]),
    id: String(row["id"]),
    watch: String(row["watch"]),
    change: row["change"] as Change,
    url: row["url"] as PageUrl,
    title: String(row["title"]),
    sources: JSON.parse(String(row["sources"])) as readonly string[],
    diff: row["diff"] as string | null,
    at: new Date(Number(row["at"])),
  }
}
