import type { JsonSchema } from "../openapi/operation.ts"
import { plainField } from "../openapi/published.ts"
import { researchSchema } from "../research/request.ts"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "../tavily/schema.ts"
import type { FieldSchema, RequestSchema } from "../wire/validate.ts"
import { crawlText, extractText, mapText, researchText, searchText } from "./answer-text.ts"

/** An endpoint as a tool for models. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** What it is good for; models choose by this. */
  readonly description: string
  readonly inputSchema: { readonly type: "object" } & JsonSchema
  readonly endpoint: string
  /** The body for the endpoint. */
  toBody(given: Readonly<Record<string, unknown>>): object
  /** Path of what the answer is waited for under, when the call only begins a task. */
  readonly taskOf?: (answer: unknown) => string
  /** A successful answer as text. */
  toText(answer: unknown): string
}

/** Names of tools and parameters are those of Tavily's MCP server. The parameters have the schemas of the endpoints. */
export const tools: readonly Tool[] = [
  {
    name: "tavily_search",
    title: "Search",
    description:
      "Searches the pages that this search engine has crawled and returns the best ones with the passages that answer the query. Use it first for any question that these pages may answer.",
    inputSchema: pick(searchSchema, [
      "query",
      "search_depth",
      "topic",
      "time_range",
      "start_date",
      "end_date",
      "max_results",
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
    ]),
    endpoint: "/search",
    toBody: ({ time_range, ...given }) => ({
      ...given,
      // Models like to fill in all three; the endpoint takes either the one or the others.
      ...(!given["start_date"] && !given["end_date"] && { time_range }),
      ...(given["country"] ? { topic: "general" } : {}),
    }),
    toText: searchText,
  },
  {
    name: "tavily_extract",
    title: "Read pages",
    description:
      "Reads web pages at known addresses now and returns their text. With `query` only the passages nearest to it.",
    inputSchema: pick(extractSchema, [
      "urls",
      "extract_depth",
      "include_images",
      "format",
      "include_favicon",
      "query",
    ]),
    endpoint: "/extract",
    toBody: (given) => given,
    toText: extractText,
  },
  {
    name: "tavily_crawl",
    title: "Walk a site",
    description:
      "Walks a site from an address, following its links, and returns the text of its pages. Takes up to 150 seconds; `instructions` say which pages are wanted.",
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
    endpoint: "/crawl",
    toBody: (given) => given,
    toText: crawlText,
  },
  {
    name: "tavily_map",
    title: "Map a site",
    description: "Walks a site from an address and returns the addresses of its pages, without their text.",
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
    endpoint: "/map",
    toBody: (given) => given,
    toText: mapText,
  },
  {
    name: "tavily_research",
    title: "Research",
    description:
      "Searches for a question from many sides and returns a report in which every sentence names its source. Takes from seconds to minutes.",
    inputSchema: pick(researchSchema, ["input", "model"]),
    endpoint: "/research",
    toBody: (given) => given,
    taskOf: (answer) => `/research/${(answer as { readonly request_id: string }).request_id}`,
    toText: researchText,
  },
]

function pick<T>(schema: RequestSchema<T>, names: readonly (keyof T & string)[]): Tool["inputSchema"] {
  const fields = new Map(Object.entries<FieldSchema>(schema.properties))
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, plainField(fields.get(name)!)])),
    required: schema.required,
  }
}
