import type { Embedder } from "../../embedder.ts"
import type { Hit, Query, SearchResult } from "../../engine.ts"
import { arrange } from "../../arrange.ts"
import { breather } from "../../breather.ts"
import type { Boosted } from "../../boosts.ts"
import { DEPTHS, type SearchPlan } from "../../depths.ts"
import { type Candidate, type Ranked, fuse, withLateInteraction } from "../../fusion.ts"
import { embeddingText } from "../../passages.ts"
import { parseQueryText } from "../../query-text.ts"
import { type Nearest, lexicalArm, pagesWithoutVectors, vectorArm } from "./arms.ts"
import { bestPositions } from "./best-passages.ts"
import { type ArmsFound, exclusionsOf, withoutExcluded } from "./exclusions.ts"
import { all, filterText, isIn } from "./filter.ts"
import type { KnownTerms } from "./known-terms.ts"
import type { LateReader } from "./late-reader.ts"
import { Lru } from "./lru.ts"
import { PassageWords } from "./passage-words.ts"
import { pagesWithPhrases } from "./phrases.ts"
import { withPreferred } from "./preferred.ts"
import { analyseInLanguages, withCorrections } from "./query-terms.ts"
import type { PageHead } from "./page-store.ts"
import { toPage } from "./schema.ts"
import type { Tables } from "./tables.ts"
import type { TermFrequencies } from "./term-frequencies.ts"

const DEFAULT_PASSAGES = 3
/** Different phrases that are heeded: each is looked for in every page that is read. */
const MAX_PHRASES = 32

export interface SearchContext {
  readonly tables: Tables
  readonly embedder: Embedder
  readonly queryVectors: QueryVectors
  readonly lateReader: LateReader
  readonly frequencies: TermFrequencies
  readonly knownTerms: KnownTerms
  readonly languages: readonly string[]
  /** False while pages wait for their vectors. */
  readonly allEmbedded: boolean
}

/** Both arms at once, one ranking; then the pages themselves, checked against what the arms knew of them. */
export async function searchIndex(
  context: SearchContext,
  query: Query,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  if (query.limit < 1 || query.text.trim() === "") return { hits: [] }
  const { filter } = query
  const plan = planOf(query)
  const { arms } = plan
  const question = parseQueryText(query.text)
  const limit = Math.floor(query.limit)
  const embedding = arms === "lexical" ? undefined : context.queryVectors.of(question.text, signal)
  embedding?.catch(() => undefined)
  const languages = filter?.languages?.length ? filter.languages : context.languages
  const { terms: asked, quoted } = analyseInLanguages(question, languages)
  const { frequencies, knownTerms } = context
  const terms = await withCorrections(context.tables, asked, (term) =>
    knownTerms.has(term) ? 1 / frequencies.lexicalBound([term]) : 0,
  )

  const exclusions = exclusionsOf(question, languages)
  let pagesWhere = all(filterText(filter), filterText(question))
  let vectorsWhere = pagesWhere
  const given = new Set([...(filter?.phrases ?? []), ...quoted].filter((phrase) => phrase.trim() !== ""))
  const phrases = [...given].slice(0, MAX_PHRASES)
  if (phrases.length > 0) {
    const wanted = { phrases, limit, where: pagesWhere, languages, signal }
    const ids = await pagesWithPhrases(context.tables, wanted)
    if (ids.length === 0) return { hits: [] }
    pagesWhere = isIn("id", ids)
    vectorsWhere = isIn("page", ids)
  }
  signal?.throwIfAborted()

  const askArms = async (many: number, preferred: string | undefined): Promise<ArmsFound> => {
    const [inPages, inVectors] = [all(pagesWhere, preferred), all(vectorsWhere, preferred)]
    const [lexical, nearest] = await Promise.all([
      arms === "vector"
        ? new Map<string, number>()
        : lexicalArm(context.tables, terms, Math.max(plan.pages, many * 2), inPages),
      embedding?.then((vector) =>
        vectorArm(context.tables, vector, Math.max(plan.passages, many * 4), inVectors),
      ) ?? [],
    ])
    return { lexical, nearest, aside: new Set() }
  }
  const found = await withoutExcluded(context.tables, exclusions, limit, (many) =>
    withPreferred(query.preference, (preferred) => askArms(many, preferred)),
  )
  const { lexical, nearest } = found
  signal?.throwIfAborted()
  const waiting =
    context.allEmbedded || arms !== "hybrid"
      ? new Set<string>()
      : await pagesWithoutVectors(context.tables, lexical, nearest)
  // Counts that are behind the index must not make a score exceed its bound.
  const bound = Math.max(frequencies.lexicalBound(asked), ...lexical.values())
  const lexicalBound = arms === "vector" ? 0 : bound
  const idf = (term: string) => context.frequencies.idf(term)
  const weighed = terms.map((term) => ({ term, idf: idf(term) }))
  const words = new PassageWords(context.tables.store, weighed)
  const evidence = { ...found, waiting, lexicalBound, words: plan.passageWords ? words : null }
  const scores = new Map<string, number>()
  const best = await rankAndRead(context.tables, evidence, { ...query, limit }, (ranked, cosines) =>
    readAgain(context, ranked, { plan, words, cosines, idf, text: question.text, languages, scores, signal }),
  )
  const hits: Hit[] = []
  const breathe = breather()
  for (const one of best) {
    // A page may have thousands of passages.
    await breathe()
    hits.push(toHit(context.tables, one, words, query))
  }
  return { hits }
}

/** With `arms` given nothing but those arms is asked, for benches. */
function planOf({ arms, depth = "basic" }: Query): Omit<SearchPlan, "arms"> & Pick<Required<Query>, "arms"> {
  return arms ? { ...DEPTHS.basic, arms } : DEPTHS[depth]
}

/** The vectors of the last questions: the same question often comes again, on another page or with a filter. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #known = new Lru<string, Float32Array>(500)

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  async of(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const known = this.#known.get(text)
    if (known) return known
    const options = signal ? { priority: "query" as const, signal } : { priority: "query" as const }
    const [vector] = await this.#embedder.embed([text], options)
    this.#known.set(text, vector!)
    return vector!
  }
}

interface Found {
  readonly page: PageHead
  readonly ranked: Boosted
  readonly cosines: ReadonlyMap<number, number>
}

/** What the arms found. */
interface Evidence extends ArmsFound {
  /** Pages among the lexical hits that have no vectors yet. */
  readonly waiting: ReadonlySet<string>
  readonly lexicalBound: number
  /** Null when passages do not count by their words. */
  readonly words: PassageWords | null
}

type CosinesByPage = ReadonlyMap<string, ReadonlyMap<number, number>>

/**
 * Ranks, reads the best pages, and ranks again without what turned out to be out of date: a page that is
 * gone, or vectors of a page that was replaced since. That is rare, so reading first is the quick way.
 */
async function rankAndRead(
  tables: Tables,
  { lexical, nearest, aside, waiting, lexicalBound, words }: Evidence,
  { limit, preference }: Pick<Query, "limit" | "preference">,
  rerank: (ranked: readonly Ranked[], cosines: CosinesByPage) => Promise<readonly Ranked[]>,
): Promise<Found[]> {
  const read = new Map<string, PageHead | null>()
  for (;;) {
    const cosines = cosinesByPage(nearest, read)
    const ids = new Set([...lexical.keys(), ...cosines.keys()])
    await words?.readAhead(ids)
    const candidates = [...ids]
      .filter((id) => read.get(id) !== null)
      .map((id): Candidate => {
        const known = cosines.get(id)
        return {
          id,
          aside: aside.has(id),
          lexical: lexical.get(id) ?? 0,
          passage: words?.best(id),
          cosine: known ? Math.max(...known.values()) : waiting.has(id) ? null : undefined,
        }
      })
    const factsOf = (ids: readonly string[]) => tables.store.facts(ids)
    const ranked = fuse(candidates, { lexicalBound, passageWords: words !== null })
    const best = arrange(await rerank(ranked, cosines), { limit, preference, factsOf })
    const unread = best.filter(({ id }) => !read.has(id)).map(({ id }) => id)
    if (unread.length === 0) {
      return best.map((ranked) => ({
        ranked,
        page: read.get(ranked.id)!,
        cosines: cosines.get(ranked.id) ?? new Map<number, number>(),
      }))
    }
    for (const id of unread) read.set(id, null)
    for (const page of tables.store.heads(unread)) read.set(page.id, page)
  }
}

interface SecondReading {
  readonly plan: Pick<SearchPlan, "latePages">
  readonly words: PassageWords
  readonly cosines: CosinesByPage
  readonly idf: (term: string) => number
  readonly text: string
  readonly languages: readonly string[]
  /** Of passages that were read, by their text: a ranking may be made several times. */
  readonly scores: Map<string, number>
  readonly signal: AbortSignal | undefined
}

/** The first pages of the ranking by late interaction of their best passages, the others behind them. */
async function readAgain(
  { tables, lateReader }: SearchContext,
  ranked: readonly Ranked[],
  { plan, words, cosines, idf, text, languages, scores, signal }: SecondReading,
): Promise<readonly Ranked[]> {
  const first = ranked.slice(0, plan.latePages).map(({ id }) => id)
  const texts = new Map<string, string>()
  for (const head of tables.store.heads(first)) {
    const position = bestPosition(words.shares(head.id), cosines.get(head.id))
    const passage = tables.store.passagesAt(head, [position]).get(position)
    if (passage) texts.set(head.id, embeddingText(head.title, passage))
  }
  const unread = [...new Set(texts.values())].filter((text) => !scores.has(text))
  if (unread.length > 0) {
    const question = await lateReader.question(text, languages[0] ?? null, idf, signal)
    for (const [i, score] of (await lateReader.read(question, unread, signal)).entries()) {
      scores.set(unread[i]!, score)
    }
  }
  return withLateInteraction(ranked, new Map([...texts].map(([id, text]) => [id, scores.get(text)!])))
}

/** The passage with the most words and nearness together. */
function bestPosition(shares: Float64Array | null, cosines: ReadonlyMap<number, number> | undefined): number {
  let best = 0
  let most = -1
  for (const position of new Set([...(shares?.keys() ?? []), ...(cosines?.keys() ?? [])])) {
    const value = (shares?.[position] ?? 0) + Math.max(0, cosines?.get(position) ?? 0)
    if (value > most) [best, most] = [position, value]
  }
  return best
}

/** Cosines by page and position, without those of a revision that is known to be out of date. */
function cosinesByPage(
  nearest: readonly Nearest[],
  read: ReadonlyMap<string, PageHead | null>,
): Map<string, Map<number, number>> {
  const pages = new Map<string, Map<number, number>>()
  for (const { page, revision, position, cosine } of nearest) {
    const stored = read.get(page)
    if (stored && stored.revision !== revision) continue
    let positions = pages.get(page)
    if (!positions) pages.set(page, (positions = new Map()))
    positions.set(position, Math.max(cosine, positions.get(position) ?? -1))
  }
  return pages
}

function toHit(
  { store }: Tables,
  { page: head, ranked, cosines }: Found,
  words: PassageWords,
  { passagesPerPage = DEFAULT_PASSAGES, withMarkdown = true }: Query,
): Hit {
  const positions = passagesPerPage < 1 ? [] : bestPositions(words.shares(head.id), cosines, passagesPerPage)
  const passages = store.passagesAt(head, positions)
  return {
    ...toPage({ ...head, markdown: withMarkdown ? store.markdown(head) : "" }),
    score: ranked.score,
    passages: positions.flatMap((position) => {
      const passage = passages.get(position)
      return passage ? [{ ...passage, position }] : []
    }),
    parts: {
      lexical: ranked.lexical,
      passage: ranked.passage,
      vector: ranked.vector,
      late: ranked.late,
      fused: ranked.fused,
      boost: ranked.boost,
    },
  }
}
