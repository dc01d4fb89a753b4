import type { FoldedPage, Hit, LanguageNotice, PageImage } from "#engine"

import type { Answered } from "../../services/answers/answer.ts"
import type { Found, Shown } from "../../core/ask/ask.ts"
import { languageText } from "../../core/ask/language-text.ts"
import type { ShownPage } from "../../core/ask/shown-page.ts"
import type { Aged } from "../../core/fresh/fresh-hits.ts"
import { evidenceOf, factsOf } from "../../services/federation/evidence.ts"
import type { Searched } from "../../services/misses/search-miss.ts"
import { modelLabel } from "../../server/wire/model-label.ts"
import { presentWarnings, type Warning } from "../../server/wire/warnings.ts"
import type { SearchAnswer } from "./described/answers.ts"
import type { PreparedSearch } from "./prepare.ts"
import type { SearchRequest } from "./schema.ts"

/** The result of a search; it has no answer if none was requested or none has been written yet. */
export interface Outcome {
  readonly found: Found
  readonly shown: Shown
  readonly answered: Answered | null
}

/** The answer to POST /search. */
export function presentSearch(
  { request, chosen, warnings }: PreparedSearch,
  { found, shown, answered }: Outcome,
  {
    requestId,
    responseTime,
    credits,
  }: {
    readonly requestId: string
    /** Seconds. */
    readonly responseTime: number
    readonly credits: number
  },
): SearchAnswer {
  const { reach, peers, aged, languageNotice } = found
  return {
    query: request.query,
    ...(shown.corrected && { corrected_query: shown.corrected }),
    follow_up_questions: answered?.followUpQuestions ?? null,
    answer: answered?.answer ?? null,
    images: presentImages(shown.images, request.include_image_descriptions),
    results: shown.pages.map((page, index) => presentPage(request, page, resultId(requestId, index), found)),
    ...(shown.facets && { facets: shown.facets }),
    ...(request.include_evidence && { evidence: factsOf({ ...(reach !== undefined && { reach }) }) }),
    ...(peers && { peers }),
    ...(shown.searched && presentSearched(shown.searched)),
    ...(chosen !== null && { auto_parameters: chosen }),
    ...presentWarnings([
      ...warnings,
      ...aged.map(agedWarning),
      ...(languageNotice === undefined ? [] : [languageWarning(languageNotice)]),
    ]),
    response_time: responseTime,
    ...(request.include_usage && { usage: { credits } }),
    request_id: requestId,
  }
}

const languageWarning = (notice: LanguageNotice): Warning => ({
  code: "language",
  field: "query",
  text: languageText(notice),
})

const agedWarning = ({ code, url, text }: Aged): Warning => ({ code, field: "max_age_hours", url, text })

/** These fields are separate from the results, because Tavily's clients read neither. */
function presentSearched({ coverage, misses: [miss, ...others] }: Searched) {
  return {
    ...(miss !== undefined && { miss: { ...miss, ...(others.length > 0 && { others }) } }),
    coverage,
  }
}

function presentPage(
  request: SearchRequest,
  { hit, filed, peer, checkedAt, section, otherForms, ...page }: ShownPage,
  id: string,
  { wordsAlone, notReranked }: Pick<Found, "wordsAlone" | "notReranked">,
) {
  const dated = request.include_published_date || request.filter_by_published_date || request.topic === "news"
  const evidence = request.include_evidence ? evidenceOf(hit) : null
  return {
    id,
    title: hit.title,
    url: hit.url,
    content: page.content,
    score: hit.score,
    raw_content: page.whole,
    ...(filed !== undefined && filed.sources.length > 0 && { sources: filed.sources }),
    ...(filed !== undefined && filed.collections.length > 0 && { collections: filed.collections }),
    ...(peer !== null && { peer }),
    type: hit.type,
    language: hit.language,
    ...(checkedAt !== undefined && { checked_at: checkedAt.toISOString() }),
    ...(section !== null && { section }),
    ...(page.pages.length > 0 && { pages: page.pages }),
    ...modelLabel(page.addressesModels),
    ...(otherForms !== undefined && { other_forms: otherForms }),
    ...foldedPages(hit),
    ...(request.include_favicon && { favicon: hit.favicon }),
    ...(dated && { published_date: hit.publishedAt?.toUTCString() ?? null }),
    ...(request.include_images && {
      images: presentImages(page.images, request.include_image_descriptions),
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

/** Other pages that were found with the same content; they are listed without their content. */
function foldedPages({ folded = [] }: Hit) {
  const of = (wanted: FoldedPage["kind"]) => folded.filter(({ kind }) => kind === wanted)
  const copies = of("copy").map(({ url, title }) => ({ url, title }))
  const translations = of("translation").map(({ url, title, language }) => ({ url, title, language }))
  const versions = of("version").map(({ url, title }) => ({ url, title }))
  return {
    ...(copies.length > 0 && { copies }),
    ...(translations.length > 0 && { translations }),
    ...(versions.length > 0 && { versions }),
  }
}

/** Images as addresses, or as `{url, description}` when descriptions are wanted. */
function presentImages(images: readonly PageImage[], described: boolean) {
  return images.map(({ url, description }) => (described ? { url, description: description ?? "" } : url))
}

const resultId = (requestId: string, index: number): string =>
  `${requestId.slice(0, 6)}-${String(index).padStart(2, "0")}`
