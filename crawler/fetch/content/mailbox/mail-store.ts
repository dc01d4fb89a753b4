import { createHash } from "node:crypto"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { oncePerState } from "#base/store/once-per-state.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { MailFile } from "./mail-files.ts"
import type { MessageIdentity } from "./raw-message.ts"
import { type ThreadedMessage, threadsOf } from "./threads.ts"

/** A file that was read, as it was then. */
export interface ReadFile extends Omit<MailFile, "isMbox"> {}

/** A file that is attached to a message, without its content. */
export interface AttachedEntry {
  readonly name: string
  readonly bytes: number
}

/** A message, and where it lies. */
export interface StoredMessage extends MessageIdentity {
  /** Of its file. */
  readonly path: string
  readonly at: number
  readonly length: number
  readonly chars: number
  readonly attached: readonly AttachedEntry[]
  /** When it was first seen, in milliseconds since 1970. */
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
  /** Another number whenever a message came, changed or went. */
  readonly version: number
  readonly chars: number
}

interface MailTables {
  mail_box: { source: string; changes: number }
  mail_file: { source: string; path: string; file: string; bytes: number; changed_at: number }
  mail_message: {
    source: string
    path: string
    at: number
    length: number
    key: string
    id: string | null
    refs: string
    sum: string
    sent_at: number | null
    chars: number
    attached: string
    seen_at: number
    thread: string | null
    page: number
    place: number
  }
  mail_page: { source: string; thread: string; page: number; sum: string; version: number; chars: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, strict, keyed }) =>
    `create table mail_box (source ${text} primary key, changes ${integer} not null) ${keyed};
   create table mail_file (
     source ${text} not null, path ${text} not null, file ${text} not null, bytes ${integer} not null, changed_at ${integer} not null,
     primary key (source, path)
   ) ${keyed};
   create table mail_message (
     source ${text} not null, path ${text} not null, at ${integer} not null, length ${integer} not null, key ${text} not null,
     id ${text}, refs ${text} not null, sum ${text} not null, sent_at ${integer}, chars ${integer} not null, attached ${text} not null,
     seen_at ${integer} not null, thread ${text}, page ${integer} not null, place ${integer} not null,
     primary key (source, path, at)
   ) ${strict};
   create index mail_message_by_key on mail_message (source, key);
   create index mail_message_by_page on mail_message (source, thread, page, place);
   create table mail_page (
     source ${text} not null, thread ${text} not null, page ${integer} not null, sum ${text} not null, version ${integer} not null,
     chars ${integer} not null, primary key (source, thread, page)
   ) ${keyed};`,
]

export function migrateMail(db: StateStore): void {
  migrate(db, "mail", STEPS)
}

const ROWS = 500

/**
 * What is known of mailboxes, in the state: which files were read, what messages they hold, and which threads those are. All of it is in
 * the mailboxes, too, and is made again from them.
 */
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

  /** The messages of a file, in their order. */
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

  /** What is known of a message with this text in any file; null: nothing. */
  async known(
    source: string,
    { key, sum }: Pick<MessageIdentity, "key" | "sum">,
  ): Promise<StoredMessage | null> {
    const rows = await this.#queries
      .selectFrom("mail_message")
      .selectAll()
      .where("source", "=", source)
      .where("key", "=", key)
      .execute()
    const row = rows.find((one) => one.sum === sum) ?? null
    return row && stored(row)
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

  /** Keeps some messages of a file. */
  async put(source: string, messages: readonly StoredMessage[]): Promise<void> {
    await this.#db.transaction(() => this.#put(source, messages))
  }

  /** A file was read from `from` to its end, with these messages at last, and nothing is in it but what begins at `all` places. */
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

  /** Files that are not there any more, with all that was in them. */
  async forget(source: string, paths: readonly string[]): Promise<void> {
    for (let from = 0; from < paths.length; from += ROWS) {
      const some = paths.slice(from, from + ROWS)
      await this.#db.transaction(async () => {
        await this.#changed(source)
        for (const table of ["mail_message", "mail_file"] as const)
          await this.#queries
            .deleteFrom(table)
            .where("source", "=", source)
            .where("path", "in", some)
            .execute()
      })
    }
  }

  /** All that is known of a source's mailbox. */
  async forgetAll(source: string): Promise<void> {
    await this.#db.transaction(async () => {
      for (const table of ["mail_message", "mail_file", "mail_page", "mail_box"] as const)
        await this.#queries.deleteFrom(table).where("source", "=", source).execute()
    })
  }

  /** Has a file be read as a whole the next time. */
  async doubt(source: string, file: string): Promise<void> {
    await this.#queries
      .updateTable("mail_file")
      .set({ bytes: 0, changed_at: 0 })
      .where("source", "=", source)
      .where("file", "=", file)
      .execute()
  }

  /** Sorts the messages into threads, if any came or went since that was done last. */
  async sort(source: string): Promise<void> {
    const changes = await this.#changes(source)
    if (changes === 0) return
    const rows: (ThreadedMessage &
      Pick<StoredMessage, "path" | "at" | "sum"> & { page: number; place: number })[] = []
    for await (const some of this.#all(source)) for (const row of some) rows.push(row)
    const places = threadsOf(rows)
    const moved = places.flatMap((place, at) => {
      const row = rows[at]!
      const isSame = row.thread === place.thread && row.page === place.page && row.place === place.place
      return isSame ? [] : [{ ...place, path: row.path, at: row.at }]
    })
    await inParts(moved, async (some) => {
      await this.#db.transaction(async () => {
        for (const { path, at, ...place } of some)
          await this.#queries
            .updateTable("mail_message")
            .set(place)
            .where("source", "=", source)
            .where("path", "=", path)
            .where("at", "=", at)
            .execute()
      })
    })
    await this.#putPages(source, pagesOf(rows, places))
    await this.#queries
      .updateTable("mail_box")
      .set({ changes: 0 })
      .where("source", "=", source)
      .where("changes", "=", changes)
      .execute()
  }

  async #putPages(source: string, pages: ReadonlyMap<string, NewPage>): Promise<void> {
    const before = await this.#queries
      .selectFrom("mail_page")
      .selectAll()
      .where("source", "=", source)
      .execute()
    const known = new Map(before.map((row) => [`${row.thread} ${row.page}`, row]))
    const changed = [...pages].filter(([name, { sum }]) => known.get(name)?.sum !== sum)
    const gone = before.filter((row) => !pages.has(`${row.thread} ${row.page}`))
    await inParts(changed, async (some) => {
      await this.#db.transaction(async () => {
        for (const [name, { thread, page, sum, chars }] of some) {
          // A time is shown of each, so it is one.
          const version = Math.max((known.get(name)?.version ?? 0) + 1, Date.now())
          await this.#queries
            .insertInto("mail_page")
            .values({ source, thread, page, sum, version, chars })
            .onConflict((conflict) =>
              conflict.columns(["source", "thread", "page"]).doUpdateSet({ sum, version, chars }),
            )
            .execute()
        }
      })
    })
    await inParts(gone, async (some) => {
      await this.#db.transaction(async () => {
        for (const { thread, page } of some)
          await this.#queries
            .deleteFrom("mail_page")
            .where("source", "=", source)
            .where("thread", "=", thread)
            .where("page", "=", page)
            .execute()
      })
    })
  }

  /** All pages, some at a time. */
  async *pages(source: string): AsyncGenerator<ThreadPage[]> {
    for (let last: Pick<ThreadPage, "thread" | "page"> = { thread: "", page: 0 }; ;) {
      const after = last
      const rows = await this.#queries
        .selectFrom("mail_page")
        .select(["thread", "page", "version", "chars"])
        .where("source", "=", source)
        .where((eb) => eb(eb.refTuple("thread", "page"), ">", eb.tuple(after.thread, after.page)))
        .orderBy("thread")
        .orderBy("page")
        .limit(ROWS)
        .execute()
      if (rows.length === 0) return
      yield rows
      last = rows.at(-1)!
    }
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

  /** The messages of a page in their order. */
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

  /** The messages with files attached, some at a time. */
  async *attached(
    source: string,
  ): AsyncGenerator<(Pick<StoredMessage, "key" | "seenAt" | "attached"> & { readonly thread: string })[]> {
    for (let last = { path: "", at: -1 }; ;) {
      const after = last
      const rows = await this.#queries
        .selectFrom("mail_message")
        .select(["path", "at", "thread", "key", "seen_at as seenAt", "attached"])
        .where("source", "=", source)
        .where("attached", "!=", "[]")
        .where("place", ">=", 0)
        .where((eb) => eb(eb.refTuple("path", "at"), ">", eb.tuple(after.path, after.at)))
        .orderBy("path")
        .orderBy("at")
        .limit(ROWS)
        .execute()
      if (rows.length === 0) return
      yield rows.flatMap(({ thread, key, seenAt, attached }) =>
        thread === null ? [] : [{ thread, key, seenAt, attached: attachedIn(attached) }],
      )
      last = rows.at(-1)!
    }
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
        // Of copies one is shown.
        .where("m.place", ">=", 0)
    )
  }

  async *#all(source: string) {
    for (let last = { path: "", at: -1 }; ;) {
      const after = last
      const rows = await this.#queries
        .selectFrom("mail_message")
        .select([
          "path",
          "at",
          "key",
          "id",
          "refs",
          "sum",
          "sent_at as sentAt",
          "chars",
          "thread",
          "page",
          "place",
        ])
        .where("source", "=", source)
        .where((eb) => eb(eb.refTuple("path", "at"), ">", eb.tuple(after.path, after.at)))
        .orderBy("path")
        .orderBy("at")
        .limit(ROWS * 4)
        .execute()
      if (rows.length === 0) return
      yield rows.map((row) => ({ ...row, refs: wordsIn(row.refs) }))
      last = rows.at(-1)!
    }
  }

  async #changes(source: string): Promise<number> {
    const row = await this.#queries
      .selectFrom("mail_box")
      .select("changes")
      .where("source", "=", source)
      .executeTakeFirst()
    return row?.changes ?? 0
  }

  async #changed(source: string): Promise<void> {
    await this.#queries
      .insertInto("mail_box")
      .values({ source, changes: 1 })
      .onConflict((conflict) =>
        conflict.column("source").doUpdateSet((eb) => ({ changes: eb("mail_box.changes", "+", 1) })),
      )
      .execute()
  }
}

interface NewPage {
  readonly thread: string
  readonly page: number
  readonly sum: string
  readonly chars: number
}

/** The pages that the messages make, by thread and number. */
function pagesOf(
  rows: readonly (ThreadedMessage & Pick<StoredMessage, "sum">)[],
  places: readonly { readonly thread: string; readonly page: number; readonly place: number }[],
): Map<string, NewPage> {
  const members = new Map<string, number[]>()
  for (const [at, { thread, page, place }] of places.entries()) {
    const name = `${thread} ${page}`
    const list = members.get(name) ?? []
    if (place >= 0) list[place] = at
    members.set(name, list)
  }
  return new Map(
    [...members].map(([name, list]) => {
      const sum = createHash("sha256")
      for (const at of list) sum.update(`${rows[at]!.key} ${rows[at]!.sum}\n`)
      const chars = list.reduce((all, at) => all + rows[at]!.chars, 0)
      const { thread, page } = places[list[0]!]!
      return [name, { thread, page, sum: sum.digest("base64url"), chars }]
    }),
  )
}

const placed = <T extends { readonly attached: string }>({ attached, ...row }: T) => ({
  ...row,
  attached: attachedIn(attached),
})

async function inParts<T>(all: readonly T[], work: (some: readonly T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += ROWS) await work(all.slice(from, from + ROWS))
}

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

const wordsIn = (text: string): string[] => (text === "" ? [] : text.split(" "))

/** What is known of the mailboxes of a state, whose tables are looked after once. */
export const mailIn = oncePerState((db) => new MailStore(db))
