import type { PageFacts } from "../../page/page-facts.ts"
import type { Passage } from "../../page/passage.ts"
import { correctionsOf } from "../../search/query-terms.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import { stemmerOf } from "../../text/analysis/stem.ts"
import { PASSAGE_FIELDS, inShort, passageField, passagesIn } from "./server/documents.ts"
import { all, arePages, filterOf } from "./filter.ts"
import { type IndexState, sharesOf } from "../server/backend.ts"
import type { Indexes } from "./server/indexes.ts"
import { frequenciesOf, holdingAll, holdingAny, lexicalArm } from "./lexical.ts"
import type { Server } from "./server/server.ts"
import { similarTerms } from "./similar-terms.ts"

/** Pages read in one request: what they hold is parsed in one go. */
const PAGES_AT_A_TIME = 32
/** Of a text of hundreds of words, so many terms are looked for: each is a question to the server. */
const MOST_TERMS = 64

export interface MeilisearchIndexParts {
  readonly server: Server
  readonly indexes: Indexes
  readonly state: IndexState
}

/** What one search asks, answered by a Meilisearch server. It remembers what it was told of terms and pages. */
export function meilisearchIndex({ server, indexes, state }: MeilisearchIndexParts): SearchIndex {
  const { pages, texts, passages } = indexes
  const frequencies = new Map<string, number>()
  const facts = new Map<string, PageFacts>()

  async function learn(terms: readonly string[]): Promise<void> {
    const unknown = terms.filter((term) => !frequencies.has(term)).slice(0, MOST_TERMS)
    for (const [term, frequency] of await frequenciesOf(server, indexes, unknown)) {
      frequencies.set(term, frequency)
    }
  }
  function idfOf(term: string): number {
    const frequency = Math.min(frequencies.get(term) ?? 0, state.pages)
    return Math.log(1 + (state.pages - frequency + 0.5) / (frequency + 0.5))
  }
  const readTexts = async (ids: readonly string[], fields: string[]) =>
    (
      await texts.getDocuments({
        ids: [...ids],
        filter: [],
        fields: ["id", "revision", ...fields] as never,
        limit: ids.length,
      })
    ).results

  return {
    languages: sharesOf(state),
    allEmbedded: state.waiting === 0,
    hasTermsAtHand: false,

    async idf(terms) {
      await learn(terms)
      return new Map(terms.map((term) => [term, idfOf(term)]))
    },

    async corrections(asked) {
      await learn(asked.terms)
      const unknown = asked.terms.filter((term) => frequencies.get(term) === 0)
      const words = unknown.slice(0, 4).map((term) => {
        const { word, language } = asked.written.get(term) ?? { word: term, language: null }
        return { word, stem: stemmerOf(language) }
      })
      const similar = await similarTerms(server, indexes, words)
      for (const [term, frequency] of similar) frequencies.set(term, frequency)
      return await correctionsOf(
        asked,
        (term) => frequencies.get(term) ?? 0,
        () => Promise.resolve(false),
      )
    },

    async lexical(terms, limit, conditions) {
      await learn(terms)
      const held = terms.filter((term) => (frequencies.get(term) ?? 0) > 0)
      if (held.length === 0) return new Map()
      return await lexicalArm(server, indexes, {
        terms: held.map((term) => ({ term, idf: idfOf(term) })),
        limit,
        filter: filterOf(conditions),
      })
    },

    async nearest(vector, limit, conditions) {
      const filter = filterOf(conditions)
      const { hits } = await passages.search(null, {
        vector: inShort(vector),
        hybrid: { embedder: "default", semanticRatio: 1 },
        limit,
        attributesToRetrieve: ["page", "revision", "position"],
        showRankingScore: true,
        ...(filter !== undefined && { filter }),
      })
      return hits.map(({ page, revision, position, _rankingScore: score }) => ({
        page,
        revision,
        position,
        cosine: 2 * score! - 1,
      }))
    },

    holding: (terms, match, limit, conditions) => {
      const holding = match === "all" || terms.length === 0 ? holdingAll : holdingAny
      return holding(server, indexes, terms, limit, filterOf(conditions))
    },

    async withoutVectors(ids) {
      if (ids.length === 0) return new Set()
      const { hits } = await pages.search("", {
        filter: all(["waiting = true", arePages(ids)])!,
        attributesToRetrieve: ["id"],
        limit: ids.length,
      })
      return new Set(hits.map(({ id }) => id))
    },

    async facts(ids) {
      const unread = ids.filter((id) => !facts.has(id))
      if (unread.length === 0) return facts
      const { results } = await pages.getDocuments({
        ids: unread,
        filter: [],
        fields: ["id", "facts"],
        limit: unread.length,
      })
      for (const page of results) facts.set(page.id, JSON.parse(page.facts) as PageFacts)
      return facts
    },

    heads: async (ids) => (ids.length === 0 ? [] : await readTexts(ids, ["title", "details"])),

    async texts(ids) {
      if (ids.length === 0) return []
      const read = await readTexts(ids, ["title", "markdown", ...PASSAGE_FIELDS])
      return read.map((page) => ({ ...page, passages: [...passagesIn(page).values()] }))
    },

    async *passageTerms(ids) {
      for (let at = 0; at < ids.length; at += PAGES_AT_A_TIME) {
        for (const page of await readTexts(ids.slice(at, at + PAGES_AT_A_TIME), ["passage_terms"])) {
          yield [page.id, Buffer.from(page.passage_terms, "base64")]
        }
      }
    },

    async passages(wanted) {
      const found = new Map<string, ReadonlyMap<number, Passage>>()
      if (wanted.length === 0) return found
      const fields = new Set(wanted.flatMap(({ positions }) => positions.map(passageField)))
      const read = new Map(
        (
          await readTexts(
            wanted.map(({ head }) => head.id),
            [...fields],
          )
        ).map((page) => [page.id, page]),
      )
      for (const { head, positions } of wanted) {
        const page = read.get(head.id)
        if (page?.revision !== head.revision) continue
        const there = passagesIn(page)
        found.set(head.id, new Map([...there].filter(([position]) => positions.includes(position))))
      }
      return found
    },

    async markdown(heads) {
      if (heads.length === 0) return new Map()
      const revisions = new Map(heads.map(({ id, revision }) => [id, revision]))
      const read = await readTexts([...revisions.keys()], ["markdown"])
      return new Map(
        read.flatMap(({ id, revision, markdown }) =>
          revisions.get(id) === revision ? [[id, markdown]] : [],
        ),
      )
    },
  }
}
