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
import { COLUMNS_ONLY, Searches, type SearchHit } from "./server/searches.ts"
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

/**
 * Stands beside all filters of vectors: no field of a passage can hold it. Without such a one a filter that says what a page is not
 * would be taken for one of passages, which are none of it either.
 */
const HAS_VECTORS: QueryClause = { term: { waiting: false } }

export interface OpenSearchIndexParts {
  readonly cluster: Cluster
  readonly indexes: Indexes
  readonly frequencies: TermFrequencies
  readonly state: IndexState
}

/** What one search asks, answered by an OpenSearch cluster. It remembers what it was told of terms and pages. */
export function opensearchIndex(parts: OpenSearchIndexParts): SearchIndex {
  const { cluster, indexes, frequencies, state } = parts
  const searches = new Searches(cluster)
  const known = new Map<string, number>()
  const facts = new Map<string, PageFacts>()
  /** Of pages whose facts were read. */
  const heads = new Map<string, PageHead>()
  /** The version in which a head was read: see `versions.ts`. */
  const written = new Map<string, number>()
  const keepHead = (columns: Columns): void => {
    heads.set(columns.id, headOf(columns))
    written.set(columns.id, columns["written"] as number)
  }
  /** With the head: the round costs more than what it brings. */
  const keepFacts = (columns: Columns): void => {
    facts.set(columns.id, JSON.parse(textOf(columns["facts"])) as PageFacts)
    keepHead(columns)
  }

  async function learn(terms: readonly string[]): Promise<void> {
    const unknown = terms.filter((term) => !known.has(term)).slice(0, MOST_TERMS)
    if (unknown.length === 0) return
    for (const [term, frequency] of await frequenciesOf(unknown)) known.set(term, frequency)
  }
  const frequenciesOf = (terms: readonly string[]) => frequencies.of(terms, state.pages)
  function idfOf(term: string): number {
    const frequency = Math.min(known.get(term) ?? 0, state.pages)
    return Math.log(1 + (state.pages - frequency + 0.5) / (frequency + 0.5))
  }
  /** Columns, and parts of the documents, of these pages in any order. */
  async function read(ids: readonly string[], columns: readonly string[], source?: readonly string[]) {
    if (ids.length === 0) return []
    const { hits } = await searches.search(indexes.pages, {
      ...COLUMNS_ONLY,
      ...(source && { _source: source, stored_fields: undefined }),
      size: ids.length,
      docvalue_fields: ["id", "revision", ...columns],
      query: { bool: { filter: [isIn("id", ids)] } },
      sort: ["_doc"],
    })
    return hits.hits.map(({ fields, _source: text = {} }) => ({ columns: of(fields), text }))
  }
  /** A long field of these pages, of those that were not replaced since: fetched by id, which is half of what a search costs. */
  async function storedText(wanted: readonly PageHead[], field: "markdown" | "passages") {
    const fetched = await searches.byId(
      indexes.pages,
      wanted.map(({ id }) => id),
      field,
    )
    const found = new Map<string, string>()
    const others: PageHead[] = []
    for (const head of wanted) {
      const { version, text } = fetched.get(head.id) ?? {}
      if (text !== undefined && version === written.get(head.id)) found.set(head.id, text)
      // Written anew since, perhaps as it was.
      else if (text !== undefined) others.push(head)
    }
    const revisions = new Map(others.map(({ id, revision }) => [id, revision]))
    for (const { columns, text } of await read([...revisions.keys()], [], [field])) {
      const { id, revision } = columns
      if (revisions.get(id) === revision) found.set(id, text[field] as string)
    }
    return found
  }
  /** Pages by their best section. */
  async function bySection(question: QueryClause, limit: number, conditions: readonly Condition[]) {
    const { hits } = await searches.search(
      indexes.pages,
      {
        ...COLUMNS_ONLY,
        size: limit,
        docvalue_fields: ["id"],
        query: {
          bool: {
            must: [{ nested: { path: "sections", score_mode: "max", query: question } }],
            filter: filtersOf(conditions),
          },
        },
      },
      { wide: true },
    )
    return hits.hits.map(({ fields, _score: score = 0 }) => ({ id: of(fields).id, score }))
  }
  const withTerms = (terms: readonly string[], operator: "and" | "or"): QueryClause => ({
    match: { "sections.terms": { query: terms.join(" "), operator } },
  })

  return {
    languages: sharesOf(state),
    allEmbedded: state.waiting === 0,
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
      const found = await bySection(withTerms(held, "or"), limit, conditions)
      return new Map(found.map(({ id, score }) => [id, score]))
    },

    async nearest(vector, limit, conditions) {
      const filters = filtersOf(conditions)
      const many = Math.min(limit, MOST_NEAREST)
      const { hits } = await searches.search(indexes.vectors, {
        ...COLUMNS_ONLY,
        size: many,
        docvalue_fields: ["id", "revision"],
        query: {
          nested: {
            path: "passages",
            score_mode: "max",
            inner_hits: { size: PASSAGES_PER_PAGE, _source: false, stored_fields: "_none_" },
            query: {
              knn: {
                "passages.vector": {
                  vector: inShort(vector),
                  k: many,
                  expand_nested_docs: true,
                  ...(filters.length > 0 && { filter: { bool: { filter: [HAS_VECTORS, ...filters] } } }),
                },
              },
            },
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
        return (await bySection(question, limit, conditions)).map(({ id }) => id)
      }
      const { hits } = await searches.search(indexes.pages, {
        ...COLUMNS_ONLY,
        size: limit,
        docvalue_fields: ["id"],
        query: { bool: { filter: filtersOf(conditions) } },
        sort: ["_doc"],
      })
      return hits.hits.map(({ fields }) => of(fields).id)
    },

    async withoutVectors(ids) {
      if (ids.length === 0) return new Set()
      const { hits } = await searches.search(indexes.vectors, {
        ...COLUMNS_ONLY,
        size: ids.length,
        docvalue_fields: ["id"],
        query: { bool: { filter: [{ term: { waiting: true } }, isIn("id", ids)] } },
        sort: ["_doc"],
      })
      return new Set(hits.hits.map(({ fields }) => of(fields).id))
    },

    async facts(ids) {
      const unread = ids.filter((id) => !facts.has(id))
      for (const { columns } of await read(unread, ["facts", "head", "written"])) keepFacts(columns)
      return facts
    },

    async heads(ids) {
      const unread = await read(
        ids.filter((id) => !heads.has(id)),
        ["head", "written"],
      )
      for (const { columns } of unread) keepHead(columns)
      return ids.flatMap((id) => heads.get(id) ?? [])
    },

    texts: async (ids) =>
      (await read(ids, ["head"], ["markdown", "passages"])).map(({ columns, text }) => ({
        ...headOf(columns),
        markdown: text["markdown"] as string,
        passages: JSON.parse(text["passages"] as string) as Passage[],
      })),

    async *passageTerms(ids) {
      for (let at = 0; at < ids.length; at += PAGES_AT_A_TIME) {
        const some = ids.slice(at, at + PAGES_AT_A_TIME)
        // One round for all that is asked of these next.
        for (const { columns } of await read(some, ["passage_terms", "facts", "head", "written"])) {
          keepFacts(columns)
          yield [columns.id, Buffer.from(columns["passage_terms"] as string, "base64")]
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

interface Columns {
  readonly id: string
  readonly revision: number
  readonly [name: string]: unknown
}

/** Columns of one value each. */
function of(fields: SearchHit["fields"]): Columns {
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, [value]]) => [name, value]),
  ) as unknown as Columns
}

function headOf({ id, revision, head }: Columns): PageHead {
  const { title, details } = JSON.parse(textOf(head)) as Pick<PageHead, "title" | "details">
  return { id, revision, title, details }
}

/** The server's score of cosines is 0..1. */
function passagesOf({ fields, inner_hits: inner }: SearchHit): Nearest[] {
  const { id: page, revision } = of(fields)
  return (inner?.["passages"]?.hits.hits ?? []).map(({ _nested: { offset: position }, _score: score }) => ({
    page,
    revision,
    position,
    cosine: 2 * score - 1,
  }))
}
