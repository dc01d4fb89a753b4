import type { PageFacts } from "../../index/page/page-facts.ts"
import type { Passage } from "../../index/page/passage.ts"
import type { PageHead } from "../../index/page-record.ts"
import type {
  Condition,
  LexicalHits,
  Nearest,
  PageText,
  PassagesWanted,
  SearchIndex,
} from "../../index/search-index.ts"
import { PASSAGE_FIELDS, inShort, passageField, passagesIn } from "./server/documents.ts"
import { all, arePages, filterOf } from "./filter.ts"
import { AskedTerms } from "../server/asked-terms.ts"
import { type IndexState, sharesOf } from "../server/backend.ts"
import type { Indexes } from "./server/indexes.ts"
import { frequenciesOf, holdingAll, holdingAny, lexicalArm } from "./lexical.ts"
import type { Server } from "./server/server.ts"
import { similarTerms } from "./similar-terms.ts"

/** Number of pages read per request: their content is parsed in one go. */
const PAGES_AT_A_TIME = 32

export interface MeilisearchIndexParts {
  readonly server: Server
  readonly indexes: Indexes
  readonly state: IndexState
}

/** Answers the queries of one search from a Meilisearch server. Remembers the server's answers about terms and pages. */
export function meilisearchIndex(parts: MeilisearchIndexParts): SearchIndex {
  const { server, indexes, state } = parts
  const facts = new Map<string, PageFacts>()
  const terms = new AskedTerms({
    pages: state.pages,
    frequenciesOf: (unknown) => frequenciesOf(server, indexes, unknown),
    similarTerms: (words) => similarTerms(server, indexes, words),
  })
  return {
    languages: sharesOf(state),
    allEmbedded: state.waiting === 0,
    hasTermsAtHand: false,
    idf: (asked) => terms.idf(asked),
    corrections: (asked, unheld) => terms.corrections(asked, unheld),
    lexical: (asked, limit, conditions) => pagesByWords(parts, terms, asked, limit, conditions),
    nearest: (vector, limit, conditions) => nearestPassages(indexes, vector, limit, conditions),
    holding: (asked, match, limit, conditions) => {
      const holding = match === "all" || asked.length === 0 ? holdingAll : holdingAny
      return holding(server, indexes, asked, limit, filterOf(conditions))
    },
    withoutVectors: (ids) => pagesWithoutVectors(indexes, ids),
    facts: async (ids) => {
      await readFacts(indexes, ids, facts)
      return facts
    },
    heads: async (ids) => (ids.length === 0 ? [] : await readTexts(indexes, ids, ["title", "details"])),
    texts: (ids) => wholeTexts(indexes, ids),
    passageTerms: (ids) => passageTerms(indexes, ids),
    passages: (wanted) => passagesAt(indexes, wanted),
    markdown: (heads) => markdownOf(indexes, heads),
  }
}

async function pagesByWords(
  { server, indexes }: MeilisearchIndexParts,
  terms: AskedTerms,
  asked: readonly string[],
  limit: number,
  conditions: readonly Condition[],
): Promise<LexicalHits> {
  const held = await terms.held(asked)
  if (held.length === 0) return new Map()
  return await lexicalArm(server, indexes, {
    terms: held.map((term) => ({ term, idf: terms.idfOf(term) })),
    limit,
    filter: filterOf(conditions),
  })
}

async function nearestPassages(
  { passages }: Indexes,
  vector: Float32Array,
  limit: number,
  conditions: readonly Condition[],
): Promise<Nearest[]> {
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
}

async function pagesWithoutVectors({ pages }: Indexes, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { hits } = await pages.search("", {
    filter: all(["waiting = true", arePages(ids)])!,
    attributesToRetrieve: ["id"],
    limit: ids.length,
  })
  return new Set(hits.map(({ id }) => id))
}

/** Reads the facts of pages that aren't in `facts` yet, and adds them to it. */
async function readFacts(
  { pages }: Indexes,
  ids: readonly string[],
  facts: Map<string, PageFacts>,
): Promise<void> {
  const unread = ids.filter((id) => !facts.has(id))
  if (unread.length === 0) return
  const { results } = await pages.getDocuments({
    ids: unread,
    filter: [],
    fields: ["id", "facts"],
    limit: unread.length,
  })
  for (const page of results) facts.set(page.id, JSON.parse(page.facts) as PageFacts)
}

async function readTexts({ texts }: Indexes, ids: readonly string[], fields: readonly string[]) {
  const { results } = await texts.getDocuments({
    ids: [...ids],
    filter: [],
    fields: ["id", "revision", ...fields] as never,
    limit: ids.length,
  })
  return results
}

async function wholeTexts(indexes: Indexes, ids: readonly string[]): Promise<PageText[]> {
  if (ids.length === 0) return []
  const read = await readTexts(indexes, ids, ["title", "markdown", ...PASSAGE_FIELDS])
  return read.map((page) => ({ ...page, passages: [...passagesIn(page).values()] }))
}

async function* passageTerms(
  indexes: Indexes,
  ids: readonly string[],
): AsyncGenerator<readonly [id: string, packed: Uint8Array]> {
  for (let at = 0; at < ids.length; at += PAGES_AT_A_TIME) {
    for (const page of await readTexts(indexes, ids.slice(at, at + PAGES_AT_A_TIME), ["passage_terms"])) {
      yield [page.id, Buffer.from(page.passage_terms, "base64")]
    }
  }
}

async function passagesAt(
  indexes: Indexes,
  wanted: readonly PassagesWanted[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, Passage>>> {
  const found = new Map<string, ReadonlyMap<number, Passage>>()
  if (wanted.length === 0) return found
  const ids = wanted.map(({ head }) => head.id)
  const fields = new Set(wanted.flatMap(({ positions }) => positions.map(passageField)))
  const pages = await readTexts(indexes, ids, [...fields])
  const read = new Map(pages.map((page) => [page.id, page]))
  for (const { head, positions } of wanted) {
    const page = read.get(head.id)
    if (page?.revision !== head.revision) continue
    const there = passagesIn(page)
    found.set(head.id, new Map([...there].filter(([position]) => positions.includes(position))))
  }
  return found
}

async function markdownOf(
  indexes: Indexes,
  heads: readonly PageHead[],
): Promise<ReadonlyMap<string, string>> {
  if (heads.length === 0) return new Map()
  const revisions = new Map(heads.map(({ id, revision }) => [id, revision]))
  const read = await readTexts(indexes, [...revisions.keys()], ["markdown"])
  return new Map(
    read.flatMap(({ id, revision, markdown }) => (revisions.get(id) === revision ? [[id, markdown]] : [])),
  )
}
