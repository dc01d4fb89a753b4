import type { JsonSchema } from "../operation/operation.ts"
import { plainField } from "../operation/published.ts"
import { researchSchema } from "../research/request.ts"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "../tavily/schema.ts"
import type { FieldSchema, RequestSchema } from "../wire/validate.ts"
import { crawlText, extractText, mapText, researchText, searchText } from "./answer-text.ts"
import { type Api, degradedNote, type Warned } from "./call-api.ts"
import { fetchPage, searchPages } from "./connector-tools.ts"
import {
  type CrawlOutput,
  crawlOutput,
  extractOutput,
  fetchSchema,
  listSchema,
  mapOutput,
  noteOf,
  pagesSchema,
  reportSchema,
  searchOutput,
  searchResultsSchema,
  walkSchema,
} from "./output.ts"
import { readFailedFromIndex } from "./read-from-index.ts"

/** What a tool gives: the same for models and for programs. */
export interface ToolAnswer {
  readonly text: string
  /** As the tool's output schema says; left out with a failure. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly failed?: boolean
}

type Given = Readonly<Record<string, unknown>>
type ObjectSchema = { readonly type: "object" } & JsonSchema

/** What models can do here. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** What it is good for; models choose by this. */
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** The endpoint that must be served for it. */
  readonly endpoint: string
  /** Whether it asks the web, and not the index alone. */
  readonly isLive: boolean
  /** @throws Refused */
  run(api: Api, given: Given): Promise<ToolAnswer>
}

const idSchema = (name: string, description: string): ObjectSchema => ({
  type: "object",
  properties: { [name]: { type: "string", description } },
  required: [name],
})

/**
 * `search` and `fetch` have the shapes that deep-research clients ask of connectors. The others have the names of tools
 * and parameters of Tavily's MCP server, and the schemas of the endpoints.
 */
export const tools: readonly Tool[] = [
  {
    name: "search",
    title: "Find pages",
    description:
      "Finds pages of this index that answer a question. Gives ids, titles and addresses for `fetch`, best first; no results means that nothing here fits.",
    inputSchema: idSchema("query", "The question, in plain words."),
    outputSchema: searchResultsSchema,
    endpoint: "/search",
    isLive: false,
    run: searchPages,
  },
  {
    name: "fetch",
    title: "Read a page of the index",
    description:
      "Gives the whole text of a page of this index as the crawler last read it, also of pages behind a login, with the dates of publication and of the last check.",
    inputSchema: idSchema("id", "An id from `search`, or the address of a page."),
    outputSchema: fetchSchema,
    endpoint: "/pages",
    isLive: false,
    run: fetchPage,
  },
  {
    name: "tavily_search",
    title: "Search",
    description:
      "Searches this index and gives the best pages with the passages that answer, their score (the chance that the page answers), source, section and dates. `include_answer` adds cited sentences. Says so when nothing here fits.",
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
        // Models like to fill in all three; the endpoint takes either the one or the others.
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
      "Reads pages at known addresses from the web, now. What cannot be read there but is in this index comes from the index, and says so. With `query` only the passages nearest to it. For a page that a search found, `fetch` is quicker.",
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
      "Walks a site on the web from an address, along its links, and gives the text of its pages. Takes up to 150 seconds; `instructions` say which pages are wanted.",
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
      "Walks a site on the web from an address and gives the addresses of its pages, without their text.",
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
  {
    name: "tavily_research",
    title: "Research",
    description:
      "Searches this index for a question from many sides and gives a report in which every sentence names its source. Takes from seconds to minutes.",
    inputSchema: pick(researchSchema, ["input", "model"]),
    outputSchema: reportSchema,
    endpoint: "/research",
    isLive: false,
    run: async (api, given) => {
      const answer = (await api.post("/research", given)) as {
        readonly content?: unknown
        readonly sources?: readonly { readonly title: string; readonly url: string }[]
      }
      const { content, sources = [] } = answer
      if (content === undefined) return { text: researchText(answer), failed: true }
      return warned(answer, {
        text: researchText(answer),
        structured: {
          ...noteOf(degradedNote(answer)),
          content,
          sources: sources.map(({ title, url }) => ({ title, url })),
        },
      })
    },
  },
]

/** What a tool gives, with the warnings that its answer carries. */
function warned(answer: unknown, given: ToolAnswer): ToolAnswer {
  const warnings = ((answer as Warned).warnings ?? []).map(({ text }) => text)
  if (warnings.length === 0) return given
  return {
    ...given,
    text: [given.text, ...warnings.map((one) => `Note: ${one}`)].join("\n\n"),
    ...(given.structured && { structured: { ...given.structured, warnings } }),
  }
}

function pick<T>(schema: RequestSchema<T>, names: readonly (keyof T & string)[]): ObjectSchema {
  const fields = new Map(Object.entries<FieldSchema>(schema.properties))
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, plainField(fields.get(name)!)])),
    required: schema.required,
  }
}
