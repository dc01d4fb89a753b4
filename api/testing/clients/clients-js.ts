import { readFileSync } from "node:fs"
import { join } from "node:path"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

import { base, folder, key, load, outcomeOf, page, question, site } from "./npm-clients.ts"

// Tries the unmodified npm clients of several APIs against a running appliance, one line for each feature; see
// README.md.

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as {
      version: string
    }
  ).version

async function tried(
  client: string,
  api: string,
  abilities: Readonly<Record<string, () => Promise<boolean>>>,
  version = versionOf(client),
): Promise<void> {
  for (const [ability, holds] of Object.entries(abilities)) {
    const { good, problem } = await outcomeOf(holds)
    process.stdout.write(
      `${["npm", client, version, api, ability, good ? "ok" : "FAIL", problem].join("\t")}\n`,
    )
  }
}

const has = (value: unknown, text = page): boolean => JSON.stringify(value).includes(text)

async function tavily(): Promise<void> {
  const core = await load("@tavily/core")
  const client = core.tavily({ apiKey: key, apiBaseURL: base })
  await tried("@tavily/core", "Tavily", {
    search: async () => has(await client.search(question)),
    extract: async () => (await client.extract([site])).results.length === 1,
    crawl: async () => (await client.crawl(site, { limit: 3 })).results.length === 3,
    map: async () => (await client.map(site, { limit: 3 })).results.length === 3,
  })
}

async function tavilyTools(): Promise<void> {
  const langchain = await load("@langchain/tavily")
  const options = { tavilyApiKey: key, apiBaseUrl: base }
  await tried("@langchain/tavily", "Tavily", {
    search: async () => has(await new langchain.TavilySearch(options).invoke({ query: question })),
    extract: async () => has(await new langchain.TavilyExtract(options).invoke({ urls: [site] }), "handbook"),
  })
  const sdk = await load("@tavily/ai-sdk")
  const call = { toolCallId: "1", messages: [] }
  const given = { apiKey: key, apiBaseURL: base }
  await tried("@tavily/ai-sdk", "Tavily", {
    search: async () => has(await sdk.tavilySearch(given).execute({ query: question }, call)),
    extract: async () => has(await sdk.tavilyExtract(given).execute({ urls: [site] }, call), "handbook"),
  })
}

async function firecrawl(): Promise<void> {
  const { default: Firecrawl } = await load("@mendable/firecrawl-js")
  const client = new Firecrawl({ apiKey: key, apiUrl: base })
  const formats = ["markdown"]
  await tried("@mendable/firecrawl-js", "Firecrawl", {
    search: async () => has(await client.search(question)),
    scrape: async () => (await client.scrape(site, { formats })).markdown.includes("handbook"),
    map: async () => (await client.map(site, { limit: 10 })).links.length > 5,
    crawl: async () => (await client.crawl(site, { limit: 3, pollInterval: 1 })).data.length === 3,
    watch: async () => {
      const { id } = await client.startCrawl(site, { limit: 3 })
      const watcher = client.watcher(id, { kind: "crawl" })
      const ended = new Promise((resolve) => watcher.on("done", resolve).on("error", resolve))
      await watcher.start()
      return ((await ended) as { status?: string }).status === "completed"
    },
    "batch scrape": async () =>
      (await client.batchScrape([site], { options: { formats }, pollInterval: 1 })).data.length === 1,
  })
  await viaMcp(
    "firecrawl-mcp",
    "dist/index.js",
    { FIRECRAWL_API_KEY: key, FIRECRAWL_API_URL: base },
    "Firecrawl",
    {
      search: (call) => call("firecrawl_search", { query: question }),
      scrape: (call) => call("firecrawl_scrape", { url: `${site}${page}`, formats: ["markdown"] }),
      map: (call) => call("firecrawl_map", { url: site, limit: 100 }),
    },
  )
}

/** LibreChat's own modules, which the package does not export. */
async function librechat(): Promise<void> {
  const at = "@librechat/agents"
  const from = (name: string) =>
    load(join(folder, "node_modules", at, "dist/esm/tools/search", `${name}.mjs`))
  const { createSearchAPI } = await from("search")
  const { createTavilyScraper } = await from("tavily-scraper")
  const { createFirecrawlScraper } = await from("firecrawl")
  const quiet = { info() {}, warn() {}, error() {}, debug() {} }
  const search = async (config: object) =>
    has(await createSearchAPI({ logger: quiet, ...config }).getSources({ query: question }))
  await tried(at, "Tavily", {
    search: () => search({ searchProvider: "tavily", tavilyApiKey: key, tavilySearchUrl: `${base}/search` }),
    extract: async () =>
      has(
        await createTavilyScraper({ apiKey: key, apiUrl: `${base}/extract`, logger: quiet }).scrapeUrl(site),
        "handbook",
      ),
  })
  await tried(at, "Firecrawl", {
    scrape: async () =>
      has(
        await createFirecrawlScraper({ apiKey: key, apiUrl: base, logger: quiet }).scrapeUrl(site),
        "handbook",
      ),
  })
  await tried(at, "SearXNG", {
    search: () =>
      search({ searchProvider: "searxng", searxngInstanceUrl: `${base}/searxng`, searxngApiKey: key }),
  })
}

/** This client calls api.tavily.com whatever its settings are: see with-front.sh. */
async function fixedAddress(): Promise<void> {
  const env = {
    TAVILY_API_KEY: key,
    NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "",
  }
  await viaMcp("tavily-mcp", "build/index.js", env, "Tavily", {
    search: (call) => call("tavily_search", { query: question }),
    extract: (call) => call("tavily_extract", { urls: [`${site}${page}`] }),
    map: (call) => call("tavily_map", { url: site, limit: 100 }),
  })
}

async function searxng(): Promise<void> {
  await viaMcp(
    "mcp-searxng",
    "dist/cli.js",
    { SEARXNG_URL: `${base}/searxng`, AUTH_USERNAME: "key", AUTH_PASSWORD: key },
    "SearXNG",
    {
      search: (call) => call("searxng_web_search", { query: question }),
    },
  )
}

async function openai(): Promise<void> {
  const { default: OpenAI } = await load("openai")
  const client = new OpenAI({ apiKey: key, baseURL: `${base}/v1` })
  await tried("openai", "OpenAI", {
    "vector store search": async () =>
      has(await client.vectorStores.search("all", { query: question, max_num_results: 3 })),
    "vector stores": async () => {
      const names: string[] = []
      for await (const store of client.vectorStores.list()) names.push(store.id)
      return names.includes("all") && (await client.vectorStores.retrieve("all")).status === "completed"
    },
    embeddings: async () =>
      isUnit((await client.embeddings.create({ model: "default", input: [question] })).data[0].embedding),
    models: async () => (await client.models.list()).data.length === 1,
  })
  const { OpenAIEmbeddings } = await load("@langchain/openai")
  const embedder = new OpenAIEmbeddings({
    apiKey: key,
    model: "default",
    configuration: { baseURL: `${base}/v1` },
  })
  await tried("@langchain/openai", "OpenAI", {
    embeddings: async () => isUnit(await embedder.embedQuery(question)),
  })
  const { createOpenAI } = await load("@ai-sdk/openai")
  const { embed } = await load("ai")
  await tried("@ai-sdk/openai", "OpenAI", {
    embeddings: async () => {
      const model = createOpenAI({ apiKey: key, baseURL: `${base}/v1` }).embeddingModel("default")
      return isUnit((await embed({ model, value: question })).embedding)
    },
  })
}

const isUnit = (vector: readonly number[]): boolean => Math.abs(Math.hypot(...vector) - 1) < 1e-3

type Call = (name: string, given: Record<string, unknown>) => Promise<boolean>

/** A Model Context Protocol server that in turn calls the appliance. */
async function viaMcp(
  name: string,
  program: string,
  env: Record<string, string>,
  api: string,
  abilities: Readonly<Record<string, (call: Call) => Promise<boolean>>>,
): Promise<void> {
  const client = new Client({ name: "check", version: "1" })
  const args = [join(folder, "node_modules", name, program)]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stderr: "ignore",
    }),
  )
  const call: Call = async (tool, given) => has(await client.callTool({ name: tool, arguments: given }))
  await tried(
    name,
    api,
    Object.fromEntries(Object.entries(abilities).map(([ability, run]) => [ability, () => run(call)])),
  )
  await client.close()
}

/** The official Model Context Protocol client, which this repository already has. */
async function mcp(): Promise<void> {
  const client = new Client({ name: "check", version: "1" })
  const headers = { Authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } }),
  )
  const call: Call = async (name, given) => has(await client.callTool({ name, arguments: given }))
  const sdk = "@modelcontextprotocol/sdk"
  const root = join(import.meta.dirname, "../../../node_modules", sdk, "package.json")
  const { version } = JSON.parse(readFileSync(root, "utf8")) as { version: string }
  await tried(
    sdk,
    "MCP",
    {
      search: () => call("search", { query: question }),
      fetch: () => call("fetch", { id: `${site}${page}` }),
      extract: () => call("tavily_extract", { urls: [`${site}${page}`] }),
      resources: async () => (await client.listResources()).resources.length > 0,
    },
    version,
  )
  await client.close()
}

const clients = [tavily, tavilyTools, firecrawl, librechat, searxng, openai, mcp]
if (process.env["FRONT"] !== undefined) clients.push(fixedAddress)
for (const one of clients) {
  await one().catch((error: unknown) =>
    process.stdout.write(`npm\t${one.name}\t\t\tloads\tFAIL\t${String(error).slice(0, 200)}\n`),
  )
}
process.exit(0)
