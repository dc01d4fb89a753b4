import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { parseArgs, promisify } from "node:util"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

import { pause } from "#base/flow/pause.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort } from "#base/testing/free-port.ts"

// Runs whole programs and plugins, unmodified, against a running appliance, one line for each feature; see README.md.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Folder with the Dify plugins, each in its own subfolder. */
    dify: { type: "string" },
    /** A Python with `dify-plugin` and the plugins' packages. */
    "dify-python": { type: "string" },
    /** The program `litellm`. */
    litellm: { type: "string" },
    /** Folder with the source of Vane at its top level. */
    vane: { type: "string" },
  },
})
const [address = "", key = ""] = positionals
const base = address.replace(/\/+$/, "")
const site = `${base}/docs/`
const question = "how do I schedule a crawl?"
const page = "schedule-a-crawl"

interface Program {
  readonly registry: string
  readonly client: string
  readonly version: string
  readonly api: string
}

async function tried(
  program: Program,
  abilities: Readonly<Record<string, () => Promise<string>>>,
  expected = page,
): Promise<void> {
  const { registry, client, version, api } = program
  for (const [ability, run] of Object.entries(abilities)) {
    const said = await run().catch((error: unknown) => String(error))
    const good = said.includes(expected)
    const problem = good ? "" : said.replaceAll(/\s+/g, " ").slice(0, 200)
    const fields = [registry, client, version, api, ability, good ? "ok" : "FAIL", problem]
    process.stdout.write(`${fields.join("\t")}\n`)
  }
}

/** A plugin run as Dify's daemon runs it: one process that gets its instructions over standard input. */
async function difyPlugin(folder: string, request: object): Promise<string> {
  const child = spawn(values["dify-python"]!, ["-m", "main"], {
    cwd: folder,
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  })
  endWithUs(child)
  const data = { user_id: "someone", ...request }
  child.stdin.write(`${JSON.stringify({ session_id: "one", event: "request", data })}\n`)
  let said = ""
  for await (const line of createInterface({ input: child.stdout })) {
    const message = line.startsWith("{") ? (JSON.parse(line) as { event?: string; data?: DifyData }) : {}
    if (message.event !== "session") continue
    if (message.data?.type === "end") break
    said += JSON.stringify(message.data)
    if (message.data?.type === "error") break
  }
  child.kill("SIGKILL")
  return said
}
interface DifyData {
  readonly type: string
}

async function dify(): Promise<void> {
  const tool = (folder: string, name: string, credentials: object, tool_parameters: object) => () =>
    difyPlugin(join(values.dify!, folder), {
      type: "tool",
      action: "invoke_tool",
      provider: folder.split("/")[1],
      tool: name,
      credentials,
      tool_parameters,
    })
  const datasource = (folder: string, action: string, request: object) => () =>
    difyPlugin(join(values.dify!, folder), {
      type: "datasource",
      action,
      provider: /\/([a-z]+)/.exec(folder)![1],
      ...request,
    })
  const named = (folder: string, api: string): Program => ({
    registry: "GitHub",
    client: `Dify: ${folder}`,
    version: /^version: (\S+)/m.exec(readFileSync(join(values.dify!, folder, "manifest.yaml"), "utf8"))![1]!,
    api,
  })
  const firecrawl = { firecrawl_api_key: key, base_url: base }
  const url = `${site}${page}`
  await tried(named("tools/firecrawl", "Firecrawl"), {
    search: tool("tools/firecrawl", "search", firecrawl, { query: question }),
    scrape: tool("tools/firecrawl", "scrape", firecrawl, { url, formats: "markdown" }),
    map: tool("tools/firecrawl", "map", firecrawl, { url: site, limit: 100 }),
    crawl: tool("tools/firecrawl", "crawl", firecrawl, { url, limit: 1, formats: "markdown" }),
  })
  const source = "datasources/firecrawl_datasource"
  await tried(named(source, "Firecrawl"), {
    crawl: datasource(source, "invoke_website_datasource_get_crawl", {
      datasource: "crawl",
      credentials: firecrawl,
      datasource_parameters: { url, limit: 1 },
    }),
  })
  await tried(
    named(source, "Firecrawl"),
    { credentials: datasource(source, "validate_datasource_credentials", { credentials: firecrawl }) },
    '"result":true',
  )
  const searxng = { searxng_base_url: `${base.replace("://", `://:${key}@`)}/searxng` }
  await tried(named("tools/searxng", "SearXNG"), {
    search: tool("tools/searxng", "searxng_search", searxng, { query: question, search_type: "general" }),
  })
  // The program's address is fixed: see with-front.sh.
  if (process.env["FRONT"] === undefined) return
  const tavily = { tavily_api_key: key }
  await tried(named("tools/tavily", "Tavily"), {
    search: tool("tools/tavily", "tavily_search", tavily, { query: question, max_results: 3 }),
    extract: tool("tools/tavily", "tavily_extract", tavily, { urls: url }),
    crawl: tool("tools/tavily", "tavily_crawl", tavily, { url, limit: 1 }),
    map: tool("tools/tavily", "tavily_map", tavily, { url: site, limit: 100 }),
    research: tool("tools/tavily", "tavily_research", tavily, { input: question, model: "mini" }),
  })
  const extracting = "datasources/tavily_datasource"
  await tried(named(extracting, "Tavily"), {
    search: datasource(extracting, "invoke_website_datasource_get_crawl", {
      provider: "tavily_datasource",
      datasource: "search_extract",
      credentials: tavily,
      datasource_parameters: { query: question },
    }),
  })
}

/** The LiteLLM proxy, with the appliance as a search tool, an embedding model and a tool server. */
async function litellm(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fossick-litellm-"))
  const port = await freePort()
  const master = "sk-fossick-of-the-check-4f7a19c2e8b35d60"
  const tools = { tavily: base, firecrawl: `${base}/v2/search`, searxng: `${base}/searxng` }
  const search_tools = Object.entries(tools).map(([search_provider, api_base]) => ({
    search_tool_name: `fossick-${search_provider}`,
    litellm_params: { search_provider, api_base, api_key: "os.environ/SEARCH_KEY" },
  }))
  const model = { model: "openai/default", api_base: `${base}/v1`, api_key: "os.environ/SEARCH_KEY" }
  const server = { url: `${base}/mcp`, transport: "http", auth_type: "bearer_token", auth_value: key }
  // The configuration is written as JSON, which is valid YAML.
  await writeFile(
    join(folder, "config.yaml"),
    JSON.stringify({
      model_list: [{ model_name: "fossick", litellm_params: model }],
      search_tools,
      mcp_servers: { fossick: server },
      general_settings: { master_key: master },
    }),
  )
  const args = ["--config", "config.yaml", "--port", String(port), "--host", "127.0.0.1"]
  const env = { ...process.env, SEARCH_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: "True" }
  const child = spawn(values.litellm!, args, { cwd: folder, env, detached: true, stdio: "ignore" })
  endWithUs(child)
  const url = `http://127.0.0.1:${port}`
  const headers = { Authorization: `Bearer ${master}`, "Content-Type": "application/json" }
  const post = (path: string, body: object) => async () => {
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    return await response.text()
  }
  try {
    await answering(child, `${url}/health/liveliness`)
    const installed = join(values.litellm!, "../python")
    const { stdout } = await promisify(execFile)(installed, [
      "-c",
      "from importlib.metadata import version; print(version('litellm'))",
    ])
    const named = (api: string): Program => ({
      registry: "PyPI",
      client: "litellm[proxy]",
      version: stdout.trim(),
      api,
    })
    for (const [provider, api] of [
      ["tavily", "Tavily"],
      ["firecrawl", "Firecrawl"],
      ["searxng", "SearXNG"],
    ] as const)
      await tried(named(api), {
        search: post(`/v1/search/fossick-${provider}`, { query: question, max_results: 5 }),
      })
    await tried(
      named("OpenAI"),
      { embeddings: post("/v1/embeddings", { model: "fossick", input: [question] }) },
      '"embedding":[',
    )
    await tried(named("MCP"), {
      search: async () => {
        const client = new Client({ name: "check", version: "1" })
        const requestInit = { headers: { "x-litellm-api-key": `Bearer ${master}` } }
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/`), { requestInit }))
        const { tools: listed } = await client.listTools()
        const { name } = listed.find((one) => one.name.endsWith("tavily_search"))!
        const found = await client.callTool({ name, arguments: { query: question } })
        await client.close()
        return JSON.stringify(found)
      },
    })
  } finally {
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Vane's search module, with the address from a stand-in for its configuration. The appliance has `FOSSICK_SEARXNG_KEY`
 * set.
 */
async function vane(): Promise<void> {
  const stated = `export const getSearxngURL = () => ${JSON.stringify(`${base}/searxng`)}`
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "./config/serverRegistry"
        ? { url: `data:text/javascript,${encodeURIComponent(stated)}`, shortCircuit: true }
        : next(specifier, context),
  })
  const { searchSearxng } = (await import(pathToFileURL(join(values.vane!, "src/lib/searxng.ts")).href)) as {
    searchSearxng: (query: string, options?: object) => Promise<unknown>
  }
  const { version } = JSON.parse(readFileSync(join(values.vane!, "package.json"), "utf8")) as {
    version: string
  }
  const academic = { engines: ["arxiv", "google scholar", "pubmed"] }
  await tried(
    { registry: "GitHub", client: "Vane", version, api: "SearXNG" },
    {
      search: async () => JSON.stringify(await searchSearxng(question)),
      "academic search": async () => JSON.stringify(await searchSearxng(question, academic)),
    },
  )
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`)
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await pause(500)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, "exit")
  process.kill(-child.pid!, "SIGKILL")
  await ended
}

if (values.dify !== undefined) await dify()
if (values.vane !== undefined) await vane()
if (values.litellm !== undefined) await litellm()
process.exit(0)
