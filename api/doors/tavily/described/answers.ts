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
  anyOf([text(), object({ url: text(), description: text("Empty when the page gives none.") })]),
  "Addresses, or `{url, description}` with `include_image_descriptions`.",
)
const favicon = orNull(text("Address of the site's icon."))

const part = share("Share, before the score is calibrated.")
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
    words_alone: text("Why the search went by words alone, if it did."),
    not_reranked: text("Why the reranker was not used, if one is set and was not used."),
  }),
})

const searchResult = namedObject("SearchResult", {
  id: text("Id of this result in this answer."),
  title: text(),
  url: text(),
  content: text(
    "The passages that matter, joined by ` [...] `: plain text with fenced code and Markdown tables.",
  ),
  score: share("How likely the page is relevant."),
  raw_content: orNull(text("The whole page, when asked for.")),
  type: oneOf(PAGE_TYPES, "What the page is written in."),
  language: orNull(text("ISO 639-1; null when it is not known.")),
  ...optional({
    peer: text("Name of the appliance that the page came from; left out for pages of this one."),
    evidence: pageEvidence,
    checked_at: time("When a crawl last found the page, changed or not."),
    sources: listOf(
      text(),
      "The sources that the page belongs to, the one that read it last first; left out when the key may not know them.",
    ),
    collections: listOf(text(), "The collections that hold any of these; left out when there are none."),
    section: object(
      {
        heading: orNull(text("The nearest heading above it; null when there is none.")),
        ...optional({
          page: text(
            "In a PDF or a presentation: the page or slide, or the first and the last one, as readers know them: `12`, `iv`, `12–13`.",
          ),
          url: text("The page's address with the anchor of this place; left out when there is none."),
        }),
      },
      "Where the best passage is; left out when no heading, page or anchor is known.",
    ),
    pages: listOf(
      object({
        page: text("As in `section`."),
        ...optional({
          url: text("The page's address with the anchor of this place; left out when there is none."),
        }),
      }),
      "In a PDF or a presentation: where each passage of `content` is, in order; left out when that is not known.",
    ),
    favicon,
    published_date: orNull(text("As in HTTP headers: `Tue, 11 Mar 2025 17:00:00 GMT`.")),
    images,
    explain: explanation,
    addresses_models: addressesModels,
    other_forms: listOf(
      object({ url: text(), format: text("As its address ends: `pdf`, `epub`, `html`.") }),
      "The same document in other formats; left out when there are none.",
    ),
    copies: listOf(
      object({ url: text(), title: text() }),
      "Other pages found that say the same; left out when there are none.",
    ),
    translations: listOf(
      object({ url: text(), title: text(), language: orNull(text("ISO 639-1.")) }),
      "The same page in other languages, also found; left out when there are none.",
    ),
    versions: listOf(
      object({ url: text(), title: text() }),
      "The same page in other versions of the documentation, also found; left out when there are none.",
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
  url: text("The address that it is about."),
  title: text("Of the page while the index held it."),
  at: time("When the page was removed or last visited."),
  reason: text("What counted against a page that was removed."),
  held_as: text("The address under which the index holds it."),
  filters: listOf(text(), "Parameters without which something would be found."),
  detail: text("As `fossick why` puts it; with an admin key."),
}
const missBase = {
  cause: oneOf(CAUSES, "The likeliest, by what crawls know."),
  text: text("In words."),
}
const miss = namedObject("Miss", { ...missBase, ...optional(missFields) }, "Why nothing was found.")
const searchMiss = object(
  {
    ...missBase,
    ...optional({
      ...missFields,
      others: listOf(miss, "Further pages that sound like the question and are not in the index."),
    }),
  },
  "Why nothing was found; left out when a result is likely to answer.",
)
const coverage = object(
  {
    complete: yesNo(
      "True when all sources that were asked hold all that their rules let in, with vectors; false, too, where that is not known.",
    ),
    sources: listOf(
      object({
        name: text(),
        pages: count(),
        complete: yesNo(),
        complete_as_of: orNull(time("As of when; null when it is not complete.")),
        incomplete: orNull(text(`Why it is not: ${INCOMPLETE.map((one) => `\`${one}\``).join(", ")}.`)),
        checked_at: orNull(time("When a crawl last found one of its pages.")),
        kept_out: byName(count(), "Addresses that were visited and are no pages of the index, by cause."),
        waiting_for_vectors: count("Pages that are found by their words alone until then."),
        ...optional({
          cut_off: count("Pages in the index whose responses were cut off after the page was complete."),
        }),
      }),
      "Those that were asked; none for keys that are limited to domains, which know none by name.",
    ),
    ...optional({ complete_as_of: time(), more_sources: count("That were asked and are not listed.") }),
  },
  "How complete what was asked is: with `explain`, and where nothing was found.",
)

const facets = listOf(
  object({
    field: oneOf(FACET_FIELDS),
    values: listOf(
      object({
        value: text(
          "For `published` a year, for `path` a folder, with its site where there are several: `//docs.example.com/guide`.",
        ),
        count: count("Pages."),
      }),
      "The most frequent first, 50 at most.",
    ),
    pages: count("Pages that were counted."),
    exact: yesNo("False when more pages match: then the best were counted."),
  }),
  "With `include_facets`: of the pages that match, how many have each value. A field is counted without the filter on itself.",
)

const peerReports = listOf(
  object({
    name: text(),
    state: oneOf(
      PEER_STATES,
      "`late`: not within its time. `resting`: not asked, since it failed before and is not back.",
    ),
    results: count("Pages that it gave, before they were put among the others."),
    ...optional({ because: text("Why it gave none, as the rest of a sentence whose subject is the peer.") }),
  }),
  "The other appliances to be asked; left out when there were none.",
)

const correctedQuery = text(
  "The query with the words that misspelt ones were taken for; not there when none was, or no result holds such a word.",
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
  url: text("As it was given."),
  error: text("Why it could not be read."),
  ...optional({ miss: miss }),
})

const withoutRoom = listOf(failedResult, "Pages that the memory for live calls had no room for, if any.")

export const extractAnswer = namedObject("ExtractAnswer", {
  results: listOf(
    object({
      url: text("As it was given."),
      title: text(),
      raw_content: text("The page, or with `query` its nearest passages."),
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
  base_url: text("The start, as it was given."),
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
  base_url: text("The start, as it was given."),
  results: listOf(text(), "Addresses found."),
  response_time: responseTime,
  request_id: requestId,
  ...optional({ usage, degraded, failed_results: withoutRoom, warnings }),
})

export type SearchAnswer = Of<typeof searchAnswer>
export type ExtractAnswer = Of<typeof extractAnswer>
export type CrawlAnswer = Of<typeof crawlAnswer>
export type MapAnswer = Of<typeof mapAnswer>
