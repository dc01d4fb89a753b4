import type { Connection, Table } from "@lancedb/lancedb"
import { existsSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import type { PageWithVectors } from "../../engine.ts"
import { EngineError } from "../../errors.ts"
import type { OldIndex } from "../adapter.ts"
import type { Page } from "../../page/page.ts"
import { type StoredPage, passagesOf } from "../../index/page-record.ts"
import type { PageUrl } from "../../page/page-url.ts"
import { toPassages } from "../../text/passages.ts"
import { isIn } from "./filter.ts"
import { readAnyManifest } from "./files/manifest.ts"
import { withVectors } from "./pages-after.ts"
import { readRows } from "./lance/rows.ts"
import { connectTo } from "./lance/tables.ts"
import { lockForWriting } from "../../index/writer-lock.ts"

const PAGES_AT_A_TIME = 32

/** Where older formats kept their pages: first in the table that finds them, later in a file beside it. */
interface OldPages extends Disposable {
  count(): Promise<number>
  idsAfter(id: string, limit: number): string[]
  read(ids: readonly string[]): Promise<StoredPage[]>
}

/**
 * An index of format 1 or 2, to read its pages. Nothing in the folder is changed but the writer's lock, which is held.
 *
 * @throws EngineError `INDEX_LOCKED`, `ENGINE_UNAVAILABLE`
 */
export async function openOldIndex(dir: string): Promise<OldIndex> {
  using opened = new DisposableStack()
  opened.use(lockForWriting(dir))
  try {
    const manifest = await readAnyManifest(dir)
    if (!manifest) throw new Error("there is no index")
    const connection = await connectTo(dir, 0)
    opened.defer(() => connection.close())
    const pages = opened.use(
      existsSync(path.join(dir, "pages.db")) ? pagesInFile(dir) : await pagesInTable(connection),
    )
    const vectors = await connection.openTable(manifest.vectors)
    const held = opened.move()
    return {
      count: () => pages.count(),
      allPages: (options) => allPages(pages, vectors, options),
      async [Symbol.asyncDispose]() {
        held.dispose()
      },
    }
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new EngineError(
      "ENGINE_UNAVAILABLE",
      `Cannot read the pages of the old index in ${dir}: ${(error as Error).message}. Move the folder away and crawl again, or restore the index from a backup.`,
      { cause: error },
    )
  }
}

async function* allPages(
  pages: OldPages,
  vectors: Table,
  { after = "", signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<PageWithVectors> {
  for (let last = after; ;) {
    signal?.throwIfAborted()
    const ids = pages.idsAfter(last, PAGES_AT_A_TIME)
    if (ids.length === 0) return
    const stored = await pages.read(ids)
    const made = await withVectors(stored, vectors)
    for (const [i, one] of made.entries()) {
      const page = complete(one.page)
      // Passages may be cut otherwise today: then these vectors are of other texts.
      const isSame = isDeepStrictEqual(passagesOf(stored[i]!), toPassages(page.markdown))
      yield { page, vectors: isSame ? one.vectors : null }
    }
    last = ids.at(-1)!
  }
}

/** What a page did not say of itself at first. */
const ABSENT = {
  description: null,
  author: null,
  language: null,
  topic: null,
  country: null,
  unsafe: false,
  images: [],
  favicon: null,
} as const satisfies Partial<Page>

const complete = (page: Page): Page => ({ ...ABSENT, ...page })

function pagesInFile(dir: string): OldPages {
  const db = new DatabaseSync(path.join(dir, "pages.db"))
  const after = db.prepare("select id from page where id > ? order by id limit ?")
  // Format 1 had them as text, format 2 as SQLite's own JSON: both come out as text.
  const one = db.prepare(
    "select id, revision, title, details, json(passages) as passages, markdown from page where id = ?",
  )
  return {
    count: async () => Number(db.prepare("select count(*) as n from page").get()?.["n"]),
    idsAfter: (id, limit) => after.all(id, limit).map((row) => String(row["id"])),
    read: async (ids) => ids.flatMap((id) => (one.get(id) as StoredPage | undefined) ?? []),
    [Symbol.dispose]: () => db.close(),
  }
}

type TableRow = Pick<StoredPage, "id" | "revision" | "title" | "markdown" | "passages"> &
  Pick<Page, "description" | "author" | "language" | "favicon" | "source"> & {
    readonly url: PageUrl
    readonly images: string
    readonly published: number | null
    readonly fetched: number
  }

async function pagesInTable(connection: Connection): Promise<OldPages> {
  const table = await connection.openTable("pages")
  const known = await readRows<{ id: string }>(table.query().select(["id"]))
  const ids = known.map(({ id }) => id).toSorted()
  return {
    count: async () => ids.length,
    idsAfter(id, limit) {
      const from = firstAfter(ids, id)
      return ids.slice(from, from + limit)
    },
    async read(some) {
      const rows = await readRows<TableRow>(table.query().where(isIn("id", some)))
      const byId = new Map(rows.map((row) => [row.id, row]))
      return some.flatMap((id) => {
        const row = byId.get(id)
        return row ? stored(row) : []
      })
    },
    [Symbol.dispose]: () => table.close(),
  }
}

function stored(row: TableRow): StoredPage {
  const { id, revision, title, markdown, passages, images, ...said } = row
  const { url, description, author, language, favicon, source, published, fetched } = said
  const details = { url, description, author, language, favicon, source, published, fetched }
  return {
    id,
    revision,
    title,
    markdown,
    passages,
    details: JSON.stringify({ ...details, images: JSON.parse(images) as unknown }),
  }
}

/** The place of the first of sorted ids that comes after one. */
function firstAfter(ids: readonly string[], id: string): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ids[middle]! <= id) low = middle + 1
    else high = middle
  }
  return low
}
