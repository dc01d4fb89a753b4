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

// The request bodies in wire format. Rules that connect fields, and rules that depend on settings, are in each
// endpoint's file.

/** There is one search for each. */
const MAX_PLACES = 20
const MAX_PLACE_CHARS = 400
/** Ten years: longer than any page has been in an index. */
const MAX_AGE_HOURS = 87_600
/** Clients wait a minute for a search unless configured otherwise. */
const MAX_FETCH_SECONDS = 60
/** The same time as `/extract`. */
export const DEFAULT_FETCH_SECONDS = 10

// Required fields refuse blank text.
const notBlank = { "x-judged": { pattern: NOT_BLANK } }
const regexes = (description: string) => listOf(text(undefined, { format: "regex" }), description)
const domains = (description: string) => anyOf([text(), listOf(text())], description)
const place = text(undefined, { maxLength: MAX_PLACE_CHARS })
const places = (description: string) =>
  anyOf([place, listOf(place, undefined, { maxItems: MAX_PLACES })], description, {
    "x-allowed": `text of at most ${MAX_PLACE_CHARS} characters, or a list of at most ${MAX_PLACES} such`,
  })
const date = (description: string) =>
  text(description, { format: "date", "x-allowed": "a date of the form YYYY-MM-DD" })
const chunks = (most: number, description: string) => withDefault(whole(1, most, description), 3)
const maxAge = (description: string) => whole(-1, MAX_AGE_HOURS, description)
const seconds = (minimum: number, maximum: number, description: string) =>
  number(description, { minimum, maximum })
/** How the content of pages is given. */
const reading = {
  extract_depth: withDefault(
    oneOf(["basic", "advanced"], "`advanced` loads pages in a browser that come without content."),
    "basic",
  ),
  format: withDefault(oneOf(["markdown", "text"], "How `raw_content` is written."), "markdown"),
  include_images: flag("Adds the addresses of the page's images."),
  include_favicon: flag("Adds the address of the site's icon."),
}
const include_usage = flag("Adds `usage`, the credits that this call cost.")

/**
 * A search as it arrives: parameters that `auto_parameters` may choose have no default here, so that given values can
 * be recognised.
 */
export const searchSchema = object({
  query: text(
    'What to look for. `"a phrase"`, `-word`, `site:example.com` and `-site:example.com` are understood.',
    notBlank,
  ),
  ...optional({
    search_depth: oneOf(
      ["basic", "advanced", "fast", "ultra-fast"],
      `How much work the search is worth: words alone (\`ultra-fast\`, \`fast\`), meaning too (\`basic\`, the default), or a second reading of the best passages (\`advanced\`, ${PRICES.advancedSearch}).`,
    ),
    topic: oneOf(
      ["general", "news", "finance"],
      "Raises pages that are news, or on finance. Default `general`.",
    ),
    max_results: anyOf(
      [whole(0, 50), oneOf(["auto"])],
      "How many results at most; `auto` returns those before scores fall off.",
    ),
    chunks_per_source: chunks(3, "Passages of a page in `content`; not used by `ultra-fast`."),
    time_range: oneOf(
      ["day", "week", "month", "year", "d", "w", "m", "y"],
      "Pages published since then; refused together with `start_date` or `end_date`.",
    ),
    start_date: date("Pages published on this day or later, in UTC."),
    end_date: date("Pages published on this day or earlier, in UTC."),
    // Never refused: some clients always send it.
    days: anything("Older form of `time_range`: with the topic `news`, days back from now."),
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
    include_images: flag("Adds the images of the pages found."),
    include_image_descriptions: flag("With `include_images`: each image as `{url, description}`."),
    include_favicon: reading.include_favicon,
    include_domains: domains(
      "Pages of these domains only, or first: see `include_domains_mode`. A port (`localhost:8080`) keeps to that port. No wildcards, paths or public suffixes.",
    ),
    exclude_domains: domains("No pages of these domains, written in the same way."),
    include_domains_mode: oneOf(
      ["filter", "boost", "restrict", "prefer"],
      "`filter` (or `restrict`, the default) keeps to `include_domains`, `boost` (or `prefer`) raises them; refused without `include_domains`.",
    ),
    ...filterFields,
    topics: severalOf(
      PAGE_TOPICS,
      "Pages that say they are on one of these topics only; `topic` raises them and keeps the others.",
    ),
    paths: places(
      "Pages under these folders of their sites only: `/docs/guide`, or of one site: `//docs.example.com/guide`; with `!` before it a folder is left out: `!/docs/1.0`.",
    ),
    versions: places("Pages whose address names one of these versions only: `3.12`, `v2`, `latest`."),
    country: text(
      "Raises pages made in or for that country, with the topic `general`: its English name or its ISO 3166-1 alpha-2 code.",
      { "x-allowed": COUNTRY_ALLOWED },
    ),
    language: text("Raises pages in that language: an ISO 639-1 code or its English name.", {
      "x-allowed": LANGUAGE_ALLOWED,
    }),
    filter_by_language: flag("Drops pages in other languages; refused without `language`."),
    safe_search: flag("Drops adult pages and their images; not used by `fast` and `ultra-fast`."),
    auto_parameters: flag("Chooses what is left open by the words of the query; what is given wins."),
    exact_match: flag("Only pages that hold every quoted phrase of the query."),
    include_published_date: flag("Adds `published_date`."),
    filter_by_published_date: flag("Also drops pages whose date is unknown; adds `published_date`."),
    include_usage,
    max_age_hours: maxAge(
      "How long ago a page may have been checked: a result that was checked earlier is read again before it is given, or left out. 0 reads every result again, -1 none.",
    ),
    max_hours: maxAge("What @tavily/core calls `max_age_hours`; the smaller counts when both are given."),
    fetch_timeout: withDefault(
      seconds(0, MAX_FETCH_SECONDS, "With `max_age_hours`: seconds that reading pages again may take."),
      DEFAULT_FETCH_SECONDS,
    ),
    cache_fallback: flag(
      "With `max_age_hours`: a page that could not be read again is given as the index holds it, and not left out.",
    ),
    include_facets: severalOf(
      FACET_FIELDS,
      "Adds `facets`: how many of the pages that match have each value of these fields.",
    ),
    explain: flag("Adds the parts of each score; for keys of the role `admin`."),
    include_evidence: flag("Adds `evidence`, by which another appliance ranks these results among its own."),
    include_word_statistics: flag(
      "Adds `word_statistics`: in how many pages each word of the question stands; for keys that reach all pages. With `max_results` 0 the call costs nothing.",
    ),
    word_statistics: {
      ...wordStatistics,
      description:
        "In how many pages of all indexes that are asked together each word stands: the words weigh by these.",
      "x-allowed": `an object of \`pages\` and at most ${MOST_WORDS} \`words\`, as \`include_word_statistics\` gives it`,
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
    `Addresses of the pages to read, at most ${MAX_EXTRACT_URLS}; one may be a plain string.`,
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
    query: text("What the text is wanted for: `raw_content` then holds the passages nearest to it."),
    chunks_per_source: chunks(5, "With `query`: passages of each page."),
    ...reading,
    include_usage,
    timeout: seconds(1, 60, "Seconds the call may take: 10 by default, 30 with the depth `advanced`."),
  }),
})

export type ExtractRequest = Of<typeof extractSchema>

/** A walk along the links of a site. @param more further optional fields */
const walkSchema = <const M extends Readonly<Record<string, JsonSchema>>>(more: M) =>
  object({
    url: text("Where the walk begins; `https://` may be left out.", {
      "x-missing": "[400] No starting url provided",
      ...notBlank,
    }),
    ...optional({
      instructions: text("Which pages are wanted, in your own words; the others are left out."),
      max_depth: withDefault(whole(1, 5, "Link steps from the start."), 1),
      max_breadth: withDefault(whole(1, 500, "Links followed from one page."), 20),
      limit: withDefault(count("Pages at most.", { minimum: 1 }), 50),
      select_paths: regexes("Regular expressions; only pages whose path fits one."),
      select_domains: regexes("Regular expressions; only pages whose host fits one."),
      exclude_paths: regexes("Regular expressions; no pages whose path fits one."),
      exclude_domains: regexes("Regular expressions; no pages whose host fits one."),
      categories: listOf(text(), "Of older clients: `Documentation`, `Blogs`, `About` and the like."),
      allow_external: withDefault(yesNo("Whether addresses on other sites are among the results."), true),
      include_usage,
      timeout: withDefault(
        seconds(10, 150, "Seconds the call may take; what was found by then is the answer."),
        150,
      ),
      ...more,
    }),
  })

export const mapSchema = walkSchema({})
export type MapRequest = Of<typeof mapSchema>

export const crawlSchema = walkSchema({
  chunks_per_source: chunks(5, "With `instructions`: passages of each page."),
  ...reading,
})
