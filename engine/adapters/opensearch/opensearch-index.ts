import type { PageFacts } from "../../page/page-facts.ts"
import type { Passage } from "../../page/passage.ts"
import { correctionsOf } from "../../search/query-terms.ts"
import type { Condition, Nearest, SearchIndex } from "../../index/search-index.ts"
import type { PageHead } from "../../index/page-record.ts"
import { stemmerOf } from "../../text/analysis/stem.ts"
import { type IndexState, sharesOf } from "../server/backend.ts"
import { filtersOf, isIn, type QueryClause } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { inShort, textOf } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { type Columns, columnsOf, PageReads } from "./server/page-reads.ts"
import { COLUMNS_ONLY, Searches, type SearchHit } from "./server/searches.ts"
import type { Shards } from "./server/shards.ts"
import { similarTerms } from "./similar-terms.ts"
import type { TermFrequencies } from "./term-frequencies.ts"

/** Pages read in one request: what they hold is parsed in one go. */
const PAGES_AT_A_TIME = 32
/** Of a text of hundreds of words, so many terms are looked for. */
const MOST_TERMS = 64
/** The plugin walks no further. */
const MOST_NEAREST = 10_000
/** Nearest passages of one page: a hit shows three. */
const PASSAGES_PER_PAGE = 4
/** What is known of a page without its terms and its text. */
const KNOWN = ["facts", "head", "written"] as const
/** Pages of a list that come with what is known of them: of a longer one most are never looked at. */
const MOST_KNOWN_AT_ONCE = 100

/**
 * Stands beside all filters of vectors: no field of a passage can hold it. Without such a one a filter that says what a page is not
 * would be taken for one of passages, which are none of it either.
 */
const HAS_VECTORS: QueryClause = { term: { waiting: false } }

export interface OpenSearchIndexParts {
  readonly cluster: Cluster
  readonly indexes: Indexes
  readonly shards: Shards
  readonly frequencies: TermFrequencies
  readonly state: IndexState
}

/** What one search asks, answered by an OpenSearch cluster. It remembers what it was told of terms and pages. */
export function opensearchIndex(parts: OpenSearchIndexParts): SearchIndex {
  const { cluster, indexes, shards, frequencies, state } = parts
  const searches = new Searches(cluster)
  const reads = new PageReads(searches, shards, indexes.pages)
  const known = new Map<string, number>()
  /** {@link KNOWN} and more of pages; null of those that are gone. */
  const pages = new Map<string, Columns | null>()
  const facts = new Map<string, PageFacts>()
  /** The versions of pages that were found by their words: see `versions.ts`. */
  const writtenAt = new Map<string, number>()
  const keep = (columns: Columns): void => {
    pages.set(columns.id, columns)
    facts.delete(columns.id)
  }
  /** What is known of these pages, of those that are there. */
  async function knownOf(ids: readonly string[]): Promise<Columns[]> {
    const unread = ids.filter((id) => !pages.has(id))
    const read = await reads.columns(unread, KNOWN)
    for (const id of unread) pages.set(id, read.get(id) ?? null)
    return ids.flatMap((id) => pages.get(id) ?? [])
  }

  async function learn(terms: readonly string[]): Promise<void> {
    const unknown = terms.filter((term) => !known.has(term)).slice(0, MOST_TERMS)
    if (unknown.length === 0) return
    for (const [term, frequency] of await frequenciesOf(unknown)) known.set(term, frequency)
  }
  const frequenciesOf = (terms: readonly string[]) => frequencies.of(terms, state)
  function idfOf(term: string): number {
    const frequency = Math.min(known.get(term) ?? 0, state.pages)
    return Math.log(1 + (state.pages - frequency + 0.5) / (frequency + 0.5))
  }
  /** A long field of these pages, of those that were not replaced since. */
  async function storedText(wanted: readonly PageHead[], field: "markdown" | "passages") {
    const fetched = await reads.documents(wanted.map(({ id }) => id))
    const found = new Map<string, string>()
    const others: PageHead[] = []
    for (const head of wanted) {
      const document = fetched.get(head.id)
      if (!document) continue
      if (document.version === pages.get(head.id)?.["written"])
        found.set(head.id, document.source[field] as string)
      // Written anew since, perhaps as it was.
      else others.push(head)
    }
    const revisions = new Map(others.map(({ id, revision }) => [id, revision]))
    for (const { columns, source } of await whole([...revisions.keys()])) {
      const { id, revision } = columns
      if (revisions.get(id) === revision) found.set(id, source[field] as string)
    }
    return found
  }
  /** Documents of these pages with what is known of them, in any order. */
  async function whole(ids: readonly string[]) {
    if (ids.length === 0) return []
    const { hits } = await searches.search(indexes.pages, {
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
  /** Pages by their best section. */
  async function bySection(
    question: QueryClause,
    limit: number,
    conditions: readonly Condition[],
    columns: readonly string[] = [],
  ) {
    const { hits } = await searches.search(
      indexes.pages,
      {
        ...COLUMNS_ONLY,
        size: limit,
        docvalue_fields: ["id", ...columns],
        query: {
          bool: {
            must: [{ nested: { path: "sections", score_mode: "max", query: question } }],
            filter: filtersOf(conditions),
          },
        },
      },
      { wide: true },
    )
    return hits.hits.map(({ fields, _score: score = 0 }) => ({ columns: columnsOf(fields), score }))
  }
  const withTerms = (terms: readonly string[], operator: "and" | "or"): QueryClause => ({
    match: { "sections.terms": { query: terms.join(" "), operator } },
  })

  return {
    languages: sharesOf(state),
    // What waits is looked for among the pages that may: see `withoutVectors`.
    allEmbedded: false,
    hasTermsAtHand: false,
    takesArmsTogether: true,

    async idf(terms) {
      await learn(terms)
      return new Map(terms.map((term) => [term, idfOf(term)]))
    },

    async corrections(asked) {
      await learn(asked.terms)
      const unknown = asked.terms.filter((term) => known.get(term) === 0)
      if (unknown.length > 0) {
        const words = unknown.slice(0, 4).map((term) => {
          const { word, language } = asked.written.get(term) ?? { word: term, language: null }
          return { word, stem: stemmerOf(language) }
        })
        const similar = await similarTerms(searches, indexes.pages, frequenciesOf, words)
        for (const [term, frequency] of similar) known.set(term, frequency)
      }
      return await correctionsOf(
        asked,
        (term) => known.get(term) ?? 0,
        () => Promise.resolve(false),
      )
    },

    async lexical(terms, limit, conditions) {
      await learn(terms)
      const held = terms.filter((term) => (known.get(term) ?? 0) > 0)
      if (held.length === 0) return new Map()
      const columns = limit <= MOST_KNOWN_AT_ONCE ? ["revision", ...KNOWN] : ["written"]
      const found = await bySection(withTerms(held, "or"), limit, conditions, columns)
      for (const { columns } of found) {
        writtenAt.set(columns.id, columns["written"] as number)
        if (limit <= MOST_KNOWN_AT_ONCE) keep(columns)
      }
      return new Map(found.map(({ columns, score }) => [columns.id, score]))
    },

    async nearest(vector, limit, conditions) {
      const filters = filtersOf(conditions)
      const many = Math.min(limit, MOST_NEAREST)
      const asked = inShort(vector)
      const near = {
        "passages.vector": {
          vector: asked,
          k: many,
          ...(filters.length > 0 && { filter: { bool: { filter: [HAS_VECTORS, ...filters] } } }),
        },
      }
      const params = { field: "passages.vector", query_value: asked, space_type: "cosinesimil" }
      const compared = {
        script_score: { query: { match_all: {} }, script: { lang: "knn", source: "knn_score", params } },
      }
      const inner = { size: PASSAGES_PER_PAGE, _source: false, stored_fields: "_none_" }
      const { hits } = await searches.search(indexes.vectors, {
        ...COLUMNS_ONLY,
        size: many,
        docvalue_fields: ["id", "revision"],
        query: {
          bool: {
            must: [{ nested: { path: "passages", score_mode: "max", query: { knn: near } } }],
            // Adds nothing to a page's score: it tells its nearest passages, each of them compared with the question.
            should: [
              { nested: { path: "passages", score_mode: "none", query: compared, inner_hits: inner } },
            ],
          },
        },
      })
      return hits.hits
        .flatMap(passagesOf)
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, limit)
    },

    async holding(terms, match, limit, conditions) {
      if (terms.length > 0) {
        const question = withTerms(terms, match === "all" ? "and" : "or")
        return (await bySection(question, limit, conditions)).map(({ columns }) => columns.id)
      }
      const { hits } = await searches.search(indexes.pages, {
        ...COLUMNS_ONLY,
        size: limit,
        docvalue_fields: ["id"],
        query: { bool: { filter: filtersOf(conditions) } },
        sort: ["_doc"],
      })
      return hits.hits.map(({ fields }) => columnsOf(fields).id)
    },

    async withoutVectors(ids) {
      // None waited when the state was read: then only pages that were written since may.
      const mayWait = (id: string) => !((writtenAt.get(id) ?? Infinity) <= (state.lastWritten ?? 0))
      const asked = state.waiting > 0 ? ids : ids.filter(mayWait)
      if (asked.length === 0) return new Set()
      const { hits } = await searches.search(indexes.vectors, {
        ...COLUMNS_ONLY,
        size: asked.length,
        docvalue_fields: ["id"],
        query: { bool: { filter: [{ term: { waiting: true } }, isIn("id", asked)] } },
        sort: ["_doc"],
      })
      return new Set(hits.hits.map(({ fields }) => columnsOf(fields).id))
    },

    async facts(ids) {
      for (const { id, facts: text } of await knownOf(ids)) {
        if (!facts.has(id)) facts.set(id, JSON.parse(textOf(text)) as PageFacts)
      }
      return facts
    },

    heads: async (ids) => (await knownOf(ids)).map(headOf),

    texts: async (ids) =>
      (await whole(ids)).map(({ columns, source }) => ({
        ...headOf(columns),
        markdown: source["markdown"] as string,
        passages: JSON.parse(source["passages"] as string) as Passage[],
      })),

    async *passageTerms(ids) {
      for (let at = 0; at < ids.length; at += PAGES_AT_A_TIME) {
        const some = ids.slice(at, at + PAGES_AT_A_TIME)
        // With all that is asked of these next, as they are now.
        const read = await reads.columns(some, ["passage_terms", ...KNOWN])
        for (const id of some) {
          const columns = read.get(id)
          if (!columns) pages.set(id, null)
          else {
            const { passage_terms: terms, ...known } = columns
            keep(known)
            yield [id, Buffer.from(terms as string, "base64")]
          }
        }
      }
    },

    async passages(wanted) {
      const said = await storedText(
        wanted.map(({ head }) => head),
        "passages",
      )
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
    },

    markdown: (heads) => storedText(heads, "markdown"),
  }
}

function headOf({ id, revision, head }: Columns): PageHead {
  const { title, details } = JSON.parse(textOf(head)) as Pick<PageHead, "title" | "details">
  return { id, revision, title, details }
}

/** The server's score of cosines is 0..1. */
function passagesOf({ fields, inner_hits: inner }: SearchHit): Nearest[] {
  const { id: page, revision } = columnsOf(fields)
  return (inner?.["passages"]?.hits.hits ?? []).map(({ _nested: { offset: position }, _score: score }) => ({
    page,
    revision,
    position,
    cosine: 2 * score - 1,
  }))
}
