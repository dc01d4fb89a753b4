import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Generated } from "kysely"
import type { PageUrl } from "#engine"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import type { WrittenReaders } from "#engine/index/page/readers.ts"
import { oncePerState } from "#base/store/once-per-state.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { PageFacts } from "../../fetch.ts"

/** A document as a program sent it. */
export interface Document {
  /** The document's name within its source, used to replace and delete it. */
  readonly id: string
  readonly url: PageUrl
  readonly body: Uint8Array
  /** Media type of the body; empty if it is detected from the body and the address. */
  readonly type: string
  readonly facts: PageFacts
  /** Milliseconds since 1970 on its author's clock; `null` if unknown. */
  readonly updatedAt: number | null
  /** Metadata from its author, stored unchanged. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Who may read the document; `null` for everyone. */
  readonly readers: WrittenReaders | null
}

/** A document without its body. */
export interface StoredDocument extends Omit<Document, "body"> {
  /** Size of the body. */
  readonly bytes: number
  /** A number that is unique among all versions of all documents in this appliance. */
  readonly version: number
}

/** The result for one document that was sent. */
export type Put = "created" | "updated" | "unchanged"

/** Number of documents stored in one transaction. Other writers wait a few milliseconds for it. */
const AT_ONCE = 100

interface DocumentTables {
  document: {
    source: string
    id: string
    url: string
    body: Uint8Array
    bytes: number
    type: string
    facts: string
    updated_at: number | null
    metadata: string
    readers: string | null
    /** Hash of everything else that was sent, so that sending the same document again changes nothing. */
    sum: string
    version: number
  }
  document_change: { source: string; version: number; listed: Generated<number> }
}

const STEPS: readonly Step[] = [
  ({ integer, text, blob, strict, keyed }) =>
    `create table document (
     source ${text} not null, id ${text} not null, url ${text} not null, body ${blob} not null, bytes ${integer} not null,
     type ${text} not null, facts ${text} not null, updated_at ${integer}, metadata ${text} not null, sum ${text} not null,
     version ${integer} not null, primary key (source, id)
   ) ${strict};
   create unique index document_by_url on document (source, url);
   create table document_change (
     source ${text} primary key, version ${integer} not null, listed ${integer} not null default 0
   ) ${keyed};`,
  ({ text }) => `alter table document add column readers ${text};`,
]

export function migrateDocuments(db: StateStore): void {
  migrate(db, "documents", STEPS)
}

/** Documents that programs sent, stored in the state: they survive a power failure, and every process sees them. */
export class DocumentStore {
  readonly #db: StateStore
  readonly #queries: Queries<DocumentTables>

  constructor(db: StateStore) {
    migrateDocuments(db)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /**
   * Stores documents of a source, one batch at a time; a document replaces the one with the same id.
   * @param documents with unique ids and unique addresses
   * @returns the result for each document
   * @throws AddressTakenError if another document of the source has one of the addresses; then nothing is stored
   */
  async put(source: string, documents: readonly Document[]): Promise<Put[]> {
    const parts = partsOf(documents)
    for (const part of parts) await this.#refuseTaken(source, part)
    const puts: Put[] = []
    for (const part of parts) {
      const sums = part.map(sumOf)
      puts.push(...(await this.#db.transaction(() => this.#putSome(source, part, sums))))
      await nextTurn()
    }
    return puts
  }

  async #putSome(source: string, documents: readonly Document[], sums: readonly string[]): Promise<Put[]> {
    const rows = await this.#queries
      .selectFrom("document")
      .select(["id", "sum", "readers"])
      .where("source", "=", source)
      .where("id", "in", listed(documents.map(({ id }) => id)))
      .execute()
    const before = new Map(rows.map((row) => [row.id, row]))
    const puts = documents.map(({ id, readers }, index): Put => {
      const known = before.get(id)
      if (known === undefined) return "created"
      return known.sum === sums[index] && known.readers === readersText(readers) ? "unchanged" : "updated"
    })
    if (puts.every((put) => put === "unchanged")) return puts
    const version = await this.#nextVersion(source)
    for (const [index, document] of documents.entries())
      if (puts[index] !== "unchanged") await this.#write(source, document, sums[index]!, version)
    return puts
  }

  /** Changes only the readers of documents. @returns the ids of the documents that exist */
  async setReaders(source: string, all: ReadonlyMap<string, WrittenReaders | null>): Promise<string[]> {
    const there: string[] = []
    for (const part of partsOf([...all])) {
      const ids = await this.#db.transaction(() => this.#setSomeReaders(source, part))
      there.push(...ids)
      await nextTurn()
    }
    return there
  }

  async #setSomeReaders(
    source: string,
    all: readonly (readonly [id: string, WrittenReaders | null])[],
  ): Promise<string[]> {
    const rows = await this.#queries
      .selectFrom("document")
      .select(["id", "readers"])
      .where("source", "=", source)
      .where("id", "in", listed(all.map(([id]) => id)))
      .execute()
    const wanted = new Map(all.map(([id, readers]) => [id, readersText(readers)]))
    const changed = rows.filter(({ id, readers }) => wanted.get(id) !== readers)
    const version = changed.length === 0 ? 0 : await this.#nextVersion(source)
    for (const { id } of changed)
      await this.#queries
        .updateTable("document")
        .set({ readers: wanted.get(id)!, version })
        .where((eb) => eb.and({ source, id }))
        .execute()
    return rows.map(({ id }) => id)
  }

  /** @returns the ids of the documents that existed */
  async delete(source: string, ids: readonly string[]): Promise<string[]> {
    return await this.#db.transaction(async () => {
      const gone = await this.#queries
        .deleteFrom("document")
        .where("source", "=", source)
        .where("id", "in", listed(ids))
        .returning("id")
        .execute()
      if (gone.length > 0) await this.#nextVersion(source)
      return gone.map(({ id }) => id)
    })
  }

  /** Deletes everything stored for a source. */
  async deleteAll(source: string): Promise<void> {
    await this.#db.transaction(async () => {
      await this.#queries.deleteFrom("document").where("source", "=", source).execute()
      await this.#nextVersion(source)
    })
  }

  /** Documents sorted by id, starting after `after`. */
  async list(
    source: string,
    { after = "", limit }: { after?: string; limit: number },
  ): Promise<StoredDocument[]> {
    const rows = await this.#listed()
      .where("source", "=", source)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute()
    return rows.map(stored)
  }

  async get(source: string, id: string): Promise<StoredDocument | null> {
    const row = await this.#listed().where("source", "=", source).where("id", "=", id).executeTakeFirst()
    return row === undefined ? null : stored(row)
  }

  async count(source: string): Promise<number> {
    const { count } = await this.#queries
      .selectFrom("document")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("source", "=", source)
      .executeTakeFirstOrThrow()
    return count
  }

  /** The address, version and size of each document of a source, one batch at a time. */
  async *entries(
    source: string,
    atOnce = 1000,
  ): AsyncGenerator<{ readonly url: PageUrl; readonly version: number; readonly bytes: number }[]> {
    for (let after = ""; ;) {
      const rows = await this.#queries
        .selectFrom("document")
        .select(["id", "url", "version", "bytes"])
        .where("source", "=", source)
        .where("id", ">", after)
        .orderBy("id")
        .limit(atOnce)
        .execute()
      if (rows.length === 0) return
      yield rows.map(({ url, version, bytes }) => ({ url: url as PageUrl, version, bytes }))
      after = rows.at(-1)!.id
    }
  }

  async at(source: string, url: string): Promise<StoredDocument | null> {
    const row = await this.#listed().where("source", "=", source).where("url", "=", url).executeTakeFirst()
    return row === undefined ? null : stored(row)
  }

  /** The body of one version of a document; `null` if the document has another version by now or doesn't exist. */
  async body(
    source: string,
    { id, version }: Pick<StoredDocument, "id" | "version">,
  ): Promise<Uint8Array | null> {
    const row = await this.#queries
      .selectFrom("document")
      .select("body")
      .where("source", "=", source)
      .where("id", "=", id)
      .where("version", "=", version)
      .executeTakeFirst()
    return row?.body ?? null
  }

  /** A number that changes whenever a document of the source is added, changed or removed. */
  async version(source: string): Promise<number> {
    const row = await this.#queries
      .selectFrom("document_change")
      .select("version")
      .where("source", "=", source)
      .executeTakeFirst()
    return row?.version ?? 0
  }

  /** The latest {@link version} that a run has listed. */
  async listedVersion(source: string): Promise<number> {
    const row = await this.#queries
      .selectFrom("document_change")
      .select("listed")
      .where("source", "=", source)
      .executeTakeFirst()
    return row?.listed ?? 0
  }

  /** Records that a run has listed all documents of this version of a source. */
  async noteListed(source: string, version: number): Promise<void> {
    await this.#queries
      .updateTable("document_change")
      .set({ listed: version })
      .where("source", "=", source)
      .execute()
  }

  async #nextVersion(source: string): Promise<number> {
    const { last } = await this.#queries
      .selectFrom("document_change")
      .select(({ fn }) => fn.max<number | null>("version").as("last"))
      .executeTakeFirstOrThrow()
    // Lists use the version as a time, so it has to be a valid time.
    const version = Math.max((last ?? 0) + 1, Date.now())
    await this.#queries
      .insertInto("document_change")
      .values({ source, version })
      .onConflict((conflict) => conflict.column("source").doUpdateSet({ version }))
      .execute()
    return version
  }

  async #refuseTaken(source: string, documents: readonly Document[]): Promise<void> {
    const others = await this.#queries
      .selectFrom("document")
      .select(["id", "url"])
      .where("source", "=", source)
      .where("url", "in", listed(documents.map(({ url }) => url)))
      .execute()
    const holders = new Map(others.map(({ id, url }) => [url, id]))
    for (const { id, url } of documents) {
      const holder = holders.get(url)
      if (holder !== undefined && holder !== id) throw new AddressTakenError(id, holder)
    }
  }

  async #write(source: string, document: Document, sum: string, version: number): Promise<void> {
    const { id, url, body, type, facts, updatedAt, metadata, readers } = document
    const values = {
      url,
      body,
      bytes: body.byteLength,
      type,
      facts: JSON.stringify(facts),
      updated_at: updatedAt,
      metadata: JSON.stringify(metadata),
      readers: readersText(readers),
      sum,
      version,
    }
    await this.#queries
      .insertInto("document")
      .values({ source, id, ...values })
      .onConflict((conflict) => conflict.columns(["source", "id"]).doUpdateSet(values))
      .execute()
  }

  #listed() {
    return this.#queries
      .selectFrom("document")
      .select(["id", "url", "bytes", "type", "facts", "updated_at", "metadata", "readers", "version"])
  }
}

/** The documents stored in a state; creates or updates their tables on the first call. */
export const documentsIn = oncePerState((db) => new DocumentStore(db))

/** Thrown because two documents of a source cannot have the same address. */
export class AddressTakenError extends Error {
  /** Id of the document that was sent. */
  readonly id: string

  constructor(id: string, holder: string) {
    super(`is the address of another document, ${JSON.stringify(holder)}`)
    this.id = id
  }
}

const readersText = (readers: WrittenReaders | null): string | null => readers && JSON.stringify(readers)

const partsOf = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) =>
    all.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  )

type Listed = Omit<DocumentTables["document"], "source" | "body" | "sum">

const stored = ({ facts, updated_at: updatedAt, metadata, readers, ...row }: Listed): StoredDocument => ({
  ...row,
  url: row.url as PageUrl,
  facts: factsOf(facts),
  updatedAt,
  metadata: JSON.parse(metadata) as Record<string, unknown>,
  readers: JSON.parse(readers ?? "null") as WrittenReaders | null,
})

function factsOf(text: string): PageFacts {
  const { publishedAt, ...facts } = JSON.parse(text) as Omit<PageFacts, "publishedAt"> & {
    publishedAt?: string
  }
  return publishedAt === undefined ? facts : { ...facts, publishedAt: new Date(publishedAt) }
}

function sumOf({ url, body, type, facts, updatedAt, metadata }: Document): string {
  const head = JSON.stringify([url, type, facts, updatedAt, metadata])
  return createHash("sha256").update(head).update("\0").update(body).digest("base64url")
}
