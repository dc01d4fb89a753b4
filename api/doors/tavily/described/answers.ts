import { FACET_FIELDS } from "#engine"
import { PAGE_TYPES } from "#engine/index/page/page-type.ts"

import { INCOMPLETE } from "#crawler/reporting/coverage/incomplete.ts"

import { CAUSES } from "../../../services/misses/miss.ts"
import { evidenceFacts, pageEvidence, wordStatistics } from "../../../services/federation/answer-schema.ts"
import { PEER_STATES } from "../../../services/federation/peer.ts"
import {
  addressesModels,
  degraded,
  requestId,
  responseTime,
  usage,
  warnings,
} from "../../../server/operation/shared-fields.ts"
import {
  anyOf,
  byName,
  count,
  listOf,
  namedObject,
  number,
  object,
  type Of,
  oneOf,
  optional,
  orNull,
  share,
  text,
  time,
  yesNo,
} from "../../../server/schema/schemas.ts"

// The 200 answers of the Tavily API's endpoints.

const images = listOf(
  anyOf([text(), object({ url: text(), description: text("Empty when the page has none.") })]),
  "Addresses, or `{url, description}` with `include_image_descriptions`.",
)
const favicon = orNull(text("Address of the site's icon."))

const part = share("This part of the score, before calibration.")
const explanation = namedObject("Explanation", {
  depth: text(),
  lexical: part,
  passage: part,
  vector: part,
  late: part,
  rerank: part,
  fused: part,
  boost: number(),
  ...optional({
    rules: listOf(
      object({
        id: text(),
        kind: oneOf(["synonym", "pin", "boost"]),
        ...optional({
          question: text("For a synonym: the other question that was also searched for."),
          factor: number(),
          position: count(),
        }),
      }),
      "The operator's rules that affected the result.",
    ),
    words_alone: text("Why the search used words alone, if it did."),
    not_reranked: text("Why the reranker was not used, if one is set and was not used."),
  }),
})

const searchResult = namedObject("SearchResult", {
  id: text("Id of this result in this answer."),
  title: text(),
  url: text(),
  content: text(
    "The most relevant passages, joined by ` [...] `: plain text with fenced code and Markdown tables.",
  ),
  score: share("The chance that the page is relevant."),
  raw_content: orNull(text("The whole page, if requested.")),
  type: oneOf(PAGE_TYPES, "Format of the page."),
  language: orNull(text("ISO 639-1 code; null when unknown.")),
  ...optional({
    peer: text("Name of the peer that the page came from; left out for this appliance's own pages."),
    evidence: pageEvidence,
    checked_at: time("When a crawl last found the page, changed or not."),
    sources: listOf(
      text(),
      "The sources that the page belongs to, starting with the one that read it last; left out when the key may not see them.",
    ),
    collections: listOf(text(), "The collections that contain any of these sources; omitted if empty."),
    section: object(
      {
        heading: orNull(text("The nearest heading above the passage; null when there is none.")),
        ...optional({
          page: text(
            "In a PDF or a presentation: the page or slide, or the first and last one, as numbered in the document: `12`, `iv`, `12–13`.",
          ),
          url: text("The page's address with the anchor of this section; left out when there is none."),
        }),
      },
      "Where the best passage is; left out when no heading, page or anchor is known.",
    ),
    pages: listOf(
      object({
        page: text("As in `section`."),
        ...optional({
          url: text("The page's address with the anchor of this section; left out when there is none."),
        }),
      }),
      "In a PDF or a presentation: where each passage of `content` is, in order; left out when unknown.",
    ),
    favicon,
    published_date: orNull(text("In the format of HTTP headers: `Tue, 11 Mar 2025 17:00:00 GMT`.")),
    images,
    explain: explanation,
    addresses_models: addressesModels,
    other_forms: listOf(
      object({ url: text(), format: text("The file extension in its address: `pdf`, `epub`, `html`.") }),
      "The same document in other formats; omitted if empty.",
    ),
    copies: listOf(
      object({ url: text(), title: text() }),
      "Other results with the same content; omitted if empty.",
    ),
    translations: listOf(
      object({ url: text(), title: text(), language: orNull(text("ISO 639-1.")) }),
      "Other results that are this page in another language; omitted if empty.",
    ),
    versions: listOf(
      object({ url: text(), title: text() }),
      "Other results that are this page in another version of the documentation; omitted if empty.",
    ),
  }),
})

const autoParameters = object(
  optional({
    search_depth: text(),
    topic: text(),
    time_range: text(),
    include_domains: anyOf([text(), listOf(text())]),
    include_domains_mode: text(),
  }),
  "What `auto_parameters` chose.",
)

const missFields = {
  url: text("The address in question."),
  title: text("Title of the page while it was in the index."),
  at: time("When the page was removed or last visited."),
  reason: text("Why the page was removed."),
  held_as: text("The page's address in the index."),
  filters: listOf(text(), "Parameters that excluded all results."),
  detail: text("The explanation that `fossick why` gives; only with an admin key."),
}
const missBase = {
  cause: oneOf(CAUSES, "The most likely cause, from what crawls recorded."),
  text: text("The cause in words."),
}
const miss = namedObject("Miss", { ...missBase, ...optional(missFields) }, "Why nothing was found.")
const searchMiss = object(
  {
    ...missBase,
    ...optional({
      ...missFields,
      others: listOf(miss, "Other pages that look relevant but are not in the index."),
    }),
  },
  "Why nothing was found; left out when a result is likely to answer.",
)
const coverage = object(
  {
    complete: yesNo(
      "True when every source searched holds all the pages that its rules allow, with vectors; false if one doesn't, or if that is unknown.",
    ),
    sources: listOf(
      object({
        name: text(),
        pages: count(),
        complete: yesNo(),
        complete_as_of: orNull(time("The time as of which it is complete; null when it is incomplete.")),
        incomplete: orNull(
          text(`Why it is incomplete: ${INCOMPLETE.map((one) => `\`${one}\``).join(", ")}.`),
        ),
        checked_at: orNull(time("When a crawl last found one of its pages.")),
        kept_out: byName(count(), "Addresses that were visited but are not in the index, by cause."),
        waiting_for_vectors: count("Pages found by words alone until they have vectors."),
        ...optional({
          cut_off: count("Pages in the index whose responses were cut off after the page was complete."),
        }),
      }),
      "The sources searched; empty for keys limited to domains, which can't see source names.",
    ),
    ...optional({
      complete_as_of: time(),
      more_sources: count("Number of sources that were searched but are not listed."),
    }),
  },
  "How complete the searched sources are; given with `explain` and when nothing was found.",
)

const facets = listOf(
  object({
    field: oneOf(FACET_FIELDS),
    values: listOf(
      object({
        value: text(
          "With `published`, a year; with `path`, a folder, together with its site if there are several: `//docs.example.com/guide`.",
        ),
        count: count("Pages."),
      }),
      "Most frequent first, at most 50.",
    ),
    pages: count("Pages that were counted."),
    exact: yesNo("False when more pages match and only the best were counted."),
  }),
  "With `include_facets`: how many of the matching pages have each value. A filter on a field is ignored when that field is counted.",
)

const peerReports = listOf(
  object({
    name: text(),
    state: oneOf(
      PEER_STATES,
      "`late`: did not answer in time. `resting`: not asked, since it failed before and has not recovered.",
    ),
    results: count("Pages that it returned, before they were merged with the others."),
    ...optional({
      because: text("Why it returned none, as the rest of a sentence whose subject is the peer."),
    }),
  }),
  "The peers of this search; left out when there were none.",
)

const correctedQuery = text(
  "The query with misspelt words corrected; left out when there were none, or when no result contains a corrected word.",
)

export const searchAnswer = namedObject("SearchAnswer", {
  query: text(),
  follow_up_questions: orNull(listOf(text())),
  answer: orNull(text("Cited sentences, with `include_answer`.")),
  images,
  results: listOf(searchResult, "Best first."),
  response_time: responseTime,
  request_id: requestId,
  ...optional({
    corrected_query: correctedQuery,
    peers: peerReports,
    evidence: evidenceFacts,
    word_statistics: wordStatistics,
    facets,
    miss: searchMiss,
    coverage,
    auto_parameters: autoParameters,
    degraded,
    usage,
    warnings,
  }),
})

const failedResult = namedObject("FailedResult", {
  url: text("As given in the request."),
  error: text("Why it could not be read."),
  ...optional({ miss: miss }),
})

const withoutRoom = listOf(failedResult, "Pages that did not fit in the memory for live calls, if any.")

export const extractAnswer = namedObject("ExtractAnswer", {
  results: listOf(
    object({
      url: text("As given in the request."),
      title: text(),
      raw_content: text("The page, or with `query` its most relevant passages."),
      images: listOf(text()),
      ...optional({ favicon, addresses_models: addressesModels }),
    }),
  ),
  failed_results: listOf(failedResult),
  response_time: responseTime,
  request_id: requestId,
  ...optional({ usage, degraded, warnings }),
})

export const crawlAnswer = namedObject("CrawlAnswer", {
  base_url: text("The start address, as given in the request."),
  results: listOf(
    object({
      url: text(),
      raw_content: text(),
      images: listOf(text()),
      ...optional({ favicon, addresses_models: addressesModels }),
    }),
  ),
  response_time: responseTime,
  request_id: requestId,
  ...optional({ usage, degraded, failed_results: withoutRoom, warnings }),
})

export const mapAnswer = namedObject("MapAnswer", {
  base_url: text("The start address, as given in the request."),
  results: listOf(text(), "Addresses found."),
  response_time: responseTime,
  request_id: requestId,
  ...optional({ usage, degraded, failed_results: withoutRoom, warnings }),
})

export type SearchAnswer = Of<typeof searchAnswer>
export type ExtractAnswer = Of<typeof extractAnswer>
export type CrawlAnswer = Of<typeof crawlAnswer>
export type MapAnswer = Of<typeof mapAnswer>
