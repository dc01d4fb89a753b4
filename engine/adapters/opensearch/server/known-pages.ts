import type { PageHead } from "../../../index/page-record.ts"
import type { PassagesWanted, PageText } from "../../../index/search-index.ts"
import type { PageFacts } from "../../../index/page/page-facts.ts"
import type { Passage } from "../../../index/page/passage.ts"
import { isIn } from "../filter.ts"
import { textOf } from "./documents.ts"
import { type Columns, columnsOf, PageReads } from "./page-reads.ts"
import type { Searches } from "./searches.ts"
import type { Shards } from "./shards.ts"

/** Number of pages read per request: their content is parsed in one go. */
const PAGES_AT_A_TIME = 32
/** Columns of a page that a search keeps in memory: all except its terms and its text. */
export const KNOWN = ["facts", "head", "written"] as const

type LongField = "markdown" | "passages"

/** Reads pages for one search, and remembers the columns it has read. */
export class KnownPages {
  readonly #searches: Searches
  readonly #reads: PageReads
  readonly #index: string
  /** {@link KNOWN} columns by page id, sometimes with others; `null` for a page that no longer exists. */
  readonly #columns = new Map<string, Columns | null>()
  readonly #facts = new Map<string, PageFacts>()
  /** The versions of pages that were found by their words: see `versions.ts`. */
  readonly #writtenAt = new Map<string, number>()

  /** @param index the pages index */
  constructor(searches: Searches, shards: Shards, index: string) {
    this.#searches = searches
    this.#reads = new PageReads(searches, shards, index)
    this.#index = index
  }

  /** Remembers columns that came with a response. They must include all {@link KNOWN} ones. */
  keep(columns: Columns): void {
    this.#columns.set(columns.id, columns)
    this.#facts.delete(columns.id)
  }

  /** Remembers the version of a page that was found by its words. */
  noteVersion(columns: Columns): void {
    this.#writtenAt.set(columns.id, columns["written"] as number)
  }

  /** Whether a page might have been written after `time`; true if its version wasn't recorded. */
  mayBeWrittenAfter(id: string, time: number): boolean {
    return (this.#writtenAt.get(id) ?? Infinity) > time
  }

  async facts(ids: readonly string[]): Promise<ReadonlyMap<string, PageFacts>> {
    for (const { id, facts } of await this.#known(ids)) {
      if (!this.#facts.has(id)) this.#facts.set(id, JSON.parse(textOf(facts)) as PageFacts)
    }
    return this.#facts
  }

  async heads(ids: readonly string[]): Promise<PageHead[]> {
    return (await this.#known(ids)).map(headOf)
  }

  async texts(ids: readonly string[]): Promise<PageText[]> {
    return (await this.#whole(ids)).map(({ columns, source }) => ({
      ...headOf(columns),
      markdown: source["markdown"] as string,
      passages: JSON.parse(source["passages"] as string) as Passage[],
    }))
  }

  async *passageTerms(ids: readonly string[]): AsyncGenerator<readonly [id: string, packed: Uint8Array]> {
    for (let at = 0; at < ids.length; at += PAGES_AT_A_TIME) {
      const some = ids.slice(at, at + PAGES_AT_A_TIME)
      // Also reads the columns needed next, in their current state.
      const read = await this.#reads.columns(some, ["passage_terms", ...KNOWN])
      for (const id of some) {
        const columns = read.get(id)
        if (!columns) this.#columns.set(id, null)
        else {
          const { passage_terms: terms, ...known } = columns
          this.keep(known)
          yield [id, Buffer.from(terms as string, "base64")]
        }
      }
    }
  }

  async passages(
    wanted: readonly PassagesWanted[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, Passage>>> {
    const heads = wanted.map(({ head }) => head)
    const said = await this.storedText(heads, "passages")
    return new Map(
      wanted.flatMap(({ head, positions }) => {
        const text = said.get(head.id)
        if (text === undefined) return []
        const all = JSON.parse(text) as Passage[]
        const some = positions.flatMap((position): [number, Passage][] =>
          all[position] ? [[position, all[position]]] : [],
        )
        return [[head.id, new Map(some)] as const]
      }),
    )
  }

  /** A long field of pages, by page id. Pages that have been replaced since are left out. */
  async storedText(wanted: readonly PageHead[], field: LongField): Promise<Map<string, string>> {
    const fetched = await this.#reads.documents(wanted.map(({ id }) => id))
    const found = new Map<string, string>()
    const others = new Map<string, number>()
    for (const { id, revision } of wanted) {
      const document = fetched.get(id)
      if (!document) continue
      if (document.version === this.#columns.get(id)?.["written"])
        found.set(id, document.source[field] as string)
      // The page has been rewritten since, possibly with the same content.
      else others.set(id, revision)
    }
    for (const { columns, source } of await this.#whole([...others.keys()])) {
      const { id, revision } = columns
      if (others.get(id) === revision) found.set(id, source[field] as string)
    }
    return found
  }

  /** {@link KNOWN} columns of the pages that still exist. */
  async #known(ids: readonly string[]): Promise<Columns[]> {
    const unread = ids.filter((id) => !this.#columns.has(id))
    const read = await this.#reads.columns(unread, KNOWN)
    for (const id of unread) this.#columns.set(id, read.get(id) ?? null)
    return ids.flatMap((id) => this.#columns.get(id) ?? [])
  }

  /** Whole documents with their id, revision and head, in any order. */
  async #whole(ids: readonly string[]) {
    if (ids.length === 0) return []
    const { hits } = await this.#searches.search(this.#index, {
      track_total_hits: false,
      size: ids.length,
      docvalue_fields: ["id", "revision", "head"],
      query: { bool: { filter: [isIn("id", ids)] } },
      sort: ["_doc"],
    })
    return hits.hits.map(({ fields, _source: source }) => ({
      columns: columnsOf(fields),
      source: source!,
    }))
  }
}

function headOf({ id, revision, head }: Columns): PageHead {
  const { title, details } = JSON.parse(textOf(head)) as Pick<PageHead, "title" | "details">
  return { id, revision, title, details }
}
