import { analyse, type AnalysedQuery } from "../text/analysis/analyse.ts"
import { meantWords, type MisspeltWord } from "../text/analysis/meant-words.ts"
import { arrange } from "../ranking/arrange.ts"
import type { Arranged } from "../ranking/duplicates.ts"
import { traced } from "#base/traces/tracing.ts"
import { breather } from "#base/flow/breather.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { DEPTHS, planOf } from "../ranking/depths.ts"
import type { FoldedPage, Hit, HitEvidence, PageFilter, Query, SearchResult } from "../engine.ts"
import { heldNowhere, idfAmong } from "../ranking/word-statistics.ts"
import {
  type Candidate,
  type Ranked,
  fuse,
  nearnessOf,
  toReadAgain,
  toRerank,
  withLateInteraction,
  withReranker,
} from "../ranking/fusion.ts"
import { factsOnce, type PageFacts } from "../page/page-facts.ts"
import { type PageHead, toPage } from "../index/page-record.ts"
import type { Page } from "../page/page.ts"
import { typeOf } from "../page/page-type.ts"
import { toPageUrl } from "../page/page-url.ts"
import type { Reads } from "../ranking/languages.ts"
import { parseQueryText } from "../text/query-text.ts"
import { isWrittenIn, scriptOf } from "../text/scripts.ts"
import { bestPositions } from "./best-passages.ts"
import { type ArmsFound, exclusionsOf, inPlace, withoutExcluded } from "./exclusions.ts"
import { bestFirst, likeliest } from "./likeliest.ts"
import type { LateReader } from "./second-reading/late-reader.ts"
import { PageWords } from "./page-words.ts"
import { bestTexts, type CosinesByPage } from "./second-reading/passage-texts.ts"
import { pagesWithPhrases } from "./phrases.ts"
import { variantsOf } from "../rules/synonyms.ts"
import { type AppliedRules, note, synonymsApplied, withFactors, withPins } from "./ruled.ts"
import { withPreferred } from "./preferred.ts"
import { analyseInLanguages, cutOtherwise, rareStems, withStemsOf, wordsWith } from "./query-terms.ts"
import { languagesAsked, readsOf } from "./reader-language.ts"
import type { QueryVectors } from "./query-vectors.ts"
import { isAsked, Readings, type Reranking } from "./second-reading/reranking.ts"
import type { Condition, Nearest, PassagesWanted, SearchIndex } from "../index/search-index.ts"

const DEFAULT_PASSAGES = 3
/** Different phrases that are heeded: each is looked for in every page that is read. */
const MAX_PHRASES = 32

/** Pages behind those that are read whose facts are asked for beside them: some five of them are among those that are arranged. */
const LOOKED_AT_BESIDES = 10

/** What is done with a question in a script that the model does not read. */
const WORDS_ALONE = { ...DEPTHS.fast, pages: DEPTHS.basic.pages }

export interface SearchContext {
  readonly index: SearchIndex
  readonly queryVectors: QueryVectors
  readonly lateReader: LateReader
  /** Null: none is asked. */
  readonly reranking: Reranking | null
  /** Told why a reranker was left out. */
  readonly onProblem?: ((error: unknown) => void) | undefined
}

/** Both arms at once, one ranking; then the pages themselves, checked against what the arms knew of them. */
export const searchIndex = (
  context: SearchContext,
  query: Query,
  signal: AbortSignal | undefined,
): Promise<SearchResult> =>
  traced("search the index", { attributes: { "fossick.depth": query.depth ?? "basic" } }, async (span) => {
    const result = await searched(context, query, signal)
    span.set({ "fossick.hits": result.hits.length })
    return result
  })

async function searched(
  { index: given, queryVectors, lateReader, reranking, onProblem }: SearchContext,
  query: Query,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  const index = { ...given, facts: factsOnce((ids) => given.facts(ids)) }
  const question = typeof query.text === "string" ? parseQueryText(query.text) : query.text
  if ((query.limit < 1 && !query.rarityOnly) || question.text.trim() === "") return { hits: [] }
  const { filter } = query
  const { traits } = queryVectors
  const asksVectors = planOf(query).arms === "hybrid"
  const isUnread = asksVectors && !isWrittenIn(traits.scripts, question.text)
  const plan = isUnread ? WORDS_ALONE : planOf(query)
  const { arms } = plan
  const limit = Math.floor(query.limit)
  const embedding = arms === "lexical" ? undefined : queryVectors.of(question.text, signal)
  embedding?.catch(() => undefined)
  const languages = filter?.languages?.length ? filter.languages : [...index.languages.keys()]
  const spoken = filter?.languages?.length ? languages : languagesAsked(question.text, index.languages)
  const analysed = analyseInLanguages(question, spoken)
  const { terms: asked, quoted } = analysed
  const { statistics } = query
  const corrections = heldNowhere(await index.corrections(analysed), statistics)
  const further = new Map(cutOtherwise(languages, spoken).map((one) => [one, withStemsOf(analysed, one)]))
  const { rules = [] } = query
  const variants = variantsOf(question, rules, spoken)
  const otherWords = variants.map((one) => analyseInLanguages(one.question, spoken))
  const meant = otherWords.flatMap((one) => one.terms)
  const corrected = asked.flatMap((term) => corrections.get(term) ?? [])
  const terms = [...new Set([...asked, ...corrected, ...meant])]
  const stems = [...new Set([...further.values()].flat(2))]
  const latePages = lateReader.isAble ? plan.latePages : 0
  const weighed = latePages > 0 ? analyse(question.text, spoken[0] ?? null) : []
  const idfs = await index.idf([...new Set([...terms, ...stems, ...weighed])])
  if (query.rarityOnly) return { hits: [], rarity: idfs }
  const idf = (term: string) => idfAmong(statistics, term) ?? idfs.get(term) ?? 0
  const lookedFor = [...new Set([...terms, ...rareStems(further, index.languages, idf)])]
  // What its pieces mean is not what is meant, and no page holds it: it would weigh more than any other.
  const idfAsWritten = (term: string) => (corrections.has(term) ? 0 : idf(term))

  const exclusions = exclusionsOf(question, languages, filter)
  const { includeDomains, excludeDomains } = question
  let conditions: Condition[] = [conditionOf(filter), { includeDomains, excludeDomains }]
  conditions = [...conditions, ...(await inPlace(index, filter, languages, conditions))]
  const holding = async (phrases: readonly string[]) =>
    phrases.length === 0
      ? null
      : await pagesWithPhrases(index, { phrases, limit, conditions, languages, signal })
  const demanded = phrasesIn(filter?.phrases ?? [])
  const demandedIn = await holding(demanded)
  if (demandedIn?.length === 0) return { hits: [] }
  if (demandedIn) conditions = [{ ids: demandedIn }]
  const holders = new Set(await holding(phrasesIn(quoted).filter((phrase) => !demanded.includes(phrase))))
  signal?.throwIfAborted()

  const words = new PageWords(index, {
    words: wordsWith(analysed.forms, corrections, idf),
    further: new Map(
      Array.from(further, ([language, forms]) => [language, wordsWith(forms, corrections, idf)]),
    ),
    variants: otherWords.map(({ forms }) => wordsWith(forms, corrections, idf)),
  })
  const askWords = async (many: number, all: readonly Condition[]) => {
    const lexical = await index.lexical(lookedFor, Math.max(plan.pages, many * 2), all)
    // Meaning takes longer: what will be read is read meanwhile.
    if (embedding && index.hasTermsAtHand) await words.read(bestFirst(lexical).slice(0, plan.read / 2))
    return lexical
  }
  const askArms = async (many: number, preferred: readonly Condition[]): Promise<ArmsFound> => {
    const all = [...conditions, ...preferred]
    if (index.takesArmsTogether) await embedding
    const [lexical, nearest] = await Promise.all([
      arms === "vector" || terms.length === 0 ? new Map<string, number>() : askWords(many, all),
      embedding?.then((vector) => index.nearest(vector, Math.max(plan.passages, many * 4), all)) ?? [],
    ])
    return { lexical, nearest, aside: new Set() }
  }
  const found = await withoutExcluded(index, exclusions, limit, (many) =>
    withPreferred({ preference: query.preference, holders, limit }, (preferred) => askArms(many, preferred)),
  )
  const { lexical, nearest } = found
  signal?.throwIfAborted()
  const near = new Set(nearest.map(({ page }) => page))
  const waiting =
    index.allEmbedded || arms !== "hybrid"
      ? new Set<string>()
      : await index.withoutVectors([...lexical.keys()].filter((id) => !near.has(id)))
  const unread =
    arms === "hybrid" ? await unreadPages(index, near, traits.scripts, plan.read) : new Set<string>()
  const evidence: Evidence = {
    ...found,
    nearest: nearest.flatMap((one) =>
      unread.has(one.page) ? [] : [{ ...one, cosine: nearnessOf(one.cosine, traits.cosines) }],
    ),
    waiting: waiting.union(unread),
    holders,
    words: arms === "vector" ? null : words,
  }
  const scores = new Map<string, number>()
  const reading = {
    latePages,
    words,
    idf: idfAsWritten,
    text: question.text,
    languages: spoken,
    scores,
    signal,
  }
  const applied: AppliedRules = new Map()
  const reads = readsOf(query, question.text, languages)
  const isReranked = reranking !== null && arms === "hybrid" && isAsked(reranking, query.depth ?? "basic")
  const readings = isReranked ? new Readings(reranking, question.text, signal) : null
  const best = await rankAndRead(
    index,
    evidence,
    { ...query, limit, reads, most: Math.max(plan.read, limit) },
    async (ranked, cosines) => {
      const read = await readAgain(index, lateReader, ranked, cosines, reading)
      const again = readings ? await rerank(index, readings, read, cosines, words) : read
      return await withFactors(index, again, rules, applied)
    },
  )
  const pinning = { question, rules, languages: spoken, conditions, exclusions, limit, applied }
  const placed = await withPins(index, best, pinning)
  for (const { rules, question } of variants) {
    for (const { page } of placed) note(applied, page.id, synonymsApplied(rules, question.text))
  }
  const known = query.withEvidence ? await evidenceOf(index, placed, evidence) : null
  const hits = (await toHits(index, placed, words, query)).map((hit, i) => {
    const { id } = placed[i]!.page
    const rules = applied.get(id)
    const told = known?.get(id)
    return { ...hit, ...(rules && { rules }), ...(told && { evidence: told }) }
  })
  if (readings?.failure) {
    leaveOut("reranker")
    onProblem?.(readings.failure)
  }
  const taken =
    corrections.size === 0 ? null : meantWords(misspeltOf(analysed, corrections), shownTexts(hits))
  return {
    hits,
    ...(taken !== null && taken.size > 0 && { corrected: taken }),
    rarity: new Map([...asked, ...corrected].map((term) => [term, idf(term)])),
    ...(query.withEvidence && { reach: words.reach }),
    ...(isUnread && { wordsAlone: UNREAD }),
    ...(readings?.failure && { notReranked: readings.failure.because }),
  }
}

/** What hits need to be ranked among those of other indexes, by page id. */
async function evidenceOf(
  index: Pick<SearchIndex, "facts">,
  placed: readonly { readonly page: PageHead }[],
  { waiting, holders }: Evidence,
): Promise<ReadonlyMap<string, HitEvidence>> {
  const facts = await index.facts(placed.map(({ page }) => page.id))
  return new Map(
    Array.from(facts, ([id, { fingerprint }]) => [
      id,
      { fingerprint, hasVectors: !waiting.has(id), holdsPhrases: holders.has(id) },
    ]),
  )
}

/** The misspelt words, each with all that it may stand for: in several languages it has several terms. */
function misspeltOf(
  { written }: Pick<AnalysedQuery, "written">,
  corrections: ReadonlyMap<string, readonly string[]>,
): MisspeltWord[] {
  const byWord = new Map<string, string[]>()
  for (const [term, meant] of corrections) {
    const word = written.get(term)?.word
    if (word !== undefined) byWord.set(word, [...(byWord.get(word) ?? []), ...meant])
  }
  return Array.from(byWord, ([word, terms]) => ({ word, terms }))
}

/** Hits whose words may be what was meant: what is on the first screen. */
const MOST_SHOWN = 10

const shownTexts = (hits: readonly Hit[]) =>
  hits.slice(0, MOST_SHOWN).map(({ title, passages, language }) => ({
    text: [title, ...passages.flatMap(({ text, headings }) => [...headings, text])].join("\n"),
    language,
  }))

const UNREAD =
  "the embedding model does not read the script of the question; docs/embedding-models.md says how to use another one."

/** Pages whose language the model does not read: their vectors say nothing. */
async function unreadPages(
  index: SearchIndex,
  near: ReadonlySet<string>,
  scripts: readonly string[] | null,
  best: number,
): Promise<Set<string>> {
  if (scripts === null) return new Set()
  const isUnread = (language: string | null) => language !== null && !scripts.includes(scriptOf(language))
  if (![...index.languages.keys()].some(isUnread)) return new Set()
  const unreadOf = async (pages: readonly string[]) => {
    const facts = await index.facts(pages)
    return pages.filter((id) => isUnread(facts.get(id)?.language ?? null))
  }
  const pages = [...near]
  const first = await unreadOf(pages.slice(0, best))
  // Where the best hold none, the others matter as little as they are few.
  return new Set(first.length > 0 ? await unreadOf(pages) : [])
}

/** The different phrases that are heeded. */
const phrasesIn = (given: readonly string[]): string[] =>
  [...new Set(given.filter((phrase) => phrase.trim() !== ""))].slice(0, MAX_PHRASES)

/** The part of a filter that an index knows of. Phrases are verified on the text of a page, places on its address. */
function conditionOf({ phrases, paths, versions, ...condition }: PageFilter = {}): Condition {
  return condition
}

interface Found {
  readonly page: PageHead
  readonly ranked: Arranged
  readonly cosines: ReadonlyMap<number, number>
}

/** What the arms found. */
interface Evidence extends ArmsFound {
  /** Pages among the lexical hits that have no vectors yet. */
  readonly waiting: ReadonlySet<string>
  /** Pages that hold the quoted phrases: they come first. */
  readonly holders: ReadonlySet<string>
  /** Null when words do not count. */
  readonly words: PageWords | null
}

interface Reading {
  readonly reads: Reads
  /** Pages whose terms are read. */
  readonly most: number
}

/**
 * Ranks, reads the best pages, and ranks again without what turned out to be out of date: a page that is
 * gone, or vectors of a page that was replaced since. That is rare, so reading first is the quick way.
 */
async function rankAndRead(
  index: SearchIndex,
  { lexical, nearest, aside, waiting, holders, words }: Evidence,
  { limit, preference, reads, most }: Pick<Query, "limit" | "preference"> & Reading,
  rerank: (ranked: readonly Ranked[], cosines: CosinesByPage) => Promise<readonly Ranked[]>,
): Promise<Found[]> {
  const read = new Map<string, PageHead | null>()
  for (;;) {
    const cosines = cosinesByPage(nearest, read)
    const ids = new Set([...lexical.keys(), ...cosines.keys()])
    const likely = likeliest(ids, { lexical, cosines, holders, waiting })
    await Promise.all([
      words?.readLikeliest(likely, most, lexical),
      // What is looked at next comes in the same request.
      index.takesArmsTogether && index.facts(likely.slice(most, most + LOOKED_AT_BESIDES)),
    ])
    const candidates = [...ids]
      .filter((id) => read.get(id) !== null)
      .map((id): Candidate => {
        const known = cosines.get(id)
        return {
          id,
          aside: aside.has(id),
          words: words?.share(id) ?? 0,
          cosine: known ? Math.max(...known.values()) : waiting.has(id) ? null : undefined,
        }
      })
    const factsOf = (some: readonly string[]) => index.facts(some)
    const ranked = fuse(candidates, { hasWords: words !== null, reach: words?.reach ?? 1 })
    const best = await arrange(await rerank(ranked, cosines), { limit, preference, holders, reads, factsOf })
    const unread = new Set(best.map(({ id }) => id).filter((id) => !read.has(id)))
    for (const id of unread) read.set(id, null)
    for (const page of unread.size > 0 ? await index.heads([...unread]) : []) read.set(page.id, page)
    const isGone = [...unread].some((id) => read.get(id) === null)
    const isOld = ({ page, revision }: Nearest) => unread.has(page) && read.get(page)?.revision !== revision
    if (!isGone && !nearest.some(isOld)) {
      return best.map((ranked) => ({
        ranked,
        page: read.get(ranked.id)!,
        cosines: cosines.get(ranked.id) ?? new Map<number, number>(),
      }))
    }
  }
}

interface SecondReading {
  readonly latePages: number
  readonly words: PageWords
  readonly idf: (term: string) => number
  readonly text: string
  readonly languages: readonly string[]
  /** Of passages that were read, by their text: a ranking may be made several times. */
  readonly scores: Map<string, number>
  readonly signal: AbortSignal | undefined
}

/** The first pages of the ranking by late interaction of their best passages, the others behind them. */
async function readAgain(
  index: SearchIndex,
  lateReader: LateReader,
  ranked: readonly Ranked[],
  cosines: CosinesByPage,
  { latePages, words, idf, text, languages, scores, signal }: SecondReading,
): Promise<readonly Ranked[]> {
  const first = toReadAgain(ranked, latePages).map(({ id }) => id)
  if (first.length === 0) return ranked
  const texts = await bestTexts(index, first, words, cosines)
  const unread = [...new Set(texts.values())].filter((one) => !scores.has(one))
  if (unread.length > 0) {
    const question = await lateReader.question(text, languages[0] ?? null, idf, signal)
    for (const [i, score] of (await lateReader.read(question, unread, signal)).entries()) {
      scores.set(unread[i]!, score)
    }
  }
  return withLateInteraction(ranked, new Map([...texts].map(([id, one]) => [id, scores.get(one)!])))
}

/** The first pages of the ranking with what a reranker says of their best passages mixed in; the ranking as it was when it says nothing. */
async function rerank(
  index: SearchIndex,
  readings: Readings,
  ranked: readonly Ranked[],
  cosines: CosinesByPage,
  words: PageWords,
): Promise<readonly Ranked[]> {
  const first = toRerank(ranked).map(({ id }) => id)
  if (first.length === 0) return ranked
  const said = await readings.of(await bestTexts(index, first, words, cosines))
  return said ? withReranker(ranked, said) : ranked
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

/** A page as a hit shows it: its anchors are those of its passages. */
function shownOf({ anchors: _anchors, ...page }: Page) {
  return { ...page, type: typeOf(page) }
}

async function toHits(
  index: SearchIndex,
  found: readonly Found[],
  words: PageWords,
  { passagesPerPage = DEFAULT_PASSAGES, withMarkdown = true }: Query,
): Promise<Hit[]> {
  const heads = found.map(({ page }) => page)
  if (passagesPerPage >= 1) await words.read(heads.map(({ id }) => id))
  const wanted: PassagesWanted[] = []
  const breathe = breather()
  for (const { page: head, cosines } of found) {
    // A page may have thousands of passages.
    await breathe()
    const count = Math.max(0, passagesPerPage)
    wanted.push({ head, positions: count < 1 ? [] : bestPositions(words.passages(head.id), cosines, count) })
  }
  const folded = await foldedOf(index, found)
  const [passages, markdown] = await Promise.all([
    passagesPerPage >= 1 ? index.passages(wanted) : new Map<string, never>(),
    withMarkdown ? index.markdown(heads) : new Map<string, string>(),
  ])
  return found.map(({ page, ranked }, i): Hit => ({
    ...shownOf(toPage({ ...page, markdown: markdown.get(page.id) ?? "" })),
    score: ranked.score,
    ...(folded.has(page.id) && { folded: folded.get(page.id)! }),
    passages: wanted[i]!.positions.flatMap((position) => {
      const passage = passages.get(page.id)?.get(position)
      return passage ? [{ ...passage, position }] : []
    }),
    parts: {
      lexical: ranked.lexical,
      passage: words.passages(page.id)?.reduce((most, share) => Math.max(most, share), 0) ?? 0,
      vector: ranked.vector,
      late: ranked.late,
      rerank: ranked.rerank,
      fused: ranked.fused,
      boost: ranked.boost,
    },
  }))
}

/** The pages behind each hit, by its id; of none no entry. */
async function foldedOf(
  index: Pick<SearchIndex, "facts">,
  found: readonly Found[],
): Promise<ReadonlyMap<string, readonly FoldedPage[]>> {
  const all = found.flatMap(({ ranked }) => (ranked.folded ?? []).map(({ id }) => id))
  const facts = all.length > 0 ? await index.facts(all) : new Map<string, PageFacts>()
  return new Map(
    found.flatMap(({ page, ranked }) => {
      const folded = (ranked.folded ?? []).flatMap(({ id, kind }): FoldedPage[] => {
        const known = facts.get(id)
        const url = known && toPageUrl(known.url)
        return url ? [{ url, title: known.title, language: known.language, kind }] : []
      })
      return folded.length > 0 ? [[page.id, folded] as const] : []
    }),
  )
}
