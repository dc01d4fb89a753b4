import type { Chance } from "#base/testing/chance.ts"
import { type SecretPage, SOURCES } from "./world.ts"

/** A call that tries to get at a page. */
export interface Try {
  /** The call's name in the table. */
  readonly of: string
  readonly path: string
  /** POST body; if omitted, the call is a GET. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Name of an MCP tool, used instead of a path. */
  readonly tool?: string
  /** For a task: the path, followed by the task's id, at which to wait for the answer. */
  readonly task?: string
  /** Whether the response may contain links or page source in which pages name the addresses of others. */
  readonly showsLinks?: true
  /** Whether a caller who may see the page gets it. */
  readonly finds?: true
}

/** The question with which each call tries to get at a page. */
export function someTry(page: SecretPage, random: Chance, origin: string): Try {
  const { asked, url, host } = page
  const asking: Asking = {
    page,
    random,
    q: random.one([
      asked,
      `pump seals ${asked}`,
      `"Pumps of kind ${asked}"`,
      `site:${host} ${asked}`,
      `what does ${asked} move?`,
      "pump seals in stock",
    ]),
    live: page.isLive && random.happens(0.3) ? `${origin}/hop/${page.number}` : url,
    narrowing: someNarrowing(page, random),
    shows: someShown(random),
  }
  return random.one<() => Try>([
    ...searches(asking),
    ...readings(asking),
    ...toolsOfMcp(asking),
    ...otherDoors(asking),
    ...(random.happens(0.3) ? tasks(asking) : []),
  ])()
}

/** The random values that all calls of one try share. */
interface Asking {
  readonly page: SecretPage
  readonly random: Chance
  /** A question. */
  readonly q: string
  /** The page's address, or one that redirects to it. */
  readonly live: string
  /** Parameters of a search: what it may find, and what it shows. */
  readonly narrowing: Given
  readonly shows: Given
}

type Given = Readonly<Record<string, unknown>>

const someNarrowing = ({ host, sources }: SecretPage, random: Chance): Given =>
  random.one<Given>([
    {},
    { include_domains: [host] },
    { sources: random.one(SOURCES) },
    { sources: [...sources] },
    { collections: "c0" },
    { exclude_domains: ["example.com"] },
    { exact_match: true },
    { search_depth: random.one(["ultra-fast", "fast", "basic", "advanced"]) },
  ])

const someShown = (random: Chance): Given =>
  random.one<Given>([
    {},
    { include_answer: random.one([true, "advanced"]) },
    { include_raw_content: true, include_images: true, include_image_descriptions: true },
    { include_facets: ["source", "domain", "path", "language"] },
    { include_evidence: true, include_word_statistics: true },
    { include_usage: true, include_favicon: true, max_results: 20 },
  ])

const query = (path: string, given: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(given).toString()}`

function searches({ page, random, q, live, narrowing, shows }: Asking): (() => Try)[] {
  const { asked, url } = page
  return [
    () => ({ of: "search", path: "/search", body: { query: asked, max_results: 20 }, finds: true }),
    () => ({ of: "search", path: "/search", body: { query: q, ...narrowing, ...shows } }),
    () => ({ of: "answers", path: "/search", body: { query: q, include_answer: "advanced", ...narrowing } }),
    () => ({
      of: "facets",
      path: "/search",
      body: { query: q, include_facets: ["source", "domain", "path", "type", "published"], ...narrowing },
    }),
    () => ({
      of: "suggestions",
      path: query("/suggest", {
        q: random.one([`Pump ${asked}`, asked.slice(0, 6), "Seals of", "Pump"]),
        limit: "20",
      }),
    }),
    () => ({ of: "suggestions", path: query("/suggest/opensearch", { q: asked }) }),
    () => ({
      of: "stored pages",
      path: query("/pages", { url: live }),
      showsLinks: true,
      ...(page.url === live && { finds: true }),
    }),
    () => ({ of: "stored pages", path: `/read/${live}`, showsLinks: true }),
    () => ({
      of: "stored pages",
      path: query("/thumbnails", { page: url, image: "https://images.example.net/a.png" }),
    }),
    () => ({ of: "sources", path: "/sources" }),
  ]
}

function readings({ page: { asked, url }, random, live }: Asking): (() => Try)[] {
  return [
    () => ({
      of: "extract",
      path: "/extract",
      body: {
        urls: [live, url],
        ...(random.happens(0.3) && { query: asked }),
        extract_depth: random.one(["basic", "advanced"]),
        include_images: true,
      },
    }),
    () => ({
      of: "crawl and map",
      path: "/map",
      body: { url: live, max_depth: 2, limit: 8, allow_external: true },
    }),
    () => ({
      of: "crawl and map",
      path: "/crawl",
      body: { url: live, max_depth: 2, limit: 5, include_images: true },
    }),
  ]
}

const toolsOfMcp = ({ page: { url }, q, live, narrowing }: Asking): (() => Try)[] => [
  () => ({
    of: "MCP",
    path: "/mcp",
    tool: "tavily_search",
    body: { query: q, ...narrowing, include_raw_content: true },
  }),
  () => ({ of: "MCP", path: "/mcp", tool: "search", body: { query: q } }),
  () => ({ of: "MCP", path: "/mcp", tool: "fetch", body: { id: url }, showsLinks: true }),
  () => ({ of: "MCP", path: "/mcp", tool: "tavily_extract", body: { urls: [live] } }),
  () => ({ of: "MCP", path: "/mcp", tool: "tavily_map", body: { url: live, max_depth: 2, limit: 5 } }),
]

function otherDoors({ page: { asked }, random, q, live }: Asking): (() => Try)[] {
  return [
    () => ({
      of: "Firecrawl",
      path: "/v2/scrape",
      body: { url: live, formats: ["markdown", "html", "rawHtml", "links", "summary"] },
      showsLinks: true,
    }),
    () => ({
      of: "Firecrawl",
      path: random.one(["/v2/search", "/v1/search"]),
      body: { query: q, limit: 10 },
    }),
    () => ({
      of: "Firecrawl",
      path: "/v2/search",
      body: { query: q, limit: 5, scrapeOptions: { formats: ["markdown"] } },
    }),
    () => ({ of: "Firecrawl", path: "/v2/map", body: { url: live, search: asked, limit: 10 } }),
    () => ({
      of: "SearXNG",
      path: query("/searxng/search", { q, format: random.one(["json", "rss", "csv", "html"]) }),
    }),
    () => ({ of: "SearXNG", path: query("/searxng/autocompleter", { q: `Pump ${asked}` }) }),
    () => ({
      of: "OpenAI",
      path: `/v1/vector_stores/${random.one(["all", "c0", "c1", "gone"])}/search`,
      body: {
        query: q,
        max_num_results: 20,
        ...(random.happens(0.3) && { filters: { type: "eq", key: "source", value: random.one(SOURCES) } }),
      },
    }),
    () => ({ of: "OpenAI", path: "/v1/vector_stores" }),
    () => ({ of: "Open WebUI", path: "/openwebui/search", body: { query: q, count: 10 } }),
    () => ({ of: "Open WebUI", path: "/openwebui/load", body: { urls: [live] } }),
  ]
}

/** Calls that begin a task. */
const tasks = ({ page: { url, host }, random, q, live }: Asking): (() => Try)[] => [
  () => ({
    of: "research",
    path: "/research",
    task: "/research/",
    body: { input: q, model: "mini", ...(random.happens(0.3) && { include_domains: [host] }) },
  }),
  () => ({
    of: "Firecrawl",
    path: "/v2/crawl",
    task: "/v2/crawl/",
    body: { url: live, limit: 3 },
    showsLinks: true as const,
  }),
  () => ({
    of: "Firecrawl",
    path: "/v2/batch/scrape",
    task: "/v2/batch/scrape/",
    body: { urls: [live, url] },
    showsLinks: true as const,
  }),
]
