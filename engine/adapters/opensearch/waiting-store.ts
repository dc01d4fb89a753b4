import type { FilledPage } from "../../filling/filling.ts"
import type { Passage } from "../../page/passage.ts"
import { embeddingText } from "../../text/passages.ts"
import type { WaitingAsked, WaitingStore } from "../server/backend.ts"
import { isIn, not } from "./filter.ts"
import type { StoreParts } from "./page-store.ts"
import { textOf, toVectorsDocument, type VectorsDocument, type VectorsHead } from "./server/documents.ts"
import { Searches } from "./server/searches.ts"
import { withVectors } from "./server/versions.ts"
import { writeAll } from "./server/writes.ts"

/** A page that waits, as its document of vectors has it, with that document's version. */
type TakenPage = VectorsHead & { readonly version: number }

interface StoredTexts {
  readonly revision: number
  readonly texts: readonly string[]
}

/**
 * The queue is on the cluster: the documents of vectors that have none yet. The vectors take the place of such a document, unless the
 * page was written or removed since: then theirs is the older version.
 */
export class OpenSearchWaiting implements WaitingStore<TakenPage> {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  async waiting({ limit, without, among, source }: WaitingAsked) {
    const { cluster, indexes } = this.#parts
    const filter = [
      { term: { waiting: true } },
      ...(source === undefined ? [] : [isIn("source", [source])]),
      ...(among ? [isIn("id", among)] : []),
      ...(without.length > 0 ? [not(isIn("id", without))] : []),
    ]
    const { hits } = await new Searches(cluster).search(indexes.vectors, {
      size: limit,
      version: true,
      track_total_hits: true,
      query: { bool: { filter } },
      sort: ["_doc"],
    })
    const pages = hits.hits.map(({ _source: source, _version: version }) => {
      const { waiting: _waiting, ...head } = source as unknown as VectorsDocument
      return { ...head, version: version! }
    })
    return { pages, total: hits.total!.value }
  }

  async texts(pages: readonly TakenPage[]) {
    const stored = await this.#stored(pages.map(({ id }) => id))
    return pages.flatMap((page) => {
      const text = stored.get(page.id)
      return text?.revision === page.revision ? [{ page, texts: text.texts }] : []
    })
  }

  async commit(filled: readonly FilledPage<TakenPage>[]): Promise<void> {
    const { cluster, indexes, patienceMs } = this.#parts
    const groups = filled.map(({ page: { version: old, ...head }, vectors }) => {
      const version = withVectors(old)
      const document = toVectorsDocument({ ...head, written: version }, vectors)
      return [{ index: indexes.vectors, id: head.id, version, document }]
    })
    const [refused] = (await writeAll(cluster, groups, patienceMs)).values()
    if (refused) throw refused
  }

  async mend(pages: readonly TakenPage[]): Promise<void> {
    const { cluster, indexes, patienceMs } = this.#parts
    const stored = await this.#stored(pages.map(({ id }) => id))
    const groups = pages.flatMap(({ version: old, ...head }) => {
      const text = stored.get(head.id)
      if (text?.revision === head.revision) return []
      const version = withVectors(old)
      const { revision } = text ?? {}
      const document = revision === undefined ? null : toVectorsDocument({ ...head, revision }, null)
      return [[{ index: indexes.vectors, id: head.id, version, document }]]
    })
    await writeAll(cluster, groups, patienceMs)
  }

  async #stored(ids: readonly string[]): Promise<Map<string, StoredTexts>> {
    const { cluster, indexes } = this.#parts
    const { hits } = await new Searches(cluster).search(indexes.pages, {
      size: ids.length,
      track_total_hits: false,
      _source: ["passages"],
      docvalue_fields: ["id", "revision", "head"],
      query: { bool: { filter: [isIn("id", ids)] } },
      sort: ["_doc"],
    })
    return new Map(
      hits.hits.map(({ fields, _source: source }) => {
        const { title } = JSON.parse(textOf(fields!["head"]![0])) as { title: string }
        const passages = JSON.parse(source!["passages"] as string) as Passage[]
        const texts = passages.map((one) => embeddingText(title, one))
        return [fields!["id"]![0] as string, { revision: fields!["revision"]![0] as number, texts }]
      }),
    )
  }
}
