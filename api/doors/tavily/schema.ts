import { FACET_FIELDS, type FacetField, type PageTopic, type SearchDepth } from "#engine"
import { PAGE_TOPICS } from "#engine/index/page/page.ts"
import type { PageType } from "#engine/index/page/page-type.ts"

import { PRICES } from "../../identity/accounts/billing/credits.ts"
import { filterFields } from "../../server/operation/filter-fields.ts"
import { MOST_WORDS, type WireStatistics } from "../../services/federation/evidence.ts"
import { COUNTRY_ALLOWED } from "../../core/understand/countries.ts"
import { LANGUAGE_ALLOWED } from "../../core/understand/languages.ts"
import type { SearchTopic } from "../../core/understand/choose.ts"
import type { FieldSchema, RequestSchema } from "../../server/wire/validate.ts"

// The request bodies as they stand on the wire. Rules that tie fields together, and those that depend on
// settings, live in each endpoint's file.

/** Each is looked for by itself. */
const MAX_PLACES = 20
const MAX_PLACE_CHARS = 400
const MAX_WORD_CHARS = 500
/** Ten years: longer than any page has been in an index. */
const MAX_AGE_HOURS = 87_600
/** Clients wait a minute for a search unless they are told otherwise. */
const MAX_FETCH_SECONDS = 60
/** As long as `/extract` takes. */
export const DEFAULT_FETCH_SECONDS = 10

const flag = (description: string): FieldSchema => ({ type: "boolean", default: false, description })
const strings = (description: string, item: Partial<FieldSchema> = {}): FieldSchema => ({
  type: "array",
  items: { type: "string", ...item },
  description,
})
const stringOrList = (description: string): FieldSchema => ({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  description,
})
const places = (description: string): FieldSchema => ({
  anyOf: [
    { type: "string", maxLength: MAX_PLACE_CHARS },
    { type: "array", items: { type: "string", maxLength: MAX_PLACE_CHARS }, maxItems: MAX_PLACES },
  ],
  "x-allowed": `text of at most ${MAX_PLACE_CHARS} characters, or a list of at most ${MAX_PLACES} such`,
  description,
})
const chunks = (maximum: number, description: string): FieldSchema => ({
  type: "integer",
  minimum: 1,
  maximum,
  default: 3,
  description,
})
const format: FieldSchema = {
  type: "string",
  enum: ["markdown", "text"],
  default: "markdown",
  description: "How `raw_content` is written.",
}
const extractDepth: FieldSchema = {
  type: "string",
  enum: ["basic", "advanced"],
  default: "basic",
  description: "`advanced` loads pages in a browser that come without content.",
}
const imagesFlag = flag("Adds the addresses of the page's images.")
const faviconFlag = flag("Adds the address of the site's icon.")
const maxAge = (description: string): FieldSchema => ({
  type: "integer",
  minimum: -1,
  maximum: MAX_AGE_HOURS,
  description,
})
const usageFlag = flag("Adds `usage`, the credits that this call cost.")

/** A search with every parameter settled: given, chosen by `auto_parameters`, or the default. */
export interface SearchRequest {
  readonly query: string
  readonly search_depth: SearchDepth
  readonly topic: SearchTopic
  readonly max_results?: number | "auto"
  readonly chunks_per_source: number
  readonly time_range?: string
  readonly start_date?: string
  readonly end_date?: string
  /** Only looked at when topic is news, and never refused: some clients always send it. */
  readonly days?: unknown
  readonly include_answer: boolean | "basic" | "advanced"
  readonly include_raw_content: boolean | "markdown" | "text"
  readonly include_images: boolean
  readonly include_image_descriptions: boolean
  readonly include_favicon: boolean
  readonly include_domains?: string | readonly string[]
  readonly exclude_domains?: string | readonly string[]
  readonly include_domains_mode?: "filter" | "restrict" | "boost" | "prefer"
  readonly sources?: string | readonly string[]
  readonly collections?: string | readonly string[]
  readonly types?: PageType | readonly PageType[]
  readonly topics?: PageTopic | readonly PageTopic[]
  readonly paths?: string | readonly string[]
  readonly versions?: string | readonly string[]
  readonly country?: string
  readonly language?: string
  readonly filter_by_language: boolean
  readonly safe_search: boolean
  readonly auto_parameters: boolean
  readonly exact_match: boolean
  readonly include_published_date: boolean
  readonly filter_by_published_date: boolean
  readonly include_usage: boolean
  readonly max_age_hours?: number
  /** As @tavily/core calls `max_age_hours`. */
  readonly max_hours?: number
  readonly fetch_timeout: number
  readonly cache_fallback: boolean
  readonly include_facets?: FacetField | readonly FacetField[]
  readonly explain: boolean
  readonly include_evidence: boolean
  readonly include_word_statistics: boolean
  readonly word_statistics?: WireStatistics
}

/** A search as it arrives: what `auto_parameters` may choose has no default, so that a given value is told apart. */
export type SearchBody = Omit<SearchRequest, "search_depth" | "topic"> &
  Partial<Pick<SearchRequest, "search_depth" | "topic">>

export const searchSchema: RequestSchema<SearchBody> = {
  type: "object",
  required: ["query"],
  properties: {
    query: {
      type: "string",
      description:
        'What to look for. `"a phrase"`, `-word`, `site:example.com` and `-site:example.com` are understood.',
    },
    search_depth: {
      type: "string",
      enum: ["basic", "advanced", "fast", "ultra-fast"],
      description: `How much work the search is worth: words alone (\`ultra-fast\`, \`fast\`), meaning too (\`basic\`, the default), or a second reading of the best passages (\`advanced\`, ${PRICES.advancedSearch}).`,
    },
    topic: {
      type: "string",
      enum: ["general", "news", "finance"],
      description: "Raises pages that are news, or on finance. Default `general`.",
    },
    max_results: {
      description: "How many results at most; `auto` returns those before scores fall off.",
      anyOf: [
        { type: "integer", minimum: 0, maximum: 50 },
        { type: "string", enum: ["auto"] },
      ],
    },
    chunks_per_source: chunks(3, "Passages of a page in `content`; not used by `ultra-fast`."),
    time_range: {
      type: "string",
      enum: ["day", "week", "month", "year", "d", "w", "m", "y"],
      description: "Pages published since then; refused together with `start_date` or `end_date`.",
    },
    start_date: {
      type: "string",
      format: "date",
      "x-allowed": "a date of the form YYYY-MM-DD",
      description: "Pages published on this day or later, in UTC.",
    },
    end_date: {
      type: "string",
      format: "date",
      "x-allowed": "a date of the form YYYY-MM-DD",
      description: "Pages published on this day or earlier, in UTC.",
    },
    days: { description: "Older form of `time_range`: with the topic `news`, days back from now." },
    include_answer: {
      description: "Adds a cited `answer` and `follow_up_questions`; `true` means `basic`.",
      anyOf: [{ type: "boolean" }, { type: "string", enum: ["basic", "advanced"] }],
      default: false,
    },
    include_raw_content: {
      description: "Adds the whole page; `true` means `markdown`.",
      anyOf: [{ type: "boolean" }, { type: "string", enum: ["markdown", "text"] }],
      default: false,
    },
    include_images: flag("Adds the images of the pages found."),
    include_image_descriptions: flag("With `include_images`: each image as `{url, description}`."),
    include_favicon: faviconFlag,
    include_domains: stringOrList(
      "Pages of these domains only, or first: see `include_domains_mode`. A port (`localhost:8080`) keeps to that port. No wildcards, paths or public suffixes.",
    ),
    exclude_domains: stringOrList("No pages of these domains, written in the same way."),
    include_domains_mode: {
      type: "string",
      enum: ["filter", "boost", "restrict", "prefer"],
      description:
        "`filter` (or `restrict`, the default) keeps to `include_domains`, `boost` (or `prefer`) raises them; refused without `include_domains`.",
    },
    sources: filterFields.sources,
    collections: filterFields.collections,
    types: filterFields.types,
    topics: {
      anyOf: [
        { type: "string", enum: PAGE_TOPICS },
        { type: "array", items: { type: "string", enum: PAGE_TOPICS } },
      ],
      "x-allowed": `one or several of ${PAGE_TOPICS.map((topic) => `'${topic}'`).join(", ")}`,
      description:
        "Pages that say they are on one of these topics only; `topic` raises them and keeps the others.",
    },
    paths: places(
      "Pages under these folders of their sites only: `/docs/guide`, or of one site: `//docs.example.com/guide`; with `!` before it a folder is left out: `!/docs/1.0`.",
    ),
    versions: places("Pages whose address names one of these versions only: `3.12`, `v2`, `latest`."),
    country: {
      type: "string",
      "x-allowed": COUNTRY_ALLOWED,
      description:
        "Raises pages made in or for that country, with the topic `general`: its English name or its ISO 3166-1 alpha-2 code.",
    },
    language: {
      type: "string",
      "x-allowed": LANGUAGE_ALLOWED,
      description: "Raises pages in that language: an ISO 639-1 code or its English name.",
    },
    filter_by_language: flag("Drops pages in other languages; refused without `language`."),
    safe_search: flag("Drops adult pages and their images; not used by `fast` and `ultra-fast`."),
    auto_parameters: flag("Chooses what is left open by the words of the query; what is given wins."),
    exact_match: flag("Only pages that hold every quoted phrase of the query."),
    include_published_date: flag("Adds `published_date`."),
    filter_by_published_date: flag("Also drops pages whose date is unknown; adds `published_date`."),
    include_usage: usageFlag,
    max_age_hours: maxAge(
      "How long ago a page may have been checked: a result that was checked earlier is read again before it is given, or left out. 0 reads every result again, -1 none.",
    ),
    max_hours: maxAge("What @tavily/core calls `max_age_hours`; the smaller counts when both are given."),
    fetch_timeout: {
      type: "number",
      minimum: 0,
      maximum: MAX_FETCH_SECONDS,
      default: DEFAULT_FETCH_SECONDS,
      description: "With `max_age_hours`: seconds that reading pages again may take.",
    },
    cache_fallback: flag(
      "With `max_age_hours`: a page that could not be read again is given as the index holds it, and not left out.",
    ),
    include_facets: {
      anyOf: [
        { type: "string", enum: FACET_FIELDS },
        { type: "array", items: { type: "string", enum: FACET_FIELDS } },
      ],
      "x-allowed": `one or several of ${FACET_FIELDS.map((field) => `'${field}'`).join(", ")}`,
      description: "Adds `facets`: how many of the pages that match have each value of these fields.",
    },
    explain: flag("Adds the parts of each score; for keys of the role `admin`."),
    include_evidence: flag("Adds `evidence`, by which another appliance ranks these results among its own."),
    include_word_statistics: flag(
      "Adds `word_statistics`: in how many pages each word of the question stands; for keys that reach all pages. With `max_results` 0 the call costs nothing.",
    ),
    word_statistics: {
      type: "object",
      required: ["pages", "words"],
      properties: {
        pages: { type: "integer", minimum: 0 },
        words: {
          type: "array",
          maxItems: MOST_WORDS,
          items: {
            type: "object",
            required: ["word", "pages"],
            properties: {
              word: { type: "string", maxLength: MAX_WORD_CHARS },
              pages: { type: "integer", minimum: 0 },
            },
          },
        },
      },
      "x-allowed": `an object of \`pages\` and at most ${MOST_WORDS} \`words\`, as \`include_word_statistics\` gives it`,
      description:
        "In how many pages of all indexes that are asked together each word stands: the words weigh by these.",
    },
  },
}

export interface ExtractRequest {
  readonly urls: string | readonly string[]
  readonly query?: string
  readonly chunks_per_source: number
  readonly extract_depth: "basic" | "advanced"
  readonly format: "markdown" | "text"
  readonly include_images: boolean
  readonly include_favicon: boolean
  readonly include_usage: boolean
  /** Seconds; the default depends on extract_depth. */
  readonly timeout?: number
}

export const MAX_EXTRACT_URLS = 20

export const extractSchema: RequestSchema<ExtractRequest> = {
  type: "object",
  required: ["urls"],
  properties: {
    urls: {
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
      description: `Addresses of the pages to read, at most ${MAX_EXTRACT_URLS}; one may be a plain string.`,
      "x-allowed": `an address or a list of 1 to ${MAX_EXTRACT_URLS} addresses`,
    },
    query: {
      type: "string",
      description: "What the text is wanted for: `raw_content` then holds the passages nearest to it.",
    },
    chunks_per_source: chunks(5, "With `query`: passages of each page."),
    extract_depth: extractDepth,
    format,
    include_images: imagesFlag,
    include_favicon: faviconFlag,
    include_usage: usageFlag,
    timeout: {
      type: "number",
      minimum: 1,
      maximum: 60,
      description: "Seconds the call may take: 10 by default, 30 with the depth `advanced`.",
    },
  },
}

export interface MapRequest {
  readonly url: string
  readonly instructions?: string
  readonly max_depth: number
  readonly max_breadth: number
  readonly limit: number
  readonly select_paths?: readonly string[]
  readonly select_domains?: readonly string[]
  readonly exclude_paths?: readonly string[]
  readonly exclude_domains?: readonly string[]
  /** Of older clients. */
  readonly categories?: readonly string[]
  readonly allow_external: boolean
  readonly include_usage: boolean
  /** Seconds. */
  readonly timeout: number
}

export const mapSchema: RequestSchema<MapRequest> = {
  type: "object",
  required: ["url"],
  properties: {
    url: {
      type: "string",
      description: "Where the walk begins; `https://` may be left out.",
      "x-missing": "[400] No starting url provided",
    },
    instructions: {
      type: "string",
      description: "Which pages are wanted, in your own words; the others are left out.",
    },
    max_depth: {
      type: "integer",
      minimum: 1,
      maximum: 5,
      default: 1,
      description: "Link steps from the start.",
    },
    max_breadth: {
      type: "integer",
      minimum: 1,
      maximum: 500,
      default: 20,
      description: "Links followed from one page.",
    },
    limit: { type: "integer", minimum: 1, default: 50, description: "Pages at most." },
    select_paths: strings("Regular expressions; only pages whose path fits one.", { format: "regex" }),
    select_domains: strings("Regular expressions; only pages whose host fits one.", { format: "regex" }),
    exclude_paths: strings("Regular expressions; no pages whose path fits one.", { format: "regex" }),
    exclude_domains: strings("Regular expressions; no pages whose host fits one.", { format: "regex" }),
    categories: strings("Of older clients: `Documentation`, `Blogs`, `About` and the like."),
    allow_external: {
      type: "boolean",
      default: true,
      description: "Whether addresses on other sites are among the results.",
    },
    include_usage: usageFlag,
    timeout: {
      type: "number",
      minimum: 10,
      maximum: 150,
      default: 150,
      description: "Seconds the call may take; what was found by then is the answer.",
    },
  },
}

export interface CrawlRequest extends MapRequest {
  readonly chunks_per_source: number
  readonly extract_depth: "basic" | "advanced"
  readonly format: "markdown" | "text"
  readonly include_images: boolean
  readonly include_favicon: boolean
}

export const crawlSchema: RequestSchema<CrawlRequest> = {
  type: "object",
  required: ["url"],
  properties: {
    ...mapSchema.properties,
    chunks_per_source: chunks(5, "With `instructions`: passages of each page."),
    extract_depth: extractDepth,
    format,
    include_images: imagesFlag,
    include_favicon: faviconFlag,
  },
}
