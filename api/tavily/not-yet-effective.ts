/**
 * Parameters that are checked today and change nothing yet, by endpoint. The handbook's page of the same name
 * must list exactly these; a test compares the two.
 */
export const NOT_YET_EFFECTIVE = {
  search: [
    "search_depth",
    "topic",
    "country",
    "language",
    "safe_search",
    "auto_parameters",
    "include_answer",
    "include_domains_mode",
  ],
  extract: ["extract_depth"],
  crawl: ["extract_depth", "instructions"],
  map: ["instructions"],
} as const satisfies Readonly<Record<string, readonly string[]>>
