import { leaveOut } from "#base/flow/degraded.ts"
import { traced } from "#base/telemetry/traces/tracing.ts"
import type { TokenVectors } from "../embedder.ts"
import type { Hit, Query, SearchResult } from "../engine.ts"
import type { SearchIndex } from "../index/search-index.ts"
import { factsOnce } from "../index/page/page-facts.ts"
import { DEPTHS, planOf } from "./ranking/depths.ts"
import type { Ranked } from "./ranking/fusion.ts"
import { parseQueryText, type QueryText } from "../text/query-text.ts"
import { isWrittenIn } from "../text/scripts.ts"
import { askedIn } from "./language-offset.ts"
import { PageWords } from "./page-words.ts"
import type { QueryVectors } from "./query-vectors.ts"
import { namesVersion } from "./ranking/versions.ts"
import { readsOf } from "./reader-language.ts"
import { type AppliedRules, note, synonymsApplied, withFactors, withPins } from "./apply-rules.ts"
import type { LateReader } from "./second-reading/late-reader.ts"
import type { CosinesByPage } from "./second-reading/passage-texts.ts"
import { openSecondReading } from "./second-reading/read-again.ts"
import type { Reranking } from "./second-reading/reranking.ts"
import { gather, type Gathering, pagesLookedFor, passagesLookedFor } from "./stages/gather.ts"
import { languageNotice } from "./stages/language-notice.ts"
import { conditionsNamed } from "./stages/named.ts"
import { narrow } from "./stages/narrow.ts"
import { rankAndRead } from "./stages/rank-and-read.ts"
import { askedOnce } from "./stages/seen-words.ts"
import { evidenceOf, toHits } from "./stages/show.ts"
import { takenFor } from "./stages/spelling.ts"
import { askedTerms, understand, type Understood } from "./stages/understand.ts"

/** How to search with a question whose script the model doesn't read. */
const WORDS_ALONE = { ...DEPTHS.fast, pages: DEPTHS.basic.pages }

const UNREAD =
  "the embedding model does not read the script of the question; docs/embedding-models.md says how to use another one."

export interface SearchContext {
  readonly index: SearchIndex
  readonly queryVectors: QueryVectors
  readonly lateReader: LateReader
  /** `null` to use no reranker. */
  readonly reranking: Reranking | null
  /** Called with the reason when a reranker was left out. */
  readonly onProblem?: ((error: unknown) => void) | undefined
}

/** Queries both arms at once and combines their results into one ranking; then reads the pages themselves and checks them against what the arms found. */
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

/** Understand, narrow, gather, rank, pin, show. */
async function searched(
  { index: given, queryVectors, lateReader, reranking, onProblem }: SearchContext,
  query: Query,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  const index = withMemory(given, query)
  const question = typeof query.text === "string" ? parseQueryText(query.text) : query.text
  if ((query.limit < 1 && !query.rarityOnly) || question.text.trim() === "") return { hits: [] }
  const { depth = "basic", preference, rules = [] } = query
  const { traits } = queryVectors
  const isUnread = planOf(query).arms === "hybrid" && !isWrittenIn(traits.scripts, question.text)
  const plan = isUnread ? WORDS_ALONE : planOf(query)
  const limit = Math.floor(query.limit)
  // The vector takes longest, so it is computed while the words are being examined.
  const isReadAgain = lateReader.isAble && plan.latePages > 0
  const tokens: TokenVectors[] = []
  const onTokens = isReadAgain ? (made: TokenVectors) => void tokens.push(made) : undefined
  const scripts = plan.arms === "lexical" ? [] : traits.scripts
  const { languages, offset, isForeign } = askedIn(question.text, index.languages, scripts)
  const embedding =
    plan.arms === "lexical" ? undefined : queryVectors.movedBy(offset, question.text, signal, onTokens)
  embedding?.catch(() => undefined)
  askNearestSoon(index, { query, question, plan, limit, embedding })

  const pages = pagesLookedFor(plan, limit)
  const understood = await understand(index, question, query, { isReadAgain, isForeign, pages })
  if (query.rarityOnly) return { hits: [], rarity: understood.idfs }
  const scope = await narrow(index, { ...query, limit }, understood, signal)
  if (scope === null) return { hits: [] }
  signal?.throwIfAborted()

  const words = new PageWords(index, understood.wordsAsked)
  const gathering = { plan, scope, understood, words, embedding, traits, preference, limit }
  const evidence = await gather(index, gathering)
  signal?.throwIfAborted()

  const second = openSecondReading({
    index,
    lateReader,
    reranking,
    words,
    understood,
    plan,
    depth,
    limit,
    tokens: tokens[0],
    signal,
  })
  const applied: AppliedRules = new Map()
  const ranking = async (ranked: readonly Ranked[], cosines: CosinesByPage) =>
    await withFactors(index, await second.rank(ranked, cosines), rules, applied)
  const reads = readsOf(query, question.text, understood.languages)
  const wanted = namesVersion(question.text)
  const asked = { ...query, limit, reads, wanted, most: Math.max(plan.read, limit) }
  const best = await rankAndRead(index, evidence, asked, ranking)

  const pinning = { question, rules, languages: understood.spoken, ...scope, limit, applied }
  const placed = await withPins(index, best, pinning)
  for (const { rules: made, question: variant } of understood.variants) {
    for (const { page } of placed) note(applied, page.id, synonymsApplied(made, variant.text))
  }

  const known = query.withEvidence ? await evidenceOf(index, placed, evidence) : null
  const hits = explained(await toHits(index, placed, words, query), placed, applied, known)
  if (second.failure) {
    leaveOut("reranker")
    onProblem?.(second.failure)
  }
  const model = { id: queryVectors.model, traits }
  const noticed = { query, question: question.text, languages, hits, model }
  const notice = await languageNotice(index, { ...noticed, ...scope })
  return {
    hits,
    ...saidOf(query, understood, words, hits),
    ...(isUnread && { wordsAlone: UNREAD }),
    ...(second.failure && { notReranked: second.failure.because }),
    ...(notice && { languageNotice: notice }),
  }
}

/** How the question's words were read, and how rare they are. */
function saidOf(
  { withEvidence }: Query,
  understood: Understood,
  { reach, nowhere }: PageWords,
  hits: readonly Hit[],
): Pick<SearchResult, "corrected" | "rarity" | "reach" | "nowhere"> {
  const corrected = takenFor(understood, hits)
  return {
    ...(corrected !== null && { corrected }),
    rarity: new Map(askedTerms(understood).map((term) => [term, understood.idf(term)])),
    ...(withEvidence && { reach, nowhere }),
  }
}

/** The index, with a cache for requests that a search makes twice. */
const withMemory = (index: SearchIndex, { filter }: Query): SearchIndex => ({
  ...index,
  facts: factsOnce((ids) => index.facts(ids)),
  ...(filter?.readers && {
    lexical: askedOnce((...asked) => index.lexical(...asked)),
    nearest: askedOnce((...asked) => index.nearest(...asked)),
  }),
})

/** With a filter by readers, misspelt words are checked against the pages that the lexical arm finds. The other arm need not wait for that. */
function askNearestSoon(
  index: SearchIndex,
  {
    query,
    question,
    plan,
    limit,
    embedding,
  }: { query: Query; question: QueryText; embedding: Promise<Float32Array> | undefined } & Pick<
    Gathering,
    "plan" | "limit"
  >,
): void {
  if (!asksAsNamed(query) || query.rarityOnly || index.takesArmsTogether) return
  const near = embedding?.then((vector) =>
    index.nearest(vector, passagesLookedFor(plan, limit), conditionsNamed(query.filter, question)),
  )
  near?.catch(() => undefined)
}

/** Whether the arms are filtered by readers, and by nothing that has to be looked up first. */
const asksAsNamed = ({ filter: { readers, phrases, paths, versions } = {}, preference }: Query): boolean =>
  readers !== undefined && [phrases, paths, versions].every((one) => !one?.length) && preference === undefined

/** Hits with the rules that applied to them, and with their evidence if requested. */
const explained = (
  hits: readonly Hit[],
  placed: Awaited<ReturnType<typeof withPins>>,
  applied: AppliedRules,
  known: Awaited<ReturnType<typeof evidenceOf>> | null,
): readonly Hit[] =>
  hits.map((hit, i) => {
    const { id } = placed[i]!.page
    const ruled = applied.get(id)
    const said = known?.get(id)
    return { ...hit, ...(ruled && { rules: ruled }), ...(said && { evidence: said }) }
  })
