import type { Logger } from "pino"

import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Engine, Hit, PageImage, SearchResult } from "#engine"
import { withMeantWords } from "#engine/text/spelling/meant-words.ts"

import type { Filed } from "../../identity/accounts/reach/known-names.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { answerFrom, type Answered, type AnswerParts } from "../../services/answers/answer.ts"
import type {
  FederatedQuery,
  FederatedResult,
  PeersAsked,
} from "../../services/federation/federated-engine.ts"
import { withPeerFacets } from "../../services/federation/peer-facets.ts"
import type { AskedQuery } from "../../services/misses/narrow-filters.ts"
import type { Searched } from "../../services/misses/search-miss.ts"
import { type Aged, freshHits, type FreshParts } from "../fresh/fresh-hits.ts"
import { searchedText } from "../understand/searched-text.ts"
import { autoResults } from "./auto-results.ts"
import { facetsFor, type ShownFacet } from "./facets.ts"
import { lastCheck, type VisitKnowledge } from "../read/last-check.ts"
import { type FormKnowledge, otherForms } from "./other-forms.ts"
import type { Question } from "./question.ts"
import { type ImageKnowledge, searchImages } from "./search-images.ts"
import { showPage, type ShownPage } from "./shown-page.ts"
import { withSides } from "./side-hits.ts"

export interface AskParts extends AnswerParts {
  readonly engine: Pick<Engine, "search">
  readonly embedder: Pick<Embedder, "id" | "traits" | "embed">
  /** The question in the form sent to other appliances; left out if no other appliances are asked. */
  readonly peers?: PeersAsked | undefined
  readonly images: ImageKnowledge
  /** Counts the matches; left out where no counts are shown. */
  readonly facets?: Reach["facets"]
  /** The sources and collections of pages that the caller may know about; left out where no names are shown. */
  readonly filing?: ((sources: readonly string[]) => Filed) | undefined
  /** Rereads results that are older than the question allows. */
  readonly fresh: FreshParts
  /** Whether results always include the time when a crawl last found them; otherwise they include it only where their age matters. Default false. */
  readonly showsChecks?: boolean
  /** Knows the other formats of documents, and which addresses the caller may see; left out if other formats are not listed. */
  readonly forms?: { readonly knowledge: FormKnowledge; readonly reach: Pick<Reach, "addresses"> }
  /** Reports how complete the searched sources are and why nothing was found; left out where that is not shown. */
  readonly searched?: (
    query: AskedQuery,
    hits: readonly Hit[],
    signal: AbortSignal,
  ) => Promise<Searched | null>
}

/** The context of the call that asks a question. */
export interface AskedBy {
  /** Ends all work on the question when aborted. */
  readonly signal: AbortSignal
  /** Stops the rereading of old results while there is still time to answer; called when rereading begins. */
  readonly deadline: () => AbortSignal
  readonly log: Logger
}

/** The result of a search: only pages that are as recent as the question requires. */
export interface Found extends FederatedResult {
  /** Pages that are older than the question allows. */
  readonly aged: readonly Aged[]
}

/** The results as a caller may see them. */
export interface Shown {
  readonly pages: readonly ShownPage[]
  readonly images: readonly PageImage[]
  /** The question as it was understood; undefined if it was taken as written. */
  readonly corrected: string | undefined
  /** Null if no facets were requested, or if none can be counted. */
  readonly facets: readonly ShownFacet[] | null
  /** Null if the completeness of the search is not shown. */
  readonly searched: Searched | null
}

/** Rereads results, limited to pages that the caller may see. */
export const freshParts = (reach: Pick<Reach, "reread" | "limits">, visits: VisitKnowledge): FreshParts => ({
  checked: async (hit) => lastCheck(hit, visits, (await reach.limits())?.sources ?? null),
  reread: (url, options) => reach.reread(url, options),
})

/** Seconds that clients wait for a search by default. */
export const SEARCH_SECONDS = 60

/** Searches the index, answers the question, and prepares the results for the caller. */
export async function ask(
  question: Question,
  parts: AskParts,
  by: AskedBy,
): Promise<{ readonly found: Found; readonly shown: Shown; readonly answered: Answered | null }> {
  const found = await find(question, parts, by)
  const answered = await answer(question, found, parts, by)
  return { found, answered, shown: await show(question, found, parts, by) }
}

/** Finds the pages for a question. */
export async function find(
  { query, words, isCut, freshness, answer: depth }: Question,
  { engine, peers, fresh, embedder }: AskParts,
  { signal, deadline }: AskedBy,
): Promise<Found> {
  const asked: FederatedQuery = { ...query, ...(peers && { peers }) }
  const found: FederatedResult = query.limit === 0 ? { hits: [] } : await engine.search(asked, { signal })
  const all = depth === null ? found.hits : await withSides(found.hits, query, engine, signal)
  const hits = isCut ? all.slice(0, autoResults(all.map((hit) => hit.score))) : all
  if (freshness === null) return { ...found, hits, aged: [] }
  const young = await freshHits(hits, freshness, {
    ...fresh,
    question: words,
    query,
    embedder,
    signal: AbortSignal.any([signal, deadline()]),
  })
  return { ...found, ...young }
}

/** The requested answer; null if none was requested. @param onPiece called with each piece of the answer as it is produced */
export async function answer(
  { answer: depth, words }: Question,
  { hits, rarity, corrected }: SearchResult,
  parts: AnswerParts,
  { signal, log }: Pick<AskedBy, "signal" | "log">,
  onPiece?: (piece: string) => void,
): Promise<Answered | null> {
  if (depth === null) return null
  const question = corrected ? withMeantWords(words.text, corrected) : words.text
  return answerFrom({ question, hits, ...(rarity && { rarity }), depth, signal, log, onPiece }, parts)
}

/** Prepares the results, limited to what the caller may see. */
export async function show(
  question: Question,
  { hits, aged, corrected, peerFacets }: Found,
  parts: AskParts,
  { signal, log }: Pick<AskedBy, "signal" | "log">,
): Promise<Shown> {
  const { query, freshness, facets: fields } = question
  const { facets, forms, images, filing, fresh, searched } = parts
  const counted =
    fields === null || facets === undefined
      ? null
      : await facetsFor(fields, query, hits, (asked) => facets(asked, signal))
  const others = forms && (await otherForms(hits, forms.knowledge, forms.reach))
  // If pages were left out because they are too old, the reason for finding nothing is already known.
  const looked =
    query.limit === 0 || aged.length > 0
      ? null
      : await searchedOrNone(log, () => searched?.(query, hits, signal))
  const checked = parts.showsChecks === true || freshness !== null ? fresh.checked : undefined
  const checks = checked && (await Promise.all(hits.map(checked)))
  const pages: ShownPage[] = []
  // Pages are prepared one after the other, because whole pages may have to be turned into text.
  for (const [at, hit] of hits.entries())
    pages.push(await showPage(question, hit, { images, filing, checkedAt: checks?.[at], others }))
  return {
    pages,
    images: question.withImages ? await searchImages(searchedText(question.text), hits, images) : [],
    corrected: corrected && withMeantWords(question.text, corrected),
    facets: counted && withPeerFacets(counted, peerFacets),
    searched: looked,
  }
}

/** If the reason for a miss cannot be found, results are returned without it. */
async function searchedOrNone(
  log: Logger,
  look: () => Promise<Searched | null> | undefined,
): Promise<Searched | null> {
  try {
    return (await look()) ?? null
  } catch (error) {
    log.error({ err: error }, "could not find out why nothing was found")
    leaveOut("coverage")
    return null
  }
}
