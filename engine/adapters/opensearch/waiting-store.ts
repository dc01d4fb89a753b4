import { steadyNow } from "#base/steady-time.ts"
import type { FilledPage } from "../../lifecycle/filling/filling.ts"
import type { Passage } from "../../index/page/passage.ts"
import { embeddingText } from "../../text/passages.ts"
import type { WaitingAsked, WaitingStore } from "../server/backend.ts"
import { Claims } from "./claims.ts"
import { isIn, not } from "./filter.ts"
import type { StoreParts } from "./page-store.ts"
import { toVectorsDocument, type VectorsDocument, type VectorsHead } from "./server/documents.ts"
import { Searches } from "./server/searches.ts"
import { withVectors } from "./server/versions.ts"
import { writeAll } from "./server/writes.ts"
import { storedPages } from "./stored-pages.ts"

/** A waiting page as described by its vectors document, with that document's version. */
type TakenPage = VectorsHead & { readonly version: number }

interface StoredTexts {
  readonly revision: number
  readonly texts: readonly string[]
}

/** A vectors document that doesn't match its page. */
interface HalfWritten {
  readonly version: number
  /** When the mismatch was first and last seen, by {@link steadyNow}. */
  readonly since: number
  readonly seen: number
}

/** How often to look for pages left behind by another process, and to check the claims of others. */
const LOOK_MS = 30_000
/** Time after which to look again at a page that is still being written. */
const LOOK_AGAIN_MS = 1000
/** Maximum number of rounds that look for pages beyond those claimed by others. */
const MOST_ROUNDS = 8
/** After this time no write can still be in progress: the time for which a write is retried, plus the duration of its last request. */
export const HALF_WRITTEN_MS = 180_000

/**
 * The queue of waiting pages, which is in the cluster: the vectors documents that don't contain vectors yet. The
 * vectors replace such a document, unless the page has been written or removed since: then the vectors have the older
 * version. If several processes embed, each takes different pages.
 */
export class OpenSearchWaiting implements WaitingStore<TakenPage> {
  readonly lookEveryMs = LOOK_MS
  readonly #parts: StoreParts
  readonly #claims: Claims
  readonly #halfWritten = new Map<string, HalfWritten>()
  #lookedAt = steadyNow()

  constructor(parts: StoreParts) {
    this.#parts = parts
    this.#claims = new Claims(parts.cluster, parts.indexes.claims)
  }

  async waiting(asked: WaitingAsked) {
    const now = steadyNow()
    if (now - this.#lookedAt > LOOK_MS) {
      this.#claims.forgetOthers()
      this.#lookedAt = now
    }
    for (let round = 1; ; round++) {
      const beingWritten = [...this.#halfWritten].flatMap(([id, { seen }]) =>
        now - seen < LOOK_AGAIN_MS ? [id] : [],
      )
      const without = [...asked.without, ...this.#claims.others, ...beingWritten]
      const { pages: found, total } = await this.#found({ ...asked, without })
      const mine = await this.#claims.take(found.map(({ id }) => id))
      const pages = found.filter(({ id }) => mine.has(id))
      const isElsewhere = this.#claims.others.length > 0 || beingWritten.length > 0
      if (pages.length > 0 || found.length === 0 || round === MOST_ROUNDS) {
        return { pages, total: total - (found.length - pages.length), isElsewhere }
      }
    }
  }

  async texts(pages: readonly TakenPage[]) {
    const stored = await this.#stored(pages.map(({ id }) => id))
    const now = steadyNow()
    return pages.flatMap((page) => {
      const { id, version, revision } = page
      const text = stored.get(id)
      if (text?.revision === revision) {
        this.#halfWritten.delete(id)
        return [{ page, texts: text.texts }]
      }
      const known = this.#halfWritten.get(id)
      const since = known?.version === version ? known.since : now
      this.#halfWritten.set(id, { version, since, seen: now })
      return []
    })
  }

  async commit(filled: readonly FilledPage<TakenPage>[]): Promise<void> {
    const { cluster, indexes, patienceMs } = this.#parts
    const groups = filled.map(({ page: { version: old, ...head }, vectors }) => {
      const version = withVectors(old)
      const document = toVectorsDocument({ ...head, written: version }, vectors)
      return [{ index: indexes.vectors, id: head.id, version, document }]
    })
    const [refused] = (await writeAll(cluster, groups, patienceMs)).refused.values()
    if (refused) throw refused
    await this.#claims.release(filled.map(({ page: { id } }) => id))
  }

  async mend(pages: readonly TakenPage[]): Promise<void> {
    const { cluster, indexes, patienceMs, halfWrittenMs } = this.#parts
    const now = steadyNow()
    const left = pages.filter(({ id, version }) => {
      const known = this.#halfWritten.get(id)
      return known?.version === version && now - known.since >= halfWrittenMs
    })
    const stored = await this.#stored(left.map(({ id }) => id))
    const groups = left.flatMap(({ version: old, ...head }) => {
      this.#halfWritten.delete(head.id)
      const text = stored.get(head.id)
      if (text?.revision === head.revision) return []
      const version = withVectors(old)
      const { revision } = text ?? {}
      const document = revision === undefined ? null : toVectorsDocument({ ...head, revision }, null)
      return [[{ index: indexes.vectors, id: head.id, version, document }]]
    })
    await writeAll(cluster, groups, patienceMs)
  }

  /** Leaves unfinished pages to other processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#claims.release()
  }

  async #found({ limit, without, among, source }: WaitingAsked) {
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

  async #stored(ids: readonly string[]): Promise<Map<string, StoredTexts>> {
    const { cluster, indexes } = this.#parts
    const pages = await storedPages(new Searches(cluster), indexes, { ids, text: "passages" })
    return new Map(
      pages.map(({ id, revision, title, text }) => {
        const passages = JSON.parse(text) as Passage[]
        return [id, { revision, texts: passages.map((one) => embeddingText(title, one)) }]
      }),
    )
  }
}
