/** The calls for which Tavily's clients build the body from named options. */
export type ClientCall = "search" | "extract" | "crawl" | "map" | "research" | "feedback"

interface ClientFields {
  readonly client: string
  readonly version: string
  /** The fields of each body, as they are sent. */
  readonly sent: Readonly<Record<ClientCall, readonly string[]>>
}

const EXTRACT = [
  "urls",
  "include_images",
  "extract_depth",
  "format",
  "timeout",
  "include_favicon",
  "include_usage",
  "query",
  "chunks_per_source",
]
const CRAWL = [
  "url",
  "max_depth",
  "max_breadth",
  "limit",
  "instructions",
  "select_paths",
  "select_domains",
  "exclude_paths",
  "exclude_domains",
  "allow_external",
  "include_images",
  "extract_depth",
  "format",
  "timeout",
  "include_favicon",
  "include_usage",
  "chunks_per_source",
]
const ONLY_CRAWL = new Set([
  "include_images",
  "extract_depth",
  "format",
  "include_favicon",
  "chunks_per_source",
])
const MAP = CRAWL.filter((field) => !ONLY_CRAWL.has(field))
const RESEARCH = ["input", "model", "output_schema", "stream", "citation_format"]
const FEEDBACK = [
  "session_id",
  "request_id",
  "agent_score",
  "human_score",
  "extra_scores",
  "comment",
  "response_delivered",
  "used_urls",
  "used_ids",
  "used_citations",
  "urls_scores",
]
const SEARCH = [
  "query",
  "search_depth",
  "topic",
  "time_range",
  "start_date",
  "end_date",
  "days",
  "max_results",
  "include_domains",
  "exclude_domains",
  "include_domains_mode",
  "include_answer",
  "include_raw_content",
  "include_images",
  "country",
  "auto_parameters",
  "include_favicon",
  "include_usage",
  "exact_match",
  "fetch_timeout",
  "cache_fallback",
  "language",
  "filter_by_language",
]

/**
 * The fields that the newest clients can send, according to the signatures of their methods. Before naming a newer
 * version here, read its signatures again.
 */
export const NEWEST_CLIENTS: readonly ClientFields[] = [
  {
    client: "tavily-python",
    version: "0.8.5",
    sent: {
      search: [...SEARCH, "max_age_hours"],
      extract: EXTRACT,
      crawl: CRAWL,
      map: [...MAP, "include_images"],
      research: RESEARCH,
      feedback: FEEDBACK,
    },
  },
  {
    client: "tavily-cli",
    version: "0.1.8",
    sent: {
      search: [
        "query",
        "search_depth",
        "max_results",
        "topic",
        "time_range",
        "start_date",
        "end_date",
        "include_domains",
        "exclude_domains",
        "country",
        "include_answer",
        "include_raw_content",
        "include_images",
        "include_image_descriptions",
        "chunks_per_source",
      ],
      extract: ["urls", "query", "chunks_per_source", "extract_depth", "format", "include_images", "timeout"],
      crawl: CRAWL.filter((field) => field !== "include_favicon" && field !== "include_usage"),
      map: MAP.filter((field) => field !== "include_usage"),
      research: RESEARCH,
      feedback: [],
    },
  },
  {
    client: "@tavily/core",
    version: "0.7.13",
    sent: {
      search: [...SEARCH, "max_hours", "include_image_descriptions", "chunks_per_source"],
      extract: EXTRACT,
      crawl: CRAWL,
      map: MAP,
      research: RESEARCH,
      feedback: FEEDBACK,
    },
  },
]
