/**
 * Parameters that are checked today and change nothing yet, by endpoint. The handbook's page of the same name
 * must list exactly these; a test compares the two.
 */
export const NOT_YET_EFFECTIVE = {
  search: [],
  extract: ["extract_depth"],
  crawl: ["extract_depth"],
  map: [],
} as const satisfies Readonly<Record<string, readonly string[]>>
