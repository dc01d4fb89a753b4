import { FACET_FIELDS } from "#engine"
import { PAGE_TOPICS } from "#engine/index/page/page.ts"

import { PRICES } from "../../identity/accounts/billing/credits.ts"
import { filterFields, severalOf } from "../../server/operation/filter-fields.ts"
import { MOST_WORDS, wordStatistics } from "../../services/federation/answer-schema.ts"
import { COUNTRY_ALLOWED } from "../../core/understand/countries.ts"
import { LANGUAGE_ALLOWED } from "../../core/understand/languages.ts"
import {
  anyOf,
  anything,
  count,
  flag,
  type JsonSchema,
  listOf,
  number,
  object,
  type Of,
  oneOf,
  optional,
  text,
  whole,
  withDefault,
  yesNo,
} from "../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"

// The request bodies in wire format. Rules that involve several fields, or that depend on settings, are in each
// endpoint's file.

/** Maximum number of places, because one search is run for each. */
const MAX_PLACES = 20
const MAX_PLACE_CHARS = 400
/** Maximum age: ten years, longer than any page has been in an index. */
const MAX_AGE_HOURS = 87_600
/** Maximum time for a search: clients wait a minute unless configured otherwise. */
const MAX_FETCH_SECONDS = 60
/** Seconds to fetch a page by default, the same as for `/extract`. */
export const DEFAULT_FETCH_SECONDS = 10

// Required fields refuse blank text.
const notBlank = { "x-judged": { pattern: NOT_BLANK } }
const regexes = (description: string) => listOf(text(undefined, { format: "regex" }), description)
const domains = (description: string) => anyOf([text(), listOf(text())], description)
const place = text(undefined, { maxLength: MAX_PLACE_CHARS })
const places = (description: string) =>
  anyOf([place, listOf(place, undefined, { maxItems: MAX_PLACES })], description, {
    "x-allowed": `a string of at most ${MAX_PLACE_CHARS} characters, or a list of at most ${MAX_PLACES} of them`,
  })
const date = (description: string) =>
  text(description, { format: "date", "x-allowed": "a date of the form YYYY-MM-DD" })
const chunks = (most: number, description: string) => withDefault(whole(1, most, description), 3)
const maxAge = (description: string) => whole(-1, MAX_AGE_HOURS, description)
const seconds = (minimum: number, maximum: number, description: string) =>
  number(description, { minimum, maximum })
/** The fields that determine how pages are read and what is returned for them. */
const reading = {
  extract_depth: withDefault(
    oneOf(["basic", "advanced"], "`advanced` loads a page in a browser if it has no content otherwise."),
    "basic",
  ),
  format: withDefault(oneOf(["markdown", "text"], "Format of `raw_content`."), "markdown"),
  include_images: flag("Adds the addresses of the page's images."),
  include_favicon: flag("Adds the address of the site's icon."),
}
const include_usage = flag("Adds `usage`, the credits that this call cost.")

/**
 * A search as received: parameters that `auto_parameters` may choose have no default here, so that given values can be
 * recognised.
 */
export const searchSchema = object({
  query: text(
    'What to look for. Supports `"a phrase"`, `-word`, `site:example.com` and `-site:example.com`.',
    notBlank,
  ),
  ...optional({
    search_depth: oneOf(
      ["basic", "advanced", "fast", "ultra-fast"],
      `How thorough the search is: words alone (\`ultra-fast\`, \`fast\`), words and meaning (\`basic\`, the default), or also a second look at the best passages (\`advanced\`, ${PRICES.advancedSearch}).`,
    ),
    topic: oneOf(
      ["general", "news", "finance"],
      "Ranks pages that are news, or about finance, higher. Default `general`.",
    ),
    max_results: anyOf(
      [whole(0, 50), oneOf(["auto"])],
      "Maximum number of results; `auto` cuts the list where the scores drop.",
    ),
    chunks_per_source: chunks(3, "Passages per page in `content`; `ultra-fast` ignores it."),
    time_range: oneOf(
      ["day", "week", "month", "year", "d", "w", "m", "y"],
      "Only pages published within this time; not allowed with `start_date` or `end_date`.",
    ),
    start_date: date("Only pages published on or after this day, in UTC."),
    end_date: date("Only pages published on or before this day, in UTC."),
    // This field is never refused, because some clients always send it.
    days: anything("Older form of `time_range`: number of days back from now, with the topic `news`."),
    include_answer: withDefault(
      anyOf(
        [yesNo(), oneOf(["basic", "advanced"])],
        "Adds a cited `answer` and `follow_up_questions`; `true` means `basic`.",
      ),
      false,
    ),
    include_raw_content: withDefault(
      anyOf([yesNo(), oneOf(["markdown", "text"])], "Adds the whole page; `true` means `markdown`."),
      false,
    ),
    include_images: flag("Adds images from the pages found."),
    include_image_descriptions: flag("With `include_images`: each image as `{url, description}`."),
    include_favicon: reading.include_favicon,
    include_domains: domains(
      "Only pages on these domains, or these first: see `include_domains_mode`. A port (`localhost:8080`) limits the domain to that port. No wildcards, paths or public suffixes.",
    ),
    exclude_domains: domains("Leaves out pages on these domains, written in the same way."),
    include_domains_mode: oneOf(
      ["filter", "boost", "restrict", "prefer"],
      "`filter` (or `restrict`, the default) returns only pages from `include_domains`, `boost` (or `prefer`) ranks them higher. Requires `include_domains`.",
    ),
    ...filterFields,
    topics: severalOf(
      PAGE_TOPICS,
      "Only pages that say they are about one of these topics; `topic` ranks them higher and keeps the others.",
    ),
    paths: places(
      "Only pages under these folders of any site (`/docs/guide`) or of one site (`//docs.example.com/guide`). A folder with a leading `!` is left out: `!/docs/1.0`.",
    ),
    versions: places("Only pages whose address names one of these versions: `3.12`, `v2`, `latest`."),
    country: text(
      "Ranks pages made in or for this country higher, with the topic `general`: its English name or its ISO 3166-1 alpha-2 code.",
      { "x-allowed": COUNTRY_ALLOWED },
    ),
    language: text("Ranks pages in this language higher: an ISO 639-1 code or its English name.", {
      "x-allowed": LANGUAGE_ALLOWED,
    }),
    filter_by_language: flag("Drops pages in other languages. Requires `language`."),
    safe_search: flag("Drops adult pages and their images; `fast` and `ultra-fast` ignore it."),
    auto_parameters: flag("Chooses parameters that you leave out, based on the query. Your own values win."),
    exact_match: flag("Only pages that contain every quoted phrase of the query."),
    include_published_date: flag("Adds `published_date`."),
    filter_by_published_date: flag("Also drops pages whose date is unknown; adds `published_date`."),
    include_usage,
    max_age_hours: maxAge(
      "Maximum hours since a page was last checked. An older result is read again before it is returned, or left out. 0 reads every result again, -1 none.",
    ),
    max_hours: maxAge(
      "The name of `max_age_hours` in @tavily/core. If both are given, the smaller one counts.",
    ),
    fetch_timeout: withDefault(
      seconds(0, MAX_FETCH_SECONDS, "With `max_age_hours`: seconds that reading pages again may take."),
      DEFAULT_FETCH_SECONDS,
    ),
    cache_fallback: flag(
      "With `max_age_hours`: returns the index's version of a page that could not be read again, instead of leaving the page out.",
    ),
    include_facets: severalOf(
      FACET_FIELDS,
      "Adds `facets`: how many of the matching pages have each value of these fields.",
    ),
    explain: flag("Adds the parts of each score; for keys with the role `admin`."),
    include_evidence: flag(
      "Adds `evidence`, which another appliance needs to rank these results among its own.",
    ),
    include_word_statistics: flag(
      "Adds `word_statistics`: how many pages contain each word of the question; for keys that can see all pages. With `max_results` 0 the call is free.",
    ),
    word_statistics: {
      ...wordStatistics,
      description:
        "How many pages contain each word, in all the indexes searched together. Sets the weight of the words.",
      "x-allowed": `an object with \`pages\` and at most ${MOST_WORDS} \`words\`, as returned by \`include_word_statistics\``,
    },
  }),
})

export type SearchBody = Of<typeof searchSchema>

/** A search with every parameter settled: given, chosen by `auto_parameters`, or the default. */
export type SearchRequest = SearchBody & Required<Pick<SearchBody, "search_depth" | "topic">>

export const MAX_EXTRACT_URLS = 20

export const extractSchema = object({
  urls: anyOf(
    [text(), listOf(text())],
    `Addresses of the pages to read, at most ${MAX_EXTRACT_URLS}; a single one can be a plain string.`,
    {
      "x-allowed": `an address or a list of 1 to ${MAX_EXTRACT_URLS} addresses`,
      "x-judged": {
        anyOf: [
          text(undefined, { pattern: NOT_BLANK }),
          listOf(text(), undefined, { minItems: 1, maxItems: MAX_EXTRACT_URLS }),
        ],
      },
    },
  ),
  ...optional({
    query: text("What you are looking for. `raw_content` then holds the most relevant passages."),
    chunks_per_source: chunks(5, "With `query`: passages per page."),
    ...reading,
    include_usage,
    timeout: seconds(
      1,
      60,
      "Seconds that the call may take: 10 by default, 30 with `extract_depth` `advanced`.",
    ),
  }),
})

export type ExtractRequest = Of<typeof extractSchema>

/** A walk along the links of a site. @param more additional optional fields */
const walkSchema = <const M extends Readonly<Record<string, JsonSchema>>>(more: M) =>
  object({
    url: text("Address where the walk starts; `https://` can be left out.", {
      "x-missing": "[400] No starting url provided",
      ...notBlank,
    }),
    ...optional({
      instructions: text("Which pages you want, in your own words; the others are left out."),
      max_depth: withDefault(whole(1, 5, "How many links to follow from the start."), 1),
      max_breadth: withDefault(whole(1, 500, "How many links to follow per page."), 20),
      limit: withDefault(count("Maximum number of pages.", { minimum: 1 }), 50),
      select_paths: regexes("Regular expressions; only pages whose path matches one."),
      select_domains: regexes("Regular expressions; only pages whose host matches one."),
      exclude_paths: regexes("Regular expressions; leaves out pages whose path matches one."),
      exclude_domains: regexes("Regular expressions; leaves out pages whose host matches one."),
      categories: listOf(
        text(),
        "Accepted from older clients: `Documentation`, `Blogs`, `About` and others.",
      ),
      allow_external: withDefault(yesNo("Whether results include addresses on other sites."), true),
      include_usage,
      timeout: withDefault(
        seconds(10, 150, "Seconds that the call may take; it then returns what it has found."),
        150,
      ),
      ...more,
    }),
  })

export const mapSchema = walkSchema({})
export type MapRequest = Of<typeof mapSchema>

export const crawlSchema = walkSchema({
  chunks_per_source: chunks(5, "With `instructions`: passages per page."),
  ...reading,
})
