import { leaveOut } from "#base/flow/degraded.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { OtherForm } from "#crawler/duplicates/other-forms.ts"
import { type Hit, type PageImage, type PageUrl, routeOf, type SearchResult, sourcesOf } from "#engine"
import { withMeantWords } from "#engine/text/analysis/meant-words.ts"
import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"

import type { Filed } from "../accounts/reach/known-names.ts"
import type { Answered } from "../answers/answer.ts"
import { evidenceOf, type WireFacts } from "../federation/evidence.ts"
import type { PeerReport } from "../federation/federated-engine.ts"
import { peerOfSource } from "../federation/peers-file.ts"
import type { Searched } from "../misses/search-miss.ts"
import { hitAddressesModels, textAddressesModels } from "../core/read/addresses-models.ts"
import { modelLabel } from "../wire/model-label.ts"
import type { AutoParameters } from "./prepare.ts"
import type { ShownFacet } from "../core/ask/facets.ts"
import { searchedText } from "../core/understand/searched-text.ts"
import type { SearchRequest } from "./schema.ts"
import { presentWarnings, type Warning } from "../wire/warnings.ts"
import { CHUNK_SEPARATOR, formatContent } from "../core/read/page-text.ts"
import { snippetsOf } from "../core/ask/snippets.ts"
import { type ImageKnowledge, pageImages, searchImages } from "../core/ask/search-images.ts"

/** Beginning of a page shown when no passage of it can be. */
const OPENING_CHARS = 500

export interface SearchPresentation {
  /** What `auto_parameters` chose; null when it was not asked to. */
  readonly chosen: AutoParameters | null
  /** Null when none were asked for. */
  readonly facets?: readonly ShownFacet[] | null
  /** What another appliance ranks all of it by; null or left out where it was not asked for. */
  readonly evidence?: WireFacts | null
  /** What each peer had to say; undefined where none was to be asked. */
  readonly peers?: readonly PeerReport[] | undefined
  /** As in `SearchResult`. */
  readonly corrected?: SearchResult["corrected"] | undefined
  readonly requestId: string
  /** Seconds. */
  readonly responseTime: number
  readonly credits: number
  readonly images: ImageKnowledge
  /** As in `SearchParts`. */
  readonly filing?: ((sources: readonly string[]) => Filed) | undefined
  /** As in `SearchParts`. */
  readonly checked?: ((hit: Hit) => Date) | undefined
  /** The formats in which hits are there besides, by address; undefined where they are not named. */
  readonly otherForms?: ReadonlyMap<PageUrl, readonly OtherForm[]> | undefined
  /** Why the ranking left meaning out although the request asked for it; undefined when it did not. */
  readonly wordsAlone: string | undefined
  /** Why the ranking left the reranker out although the settings ask for it; undefined when it did not. */
  readonly notReranked?: string | undefined
  /** Null where it is not told. */
  readonly searched?: Searched | null
  /** Null when no answer was asked for. */
  readonly answered: Answered | null
  readonly warnings: readonly Warning[]
}

/** The answer of POST /search. */
export async function presentSearch(request: SearchRequest, hits: readonly Hit[], facts: SearchPresentation) {
  const results = []
  // One after the other: whole pages may have to be turned into text.
  for (const [index, hit] of hits.entries()) {
    results.push(await presentHit(request, hit, resultId(facts.requestId, index), facts))
  }
  const found = request.include_images ? searchImages(searchedText(request.query), hits, facts.images) : []
  return {
    query: request.query,
    ...(facts.corrected && { corrected_query: withMeantWords(request.query, facts.corrected) }),
    follow_up_questions: facts.answered?.followUpQuestions ?? null,
    answer: facts.answered?.answer ?? null,
    images: presentImages(found, request.include_image_descriptions),
    results,
    ...(facts.facets && { facets: facts.facets }),
    ...(facts.evidence && { evidence: facts.evidence }),
    ...(facts.peers && { peers: facts.peers }),
    ...(facts.searched && presentSearched(facts.searched)),
    ...(facts.chosen !== null && { auto_parameters: facts.chosen }),
    ...presentWarnings(facts.warnings),
    response_time: facts.responseTime,
    ...(request.include_usage && { usage: { credits: facts.credits } }),
    request_id: facts.requestId,
  }
}

/** Beside the results: clients of Tavily read neither. */
function presentSearched({ coverage, misses: [miss, ...others] }: Searched) {
  return {
    ...(miss !== undefined && { miss: { ...miss, ...(others.length > 0 && { others }) } }),
    coverage,
  }
}

async function presentHit(
  request: SearchRequest,
  hit: Hit,
  id: string,
  {
    images,
    filing,
    checked,
    otherForms,
    wordsAlone,
    notReranked,
  }: Pick<SearchPresentation, "images" | "filing" | "checked" | "otherForms" | "wordsAlone" | "notReranked">,
) {
  const dated = request.include_published_date || request.filter_by_published_date || request.topic === "news"
  const forms = otherForms?.get(hit.url)
  const filed = filing?.(sourcesOf(hit))
  const section = sectionOf(hit)
  const peer = peerOfSource(hit.source)
  const evidence = request.include_evidence ? evidenceOf(hit) : null
  const whole = await rawContent(request, hit.markdown)
  return {
    id,
    title: hit.title,
    url: hit.url,
    content: contentOf(request, hit),
    score: hit.score,
    raw_content: whole?.text ?? null,
    ...(filed !== undefined && filed.sources.length > 0 && { sources: filed.sources }),
    ...(filed !== undefined && filed.collections.length > 0 && { collections: filed.collections }),
    ...(peer !== null && { peer }),
    type: hit.type,
    language: hit.language,
    ...(checked !== undefined && { checked_at: checked(hit).toISOString() }),
    ...(section !== null && { section }),
    ...modelLabel(whole?.addressesModels === true || hitAddressesModels(hit)),
    ...(forms !== undefined && { other_forms: forms }),
    ...foldedPages(hit),
    ...(request.include_favicon && { favicon: hit.favicon }),
    ...(dated && { published_date: hit.publishedAt?.toUTCString() ?? null }),
    ...(request.include_images && {
      images: presentImages(pageImages(hit, images), request.include_image_descriptions),
    }),
    ...(evidence !== null && { evidence }),
    ...(request.explain && {
      explain: {
        depth: request.search_depth,
        ...hit.parts,
        ...(hit.rules !== undefined && { rules: hit.rules }),
        ...(wordsAlone !== undefined && { words_alone: wordsAlone }),
        ...(notReranked !== undefined && { not_reranked: notReranked }),
      },
    }),
  }
}

/** Pages that were found besides and say the same: named, not shown. */
function foldedPages({ folded = [] }: Hit) {
  const of = (wanted: "copy" | "translation") => folded.filter(({ kind }) => kind === wanted)
  const copies = of("copy").map(({ url, title }) => ({ url, title }))
  const translations = of("translation").map(({ url, title, language }) => ({ url, title, language }))
  return { ...(copies.length > 0 && { copies }), ...(translations.length > 0 && { translations }) }
}

/**
 * Where the best passage stands: its heading, and the address that leads there. The nearest heading and not all above it, for this is
 * what the reader who follows the address finds at the top, and the title says the rest.
 */
function sectionOf({ url, passages: [best] }: Hit): { heading: string | null; url?: string } | null {
  if (best === undefined) return null
  const heading = best.beginsUnder ?? best.headings.at(-1) ?? null
  // A page whose address is a route in its fragment has no room for another.
  const anchor = routeOf(url) === "" ? best.anchor : undefined
  if (heading === null && anchor === undefined) return null
  return { heading, ...(anchor !== undefined && { url: `${url}#${anchor}` }) }
}

function contentOf(request: SearchRequest, hit: Hit): string {
  const passages = snippetsOf(hit.passages)
  const summary = request.search_depth === "ultra-fast" ? hit.description : null
  if (summary !== null) return summary
  if (passages.length > 0) return passages.join(CHUNK_SEPARATOR)
  return hit.description ?? toPlainText(hit.markdown.slice(0, 4 * OPENING_CHARS)).slice(0, OPENING_CHARS)
}

async function rawContent(
  { include_raw_content: wanted }: SearchRequest,
  markdown: string,
): Promise<{ readonly text: string; readonly addressesModels: boolean } | null> {
  if (wanted === false) return null
  try {
    const text = await formatContent(markdown, wanted === "text" ? "text" : "markdown")
    return { text, addressesModels: await textAddressesModels(text) }
  } catch (error) {
    // One page that is past reading must not take the others' answer away.
    if (!(error instanceof WorkError)) throw error
    leaveOut("pages")
    return null
  }
}

/** Images as addresses, or as `{url, description}` when descriptions are wanted. */
export function presentImages(images: readonly PageImage[], described: boolean) {
  return images.map(({ url, description }) => (described ? { url, description: description ?? "" } : url))
}

const resultId = (requestId: string, index: number): string =>
  `${requestId.slice(0, 6)}-${String(index).padStart(2, "0")}`
