import { createHash } from "node:crypto"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { type ThreadedMessage, type ThreadPlace, threadsOf } from "../threads.ts"
import { type MailTables, wordsIn } from "./mail-tables.ts"
import { inOrder, inParts, ROWS } from "./some-rows.ts"

/** A message with its current place. */
interface SortedMessage extends ThreadedMessage {
  readonly path: string
  readonly at: number
  readonly sum: string
  readonly page: number
  readonly place: number
}

interface NewPage {
  readonly thread: string
  readonly page: number
  readonly sum: string
  readonly chars: number
}

/** How many times sorting is attempted, since another process may change the messages in the meantime. */
const MOST_ROUNDS = 5

/** Sorts the messages of a source's mailbox into threads, if any changed since the last time. */
export async function sortThreads(db: StateStore, source: string): Promise<void> {
  for (let round = 1; round <= MOST_ROUNDS; round += 1) if (await sortOnce(db, source)) return
}

/** @returns false if another process changed or sorted the messages in the meantime: the threads may then contain messages that are gone */
async function sortOnce(db: StateStore, source: string): Promise<boolean> {
  const queries = queriesOf<MailTables>(db)
  const box = await changesOf(queries, source)
  if (box === undefined || box.changes === 0) return true
  const messages = await messagesOf(queries, source)
  const places = threadsOf(messages)
  const moved = places.flatMap((place, index) => {
    const { path, at, ...before } = messages[index]!
    const isSame =
      before.thread === place.thread && before.page === place.page && before.place === place.place
    return isSame ? [] : [{ ...place, path, at }]
  })
  await inParts(moved, async (some) => {
    await db.transaction(async () => {
      for (const { path, at, ...place } of some)
        await queries
          .updateTable("mail_message")
          .set(place)
          .where("source", "=", source)
          .where("path", "=", path)
          .where("at", "=", at)
          .execute()
    })
  })
  await putPages(db, source, pagesOf(messages, places))
  const isLast = ({ changes }: typeof box) => changes === box.changes
  return await transaction(db, async () => {
    const now = await changesOf(queries, source)
    if (now === undefined) return true
    await queries
      .updateTable("mail_box")
      .set({ changes: isLast(now) ? 0 : Math.max(now.changes + 1, Date.now()) })
      .where("source", "=", source)
      .execute()
    return isLast(now)
  })
}

const changesOf = (queries: Queries<MailTables>, source: string) =>
  queries.selectFrom("mail_box").select("changes").where("source", "=", source).executeTakeFirst()

async function messagesOf(queries: Queries<MailTables>, source: string): Promise<SortedMessage[]> {
  const all = inOrder({ path: "", at: -1 }, (last) =>
    queries
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
      .where((eb) => eb(eb.refTuple("path", "at"), ">", eb.tuple(last.path, last.at)))
      .orderBy("path")
      .orderBy("at")
      .limit(ROWS * 4)
      .execute(),
  )
  const messages: SortedMessage[] = []
  for await (const some of all) for (const row of some) messages.push({ ...row, refs: wordsIn(row.refs) })
  return messages
}

/** The pages of all threads, by thread and number. */
function pagesOf(messages: readonly SortedMessage[], places: readonly ThreadPlace[]): Map<string, NewPage> {
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
      for (const at of list) sum.update(`${messages[at]!.key} ${messages[at]!.sum}\n`)
      const chars = list.reduce((all, at) => all + messages[at]!.chars, 0)
      const { thread, page } = places[list[0]!]!
      return [name, { thread, page, sum: sum.digest("base64url"), chars }]
    }),
  )
}

async function putPages(db: StateStore, source: string, pages: ReadonlyMap<string, NewPage>): Promise<void> {
  const queries = queriesOf<MailTables>(db)
  const before = await queries.selectFrom("mail_page").selectAll().where("source", "=", source).execute()
  const known = new Map(before.map((row) => [`${row.thread} ${row.page}`, row]))
  const changed = [...pages].filter(([name, { sum }]) => known.get(name)?.sum !== sum)
  const gone = before.filter((row) => !pages.has(`${row.thread} ${row.page}`))
  await inParts(changed, async (some) => {
    await db.transaction(async () => {
      for (const [name, { thread, page, sum, chars }] of some) {
        // This number is shown to people as the time of a change, so it has to be a valid time.
        const version = Math.max((known.get(name)?.version ?? 0) + 1, Date.now())
        await queries
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
    await db.transaction(async () => {
      for (const { thread, page } of some)
        await queries
          .deleteFrom("mail_page")
          .where("source", "=", source)
          .where("thread", "=", thread)
          .where("page", "=", page)
          .execute()
    })
  })
}
