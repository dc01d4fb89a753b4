import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"

import {
  base,
  check,
  folder,
  key,
  load,
  type Loose,
  page,
  question,
  refusal,
  site,
} from "./clients/npm-clients.ts"

// Runs the unmodified npm clients of Tavily against a running appliance. Not part of `npm test`: together they are
// larger than everything it needs. They are installed in a folder of their own:
//
// mkdir /tmp/clients && cd /tmp/clients && npm init -y && npm install @tavily/core@0.7.13 \
// @langchain/tavily@1.2.0 @langchain/core@1.2.13 @tavily/ai-sdk@0.5.0 ai@6 zod@4 tavily-mcp@0.2.22 npx node
// api/testing/npm-clients-check.ts /tmp/clients http://localhost:8080 <api key>
//
// The handbook of the appliance is the site they read, so the appliance must allow itself:
// FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check passes.

const task = "How is a crawl scheduled, and how often are pages visited again?"

const holdsPage = (results: readonly { readonly url: string }[]) =>
  results.some((one) => one.url.includes(page))

/** Waits until a report has ended. */
async function ended(ask: () => Promise<Loose>): Promise<Loose> {
  for (;;) {
    const report = await ask()
    if (report.status === "completed" || report.status === "failed") return report
    await pause(200)
  }
}

async function core(): Promise<void> {
  const { tavily } = await load("@tavily/core")
  const client = tavily({ apiKey: key, apiBaseURL: base, projectId: "clients", humanId: "someone" })
  await check("core: search", async () => holdsPage((await client.search(question)).results))
  await check("core: a slash at the end of the address", async () =>
    holdsPage((await tavily({ apiKey: key, apiBaseURL: `${base}/` }).search(question)).results),
  )
  await check("core: searchQNA", async () => String(await client.searchQNA(question, {})).includes("[1]"))
  await check("core: searchContext", async () =>
    String(await client.searchContext(question, {})).includes(page),
  )
  await check("core: extract", async () => {
    const read = await client.extract([site, "no address"])
    return read.results.length === 1 && read.failedResults.length === 1
  })
  await check("core: crawl", async () => (await client.crawl(site, { limit: 3 })).results.length === 3)
  await check("core: map", async () => (await client.map(site, { limit: 3 })).results.length === 3)
  await check("core: feedback", async () => {
    const { requestId } = await client.search(question)
    return (await client.feedback({ requestId, humanScore: 1 })).success === true
  })
  await check("core: research", async () => {
    const { requestId } = await client.research(task, { model: "mini" })
    const report = await ended(() => client.getResearch(requestId))
    return report.content.includes("[1]") && holdsPage(report.sources)
  })
  await check("core: research as a stream", async () => {
    const stream = await client.research(task, { model: "mini", stream: true })
    return (await text(stream)).includes("event: done")
  })
  await check("core: an error keeps its text", async () =>
    (await refusal(client.search("x", { topic: "sports" }))).includes("Invalid topic"),
  )
  await check("core: a wrong key", async () =>
    (await refusal(tavily({ apiKey: "nope", apiBaseURL: base }).search("x"))).includes("invalid API key"),
  )
}

async function langchain(): Promise<void> {
  const tools = await load("@langchain/tavily")
  const options = { tavilyApiKey: key, apiBaseUrl: base }
  await check("langchain: search", async () =>
    holdsPage((await new tools.TavilySearch(options).invoke({ query: question })).results),
  )
  await check("langchain: extract", async () => {
    const read = await new tools.TavilyExtract(options).invoke({ urls: [site] })
    return read.results.length === 1
  })
  await check("langchain: crawl without instructions", async () => {
    const read = await new tools.TavilyCrawl({ ...options, limit: 3 }).invoke({ url: site })
    return read.results.length === 3
  })
  await check("langchain: map", async () => {
    const found = await new tools.TavilyMap({ ...options, limit: 3 }).invoke({ url: site })
    return found.results.length === 3
  })
  await check("langchain: research", async () => {
    const begun = await new tools.TavilyResearch(options).invoke({ input: task, model: "mini" })
    const again = new tools.TavilyGetResearch(options)
    const report = await ended(() => again.invoke({ requestId: begun.request_id }))
    return report.content.includes("[1]")
  })
}

async function aiSdk(): Promise<void> {
  const tools = await load("@tavily/ai-sdk")
  const options = { apiKey: key, apiBaseURL: base }
  const call = { toolCallId: "1", messages: [] }
  await check("ai-sdk: search, with the key in the body", async () =>
    holdsPage(
      (await tools.tavilySearch({ ...options, maxResults: 4 }).execute({ query: question }, call)).results,
    ),
  )
  await check("ai-sdk: extract", async () => {
    const read = await tools.tavilyExtract(options).execute({ urls: [site] }, call)
    return read.results.length === 1
  })
  await check("ai-sdk: crawl", async () => {
    const read = await tools.tavilyCrawl({ ...options, limit: 3 }).execute({ url: site }, call)
    return read.results.length === 3
  })
  await check("ai-sdk: map", async () => {
    const found = await tools.tavilyMap({ ...options, limit: 3 }).execute({ url: site }, call)
    return found.results.length === 3
  })
}

/** Tavily's own Model Context Protocol server, which has no setting for the address: its requests are redirected here. */
async function mcp(): Promise<void> {
  const preload = join(folder, "lead-here.mjs")
  await writeFile(
    preload,
    `import axios from "axios"
const create = axios.create.bind(axios)
axios.create = (options) => {
  const instance = create(options)
  instance.interceptors.request.use((request) => {
    request.url = request.url.replace("https://api.tavily.com", process.env.LEAD_TO)
    return request
  })
  return instance
}`,
  )
  const client = new Client({ name: "check", version: "1" })
  try {
    const program = join(folder, "node_modules/tavily-mcp/build/index.js")
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ["--import", pathToFileURL(preload).href, program],
        env: { TAVILY_API_KEY: key, LEAD_TO: base, PATH: process.env["PATH"] ?? "" },
        stderr: "ignore",
      }),
    )
    const call = async (name: string, given: Record<string, unknown>) => {
      const { content } = (await client.callTool({ name, arguments: given })) as CallToolResult
      return content[0]?.type === "text" ? content[0].text : ""
    }
    await check("tavily-mcp: search", async () =>
      (await call("tavily_search", { query: question, country: "France", max_results: 5 })).includes(page),
    )
    await check("tavily-mcp: extract", async () =>
      (await call("tavily_extract", { urls: [site] })).includes("handbook"),
    )
    await check("tavily-mcp: crawl", async () =>
      (await call("tavily_crawl", { url: site, limit: 3 })).includes(site),
    )
    await check("tavily-mcp: map", async () =>
      (await call("tavily_map", { url: site, limit: 3 })).includes(site),
    )
    await check("tavily-mcp: research", async () =>
      (await call("tavily_research", { input: task, model: "mini" })).includes("[1]"),
    )
    await check("tavily-mcp: an error keeps its text", async () =>
      (await call("tavily_search", { query: "x", topic: "sports" })).includes("Invalid topic"),
    )
  } finally {
    await client.close()
    await rm(preload)
  }
}

await core()
await langchain()
await aiSdk()
await mcp()
