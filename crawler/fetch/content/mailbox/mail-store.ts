import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { greater } from "#base/store/query/words.ts"
import { oncePerState } from "#base/store/once-per-state.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { MailFile } from "./mail-files.ts"
import type { MessageIdentity } from "./raw-message.ts"
import { type MailTables, migrateMail, wordsIn } from "./store/mail-tables.ts"
import { inOrder, inParts, ROWS } from "./store/some-rows.ts"
import { sortThreads } from "./store/sort-threads.ts"

/** A file as it was when it was read. */
export interface ReadFile extends Omit<MailFile, "isMbox"> {}

/** A message's attachment, without its content. */
export interface AttachedEntry {
  readonly name: string
  readonly bytes: number
}

/** A message, and where its text is. */
export interface StoredMessage extends MessageIdentity {
  /** The path of the file that contains the message. */
  readonly path: string
  readonly at: number
  readonly length: number
  readonly chars: number
  readonly attached: readonly AttachedEntry[]
  /** When the message was first seen, in milliseconds since 1970. */
  readonly seenAt: number
  readonly thread: string | null
}

/** A message of a page, and the file to read it from. */
export type PlacedMessage = Pick<StoredMessage, "key" | "sum" | "at" | "length" | "sentAt" | "attached"> & {
  readonly file: string
}

/** A page of a thread. */
export interface ThreadPage {
  readonly thread: string
  readonly page: number
  /** A value that changes whenever a message of the page is added, changed or removed. */
  readonly version: number
  readonly chars: number
}

/** The index of mailboxes in the state: files that were read, their messages, and the threads. It can be rebuilt from the mailboxes. */
export class MailStore {
  readonly #db: StateStore
  readonly #queries: Queries<MailTables>

  constructor(db: StateStore) {
    migrateMail(db)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  async files(source: string): Promise<Map<string, ReadFile>> {
    const rows = await this.#queries
      .selectFrom("mail_file")
      .select(["path", "file", "bytes", "changed_at as changedAt"])
      .where("source", "=", source)
      .execute()
    return new Map(rows.map((row) => [row.path, row]))
  }

  /** The messages of a file, in order. */
  async messagesIn(source: string, path: string): Promise<StoredMessage[]> {
    const rows = await this.#queries
      .selectFrom("mail_message")
      .selectAll()
      .where("source", "=", source)
      .where("path", "=", path)
      .orderBy("at")
      .execute()
    return rows.map(stored)
  }

  /** A message with this key and text in any file, or `null`. */
  async known(
    source: string,
    { key, sum }: Pick<MessageIdentity, "key" | "sum">,
  ): Promise<StoredMessage | null> {
    const row = await this.#queries
      .selectFrom("mail_message")
      .selectAll()
      .where("source", "=", source)
      .where("key", "=", key)
      .where("sum", "=", sum)
      .executeTakeFirst()
    return row === undefined ? null : stored(row)
  }

  /** The thread of a message, or of a copy of it. */
  async threadOf(source: string, key: string): Promise<string | null> {
    const row = await this.#queries
      .selectFrom("mail_message")
      .select("thread")
      .where("source", "=", source)
      .where("key", "=", key)
      .where("thread", "is not", null)
      .executeTakeFirst()
    return row?.thread ?? null
  }

  /** Stores some messages of a file. */
  async put(source: string, messages: readonly StoredMessage[]): Promise<void> {
    await this.#db.transaction(() => this.#put(source, messages))
  }

  /** Records that a file was read from `from` to its end: stores `messages`, and forgets messages after `from` that do not begin at a position in `all`. */
  async readFile(
    source: string,
    {
      file,
      from,
      all,
    }: { readonly file: ReadFile; readonly from: number; readonly all: ReadonlySet<number> },
    messages: readonly StoredMessage[],
  ): Promise<void> {
    const { path, bytes, changedAt } = file
    await this.#db.transaction(async () => {
      if (messages.length > 0) await this.#put(source, messages)
      const before = await this.#queries
        .selectFrom("mail_message")
        .select("at")
        .where("source", "=", source)
        .where("path", "=", path)
        .where("at", ">=", from)
        .execute()
      const gone = before.map(({ at }) => at).filter((at) => !all.has(at))
      if (gone.length > 0) await this.#changed(source)
      await inParts(gone, async (some) => {
        await this.#queries
          .deleteFrom("mail_message")
          .where("source", "=", source)
          .where("path", "=", path)
          .where("at", "in", some)
          .execute()
      })
      const values = { file: file.file, bytes, changed_at: changedAt }
      await this.#queries
        .insertInto("mail_file")
        .values({ source, path, ...values })
        .onConflict((conflict) => conflict.columns(["source", "path"]).doUpdateSet(values))
        .execute()
    })
  }

  async #put(source: string, messages: readonly StoredMessage[]): Promise<void> {
    await this.#changed(source)
    for (const {
      path,
      at,
      length,
      key,
      id,
      refs,
      sum,
      sentAt,
      chars,
      attached,
      seenAt,
      thread,
    } of messages) {
      const values = {
        length,
        key,
        id,
        refs: refs.join(" "),
        sum,
        sent_at: sentAt,
        chars,
        attached: JSON.stringify(attached),
        seen_at: seenAt,
        thread,
        page: 0,
        place: -1,
      }
      await this.#queries
        .insertInto("mail_message")
        .values({ source, path, at, ...values })
        .onConflict((conflict) => conflict.columns(["source", "path", "at"]).doUpdateSet(values))
        .execute()
    }
  }

  /** Forgets files that were deleted or moved, with their messages. */
  async forget(source: string, paths: readonly string[]): Promise<void> {
    await inParts(paths, async (some) => {
      await this.#db.transaction(async () => {
        await this.#changed(source)
        for (const table of ["mail_message", "mail_file"] as const)
          await this.#queries
            .deleteFrom(table)
            .where("source", "=", source)
            .where("path", "in", some)
            .execute()
      })
    })
  }

  /** Forgets everything about a source's mailbox. */
  async forgetAll(source: string): Promise<void> {
    await this.#db.transaction(async () => {
      for (const table of ["mail_message", "mail_file", "mail_page", "mail_box"] as const)
        await this.#queries.deleteFrom(table).where("source", "=", source).execute()
    })
  }

  /** Makes the next pass read the whole file. */
  async doubt(source: string, file: string): Promise<void> {
    await this.#queries
      .updateTable("mail_file")
      .set({ bytes: 0, changed_at: 0 })
      .where("source", "=", source)
      .where("file", "=", file)
      .execute()
  }

  /** Sorts the messages into threads, if any changed since the last time. */
  async sort(source: string): Promise<void> {
    await sortThreads(this.#db, source)
  }

  /** All pages, one batch at a time. */
  pages(source: string): AsyncGenerator<ThreadPage[]> {
    return inOrder({ thread: "", page: 0 }, (last) =>
      this.#queries
        .selectFrom("mail_page")
        .select(["thread", "page", "version", "chars"])
        .where("source", "=", source)
        .where((eb) => eb(eb.refTuple("thread", "page"), ">", eb.tuple(last.thread, last.page)))
        .orderBy("thread")
        .orderBy("page")
        .limit(ROWS)
        .execute(),
    )
  }

  async page(source: string, thread: string, page: number): Promise<ThreadPage | null> {
    const row = await this.#queries
      .selectFrom("mail_page")
      .select(["thread", "page", "version", "chars"])
      .where("source", "=", source)
      .where("thread", "=", thread)
      .where("page", "=", page)
      .executeTakeFirst()
    return row ?? null
  }

  /** The messages of a page, in order. */
  async messagesOf(source: string, thread: string, page: number): Promise<PlacedMessage[]> {
    const rows = await this.#placed(source)
      .where("m.thread", "=", thread)
      .where("m.page", "=", page)
      .orderBy("m.place")
      .execute()
    return rows.map(placed)
  }

  /** A message of a thread. */
  async message(source: string, thread: string, key: string): Promise<PlacedMessage | null> {
    const row = await this.#placed(source)
      .where("m.thread", "=", thread)
      .where("m.key", "=", key)
      .executeTakeFirst()
    return row === undefined ? null : placed(row)
  }

  /** The messages with attachments, one batch at a time. */
  async *attached(
    source: string,
  ): AsyncGenerator<(Pick<StoredMessage, "key" | "seenAt" | "attached"> & { readonly thread: string })[]> {
    const all = inOrder({ path: "", at: -1 }, (last) =>
      this.#queries
        .selectFrom("mail_message")
        .select(["path", "at", "thread", "key", "seen_at as seenAt", "attached"])
        .where("source", "=", source)
        .where("attached", "!=", "[]")
        .where("place", ">=", 0)
        .where((eb) => eb(eb.refTuple("path", "at"), ">", eb.tuple(last.path, last.at)))
        .orderBy("path")
        .orderBy("at")
        .limit(ROWS)
        .execute(),
    )
    for await (const rows of all)
      yield rows.flatMap(({ thread, key, seenAt, attached }) =>
        thread === null ? [] : [{ thread, key, seenAt, attached: attachedIn(attached) }],
      )
  }

  #placed(source: string) {
    return (
      this.#queries
        .selectFrom("mail_message as m")
        .innerJoin("mail_file as f", (join) =>
          join.onRef("f.source", "=", "m.source").onRef("f.path", "=", "m.path"),
        )
        .select(["m.key", "m.sum", "m.at", "m.length", "m.sent_at as sentAt", "m.attached", "f.file"])
        .where("m.source", "=", source)
        // If a message has several copies, only one is shown.
        .where("m.place", ">=", 0)
    )
  }

  async #changed(source: string): Promise<void> {
    // The number is based on the time, so that a value from before the last sorting is never used again.
    const now = Date.now()
    await this.#queries
      .insertInto("mail_box")
      .values({ source, changes: now })
      .onConflict((conflict) =>
        conflict
          .column("source")
          .doUpdateSet((eb) => ({ changes: greater(eb("mail_box.changes", "+", 1), eb.val(now)) })),
      )
      .execute()
  }
}

const placed = <T extends { readonly attached: string }>({ attached, ...row }: T) => ({
  ...row,
  attached: attachedIn(attached),
})

const stored = ({
  refs,
  attached,
  sent_at: sentAt,
  seen_at: seenAt,
  ...row
}: MailTables["mail_message"]): StoredMessage => ({
  ...row,
  refs: wordsIn(refs),
  attached: attachedIn(attached),
  sentAt,
  seenAt,
})

const attachedIn = (column: string): AttachedEntry[] => JSON.parse(column) as AttachedEntry[]

/** The mailboxes in a state; their tables are checked once. */
export const mailIn = oncePerState((db) => new MailStore(db))
