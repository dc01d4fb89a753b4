import type { FieldSchema, RequestSchema } from "./validate.ts"

// The request bodies as they stand on the wire. Rules that tie fields together, and those that depend on
// settings, live in each endpoint's file.

const flag: FieldSchema = { type: "boolean", default: false }
const strings: FieldSchema = { type: "array", items: { type: "string" } }
const stringOrList: FieldSchema = { anyOf: [{ type: "string" }, strings] }
const chunks = (maximum: number): FieldSchema => ({ type: "integer", minimum: 1, maximum, default: 3 })
const format: FieldSchema = { type: "string", enum: ["markdown", "text"], default: "markdown" }
const extractDepth: FieldSchema = { type: "string", enum: ["basic", "advanced"], default: "basic" }

export type SearchDepth = "basic" | "advanced" | "fast" | "ultra-fast"

/** A search with every parameter settled: given, chosen by `auto_parameters`, or the default. */
export interface SearchRequest {
  readonly query: string
  readonly search_depth: SearchDepth
  readonly topic: "general" | "news" | "finance"
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
  readonly country?: string
  readonly language?: string
  readonly filter_by_language: boolean
  readonly safe_search: boolean
  readonly auto_parameters: boolean
  readonly exact_match: boolean
  readonly include_published_date: boolean
  readonly filter_by_published_date: boolean
  readonly include_usage: boolean
  readonly explain: boolean
}

/** A search as it arrives: what `auto_parameters` may choose has no default, so that a given value is told apart. */
export type SearchBody = Omit<SearchRequest, "search_depth" | "topic"> &
  Partial<Pick<SearchRequest, "search_depth" | "topic">>

export const searchSchema: RequestSchema<SearchBody> = {
  type: "object",
  required: ["query"],
  properties: {
    query: { type: "string" },
    search_depth: { type: "string", enum: ["basic", "advanced", "fast", "ultra-fast"] },
    topic: { type: "string", enum: ["general", "news", "finance"] },
    max_results: {
      anyOf: [
        { type: "integer", minimum: 0, maximum: 50 },
        { type: "string", enum: ["auto"] },
      ],
    },
    chunks_per_source: chunks(3),
    time_range: { type: "string", enum: ["day", "week", "month", "year", "d", "w", "m", "y"] },
    start_date: { type: "string", "x-allowed": "a date of the form YYYY-MM-DD" },
    end_date: { type: "string", "x-allowed": "a date of the form YYYY-MM-DD" },
    days: {},
    include_answer: {
      anyOf: [{ type: "boolean" }, { type: "string", enum: ["basic", "advanced"] }],
      default: false,
    },
    include_raw_content: {
      anyOf: [{ type: "boolean" }, { type: "string", enum: ["markdown", "text"] }],
      default: false,
    },
    include_images: flag,
    include_image_descriptions: flag,
    include_favicon: flag,
    include_domains: stringOrList,
    exclude_domains: stringOrList,
    include_domains_mode: { type: "string", enum: ["filter", "boost", "restrict", "prefer"] },
    country: { type: "string", "x-allowed": "the English name of a country, for example 'france'" },
    language: {
      type: "string",
      "x-allowed": "an ISO 639-1 code ('en', 'zh-cn') or the English name of a language ('french')",
    },
    filter_by_language: flag,
    safe_search: flag,
    auto_parameters: flag,
    exact_match: flag,
    include_published_date: flag,
    filter_by_published_date: flag,
    include_usage: flag,
    explain: flag,
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
      anyOf: [{ type: "string" }, strings],
      "x-allowed": `an address or a list of 1 to ${MAX_EXTRACT_URLS} addresses`,
    },
    query: { type: "string" },
    chunks_per_source: chunks(5),
    extract_depth: extractDepth,
    format,
    include_images: flag,
    include_favicon: flag,
    include_usage: flag,
    timeout: { type: "number", minimum: 1, maximum: 60 },
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
    url: { type: "string", "x-missing": "[400] No starting url provided" },
    instructions: { type: "string" },
    max_depth: { type: "integer", minimum: 1, maximum: 5, default: 1 },
    max_breadth: { type: "integer", minimum: 1, maximum: 500, default: 20 },
    limit: { type: "integer", minimum: 1, default: 50 },
    select_paths: strings,
    select_domains: strings,
    exclude_paths: strings,
    exclude_domains: strings,
    categories: strings,
    allow_external: { type: "boolean", default: true },
    include_usage: flag,
    timeout: { type: "number", minimum: 10, maximum: 150, default: 150 },
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
    chunks_per_source: chunks(5),
    extract_depth: extractDepth,
    format,
    include_images: flag,
    include_favicon: flag,
  },
}
