import type { FilledPage } from "../../lifecycle/filling/filling.ts"
import { embeddingText } from "../../text/passages.ts"
import type { WaitingAsked, WaitingStore } from "../server/backend.ts"
import {
  FILTER_FIELDS,
  PASSAGE_FIELDS,
  type PageDocument,
  passagesIn,
  toPassageDocuments,
} from "./server/documents.ts"
import { all, arePages, filterOf } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import { writeVectors } from "./page-store.ts"
import type { Server } from "./server/server.ts"

const TAKEN = ["id", "revision", "replaced", "passage_count", ...FILTER_FIELDS] as const
type TakenPage = Pick<PageDocument, (typeof TAKEN)[number]>

/**
 * The queue of waiting pages, which is stored on the server as a mark on each page. The mark is removed only after the
 * page's vectors are stored, so anything interrupted in between is repeated.
 */
export class MeilisearchWaiting implements WaitingStore<TakenPage> {
  readonly #server: Server
  readonly #indexes: Indexes

  constructor(server: Server, indexes: Indexes) {
    this.#server = server
    this.#indexes = indexes
  }

  async waiting({ limit, without, among, source }: WaitingAsked) {
    const filter = all([
      "waiting = true",
      ...(source === undefined ? [] : [filterOf([{ sources: [source] }])!]),
      ...(among ? [arePages(among)] : []),
      ...(without.length > 0 ? [`NOT ${arePages(without)}`] : []),
    ])!
    const { results, total } = await this.#indexes.pages.getDocuments({ filter, fields: [...TAKEN], limit })
    return { pages: results as TakenPage[], total }
  }

  async texts(pages: readonly TakenPage[]) {
    const { results } = await this.#indexes.texts.getDocuments({
      ids: pages.map(({ id }) => id),
      filter: [],
      fields: ["id", "revision", "title", ...(PASSAGE_FIELDS as never[])],
      limit: pages.length,
    })
    const texts = new Map(results.map((text) => [text.id, text]))
    return pages.flatMap((page) => {
      const text = texts.get(page.id)
      // The page was replaced after it was taken from the queue, so it is waiting with its new revision.
      if (text?.revision !== page.revision) return []
      return [{ page, texts: [...passagesIn(text).values()].map((one) => embeddingText(text.title, one)) }]
    })
  }

  async commit(filled: readonly FilledPage<TakenPage>[]): Promise<void> {
    const indexes = this.#indexes
    const waiting = await this.#stillWaiting(filled)
    if (waiting.length === 0) return
    const replaced = waiting.filter(({ page }) => page.replaced).map(({ page }) => page.id)
    if (replaced.length > 0) {
      await this.#server.done(indexes.passages.deleteDocuments({ filter: arePages(replaced) }))
    }
    await writeVectors(
      this.#server,
      indexes,
      waiting.flatMap(({ page, vectors }) => toPassageDocuments(page, vectors)),
    )
    const updates = waiting.map(({ page: { id } }) => ({ id, waiting: false, replaced: false }))
    await this.#server.done(indexes.pages.updateDocuments(updates))
  }

  /** The pages that haven't been replaced or removed in the meantime. */
  async #stillWaiting(filled: readonly FilledPage<TakenPage>[]): Promise<FilledPage<TakenPage>[]> {
    const { results } = await this.#indexes.pages.getDocuments({
      ids: filled.map(({ page }) => page.id),
      filter: [],
      fields: ["id", "revision", "replaced", "waiting"],
      limit: filled.length,
    })
    const now = new Map(results.map((page) => [page.id, page]))
    return filled.flatMap(({ page, vectors }) => {
      const { revision, waiting, replaced = false } = now.get(page.id) ?? {}
      return waiting && revision === page.revision ? [{ page: { ...page, replaced }, vectors }] : []
    })
  }
}
