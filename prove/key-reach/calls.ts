import type { Chance } from "#base/testing/chance.ts"
import { type SecretPage, SOURCES } from "./world.ts"

/** A call that tries to get at a page. */
export interface Try {
  /** For the table. */
  readonly of: string
  readonly path: string
  /** POST; left out: GET. */
  readonly body?: Readonly<Record<string, unknown>>
  /** A tool of MCP instead of a path. */
  readonly tool?: string
  /** A task: its answer is to be waited for at this path, with its id behind it. */
  readonly task?: string
  /** Pages may name the addresses of others in what is asked for: links, the source of the page. */
  readonly showsLinks?: true
  /** Whoever sees the page is shown it. */
  readonly finds?: true
}

/** What is asked of each call to get at a page. */
export function someTry(page: SecretPage, random: Chance, origin: string): Try {
  const { asked, url, host, sources } = page
  const q = random.one([
    asked,
    `pump seals ${asked}`,
    `"Pumps of kind ${asked}"`,
    `site:${host} ${asked}`,
    `what does ${asked} move?`,
    "pump seals in stock",
  ])
  const live = page.isLive && random.happens(0.3) ? `${origin}/hop/${page.number}` : url
  const query = (path: string, given: Readonly<Record<string, string>>) =>
    `${path}?${new URLSearchParams(given).toString()}`
  const narrowing = random.one<Readonly<Record<string, unknown>>>([
    {},
    { include_domains: [host] },
    { sources: random.one(SOURCES) },
    { sources: [...sources] },
    { collections: "c0" },
    { exclude_domains: ["example.com"] },
    { exact_match: true },
    { search_depth: random.one(["ultra-fast", "fast", "basic", "advanced"]) },
  ])
  const shows = random.one<Readonly<Record<string, unknown>>>([
    {},
    { include_answer: random.one([true, "advanced"]) },
    { include_raw_content: true, include_images: true, include_image_descriptions: true },
    { include_facets: ["source", "domain", "path", "language"] },
    { include_evidence: true, include_word_statistics: true },
    { include_usage: true, include_favicon: true, max_results: 20 },
  ])
  return random.one<() => Try>([
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
    ...(random.happens(0.3)
      ? [
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
      : []),
  ])()
}
