import { crawlText, extractText, mapText, searchText } from "../../../server/tools/answer-text.ts"
import {
  type CrawlOutput,
  crawlOutput,
  extractOutput,
  listSchema,
  mapOutput,
  pagesSchema,
  searchOutput,
  walkSchema,
} from "../../../server/tools/output.ts"
import { readFailedFromIndex } from "../../../server/tools/read-from-index.ts"
import { pick, warned } from "../../../server/tools/tools.ts"
import type { Tool } from "../../../server/operation/tool.ts"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "../schema.ts"

/** The tools of Tavily's MCP server. */
export const tavilyTools: readonly Tool[] = [
  {
    name: "tavily_search",
    title: "Search",
    description:
      "Searches this index and returns the best pages with the passages that answer the question, their score (the chance that the page answers it), source, section and dates. `include_answer` adds cited sentences. Says so when nothing here fits.",
    inputSchema: pick(searchSchema, [
      "query",
      "search_depth",
      "topic",
      "time_range",
      "start_date",
      "end_date",
      "max_results",
      "include_answer",
      "include_images",
      "include_image_descriptions",
      "include_raw_content",
      "include_domains",
      "exclude_domains",
      "sources",
      "collections",
      "types",
      "country",
      "include_favicon",
      "exact_match",
      "max_age_hours",
      "cache_fallback",
    ]),
    outputSchema: pagesSchema,
    endpoint: "/search",
    isLive: false,
    run: async (api, { time_range, ...given }) => {
      const answer = await api.post("/search", {
        ...given,
        // Models tend to fill in all three; the endpoint accepts either the first or the other two.
        ...(!given["start_date"] && !given["end_date"] && { time_range }),
        ...(given["country"] ? { topic: "general" } : {}),
        include_published_date: true,
      })
      return warned(answer, { text: searchText(answer), structured: searchOutput(answer) })
    },
  },
  {
    name: "tavily_extract",
    title: "Read pages now",
    description:
      "Reads pages at known addresses live from the web. Pages that cannot be read there but are in this index come from the index, and say so. With `query`, returns only the most relevant passages. For a page that a search found, `fetch` is quicker.",
    inputSchema: pick(extractSchema, [
      "urls",
      "extract_depth",
      "include_images",
      "format",
      "include_favicon",
      "query",
    ]),
    outputSchema: listSchema,
    endpoint: "/extract",
    isLive: true,
    run: async (api, given) => {
      const live = await api.post("/extract", given)
      const answer = await readFailedFromIndex(api, live)
      const failed = answer.results.length === 0
      const text = extractText(answer)
      return warned(live, { text, ...(failed ? { failed } : { structured: extractOutput(answer) }) })
    },
  },
  {
    name: "tavily_crawl",
    title: "Walk a site",
    description:
      "Walks a site on the web from an address, along its links, and returns the text of its pages. Takes up to 150 seconds; use `instructions` to say which pages you want.",
    inputSchema: pick(crawlSchema, [
      "url",
      "max_depth",
      "max_breadth",
      "limit",
      "instructions",
      "select_paths",
      "select_domains",
      "allow_external",
      "extract_depth",
      "format",
      "include_favicon",
    ]),
    outputSchema: walkSchema,
    endpoint: "/crawl",
    isLive: true,
    run: async (api, given) => {
      const answer = (await api.post("/crawl", given)) as CrawlOutput
      return warned(answer, { text: crawlText(answer), structured: crawlOutput(answer) })
    },
  },
  {
    name: "tavily_map",
    title: "Map a site",
    description:
      "Walks a site on the web from an address and returns the addresses of its pages, without their text.",
    inputSchema: pick(mapSchema, [
      "url",
      "max_depth",
      "max_breadth",
      "limit",
      "instructions",
      "select_paths",
      "select_domains",
      "allow_external",
    ]),
    outputSchema: mapOutput.schema,
    endpoint: "/map",
    isLive: true,
    run: async (api, given) => {
      const answer = await api.post("/map", given)
      return warned(answer, { text: mapText(answer), structured: mapOutput.of(answer) })
    },
  },
]
