import type { Table } from "@lancedb/lancedb"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import type { PageWithVectors } from "../../engine.ts"
import { EngineError } from "../../errors.ts"
import type { OldIndex } from "../adapter.ts"
import { type StoredPage, embeddedOf, passagesOf } from "../../index/page-record.ts"
import { toPassages } from "../../text/passages.ts"
import { readAnyManifest } from "./files/manifest.ts"
import { withVectors } from "./pages-after.ts"
import { connectTo } from "./lance/tables.ts"
import { lockForWriting } from "../../index/writer-lock.ts"

const PAGES_AT_A_TIME = 32

interface OldPages extends Disposable {
  count(): number
  idsAfter(id: string, limit: number): string[]
  read(ids: readonly string[]): StoredPage[]
}

/**
 * Opens an index in an older format to read its pages. Nothing in the folder is changed except the writer's lock, which
 * is held.
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
    const pages = opened.use(pagesInFile(dir))
    const vectors = await connection.openTable(manifest.vectors)
    const held = opened.move()
    return {
      count: async () => pages.count(),
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
    const stored = pages.read(ids)
    const made = await withVectors(stored, vectors)
    for (const [i, one] of made.entries()) {
      // Passages may be split differently today, in which case these vectors belong to other texts.
      const isSame = isDeepStrictEqual(
        embeddedOf(passagesOf(stored[i]!)),
        embeddedOf(toPassages(one.page.markdown)),
      )
      yield { page: one.page, vectors: isSame ? one.vectors : null }
    }
    last = ids.at(-1)!
  }
}

function pagesInFile(dir: string): OldPages {
  const db = new DatabaseSync(path.join(dir, "pages.db"))
  const after = db.prepare("select id from page where id > ? order by id limit ?")
  // Passages are stored in SQLite's own JSON format.
  const one = db.prepare(
    "select id, revision, title, details, json(passages) as passages, markdown from page where id = ?",
  )
  return {
    count: () => Number(db.prepare("select count(*) as n from page").get()?.["n"]),
    idsAfter: (id, limit) => after.all(id, limit).map((row) => String(row["id"])),
    read: (ids) => ids.flatMap((id) => (one.get(id) as StoredPage | undefined) ?? []),
    [Symbol.dispose]: () => db.close(),
  }
}
