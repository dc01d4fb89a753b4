import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

import { pause } from "#base/flow/pause.ts"

// Runs unmodified n8n nodes with n8n's own executor (n8n-core) against a running appliance, one line for each feature;
// see README.md. Workflows and credentials, which n8n's server keeps in its database, are passed in here.

const [folder = "", address = "", key = ""] = process.argv.slice(2)
const base = address.replace(/\/+$/, "")
const site = `${base}/docs/`
const question = "how do I schedule a crawl?"
const page = "schedule-a-crawl"

// oxlint-disable-next-line typescript/no-explicit-any -- n8n, of which no types are installed here
type Loose = any

process.env["N8N_USER_FOLDER"] = folder
const load = createRequire(join(folder, "package.json"))
const { Workflow, ICredentialsHelper, createRunExecutionData } = load("n8n-workflow")
const { WorkflowExecute, LazyPackageDirectoryLoader, ExecutionLifecycleHooks } = load("n8n-core")

const PACKAGES = [
  "n8n-nodes-base",
  "@n8n/n8n-nodes-langchain",
  "@mendable/n8n-nodes-firecrawl",
  "n8n-nodes-mcp",
]
const loaders = new Map<string, Loose>()
for (const name of PACKAGES) {
  const loader = new LazyPackageDirectoryLoader(join(folder, "node_modules", name))
  await loader.loadAll()
  loaders.set(name, loader)
}

/** `package.node`: the form in which workflows refer to nodes. */
function nodeOf(type: string): Loose {
  const at = type.lastIndexOf(".")
  return loaders.get(type.slice(0, at)).getNode(type.slice(at + 1)).type
}
const nodeTypes = {
  getByName: nodeOf,
  getByNameAndVersion: (type: string, version?: number) => {
    const node = nodeOf(type)
    return node.nodeVersions === undefined ? node : node.getNodeType(version)
  },
  getKnownTypes: () => ({}),
}
const credentialType = (name: string): Loose =>
  [...loaders.values()]
    .find((one) => name in one.known.credentials || name in one.credentialTypes)
    .getCredential(name).type

type Credentials = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Accepts credentials as typed in, and adds them to requests according to their types, as n8n's server does. */
class Given extends ICredentialsHelper {
  readonly credentials: Credentials
  constructor(credentials: Credentials) {
    super()
    this.credentials = credentials
  }
  getParentTypes = () => []
  isCredentialUsableByNode = () => true
  getDecrypted = async (_: unknown, __: unknown, type: string) => ({ ...this.credentials[type] })
  getCredentialsProperties = (type: string) => credentialType(type).properties
  preAuthentication = async () => undefined
  runPreAuthentication = async () => undefined
  authenticate = async (given: Loose, type: string, options: Loose, workflow: Loose, node: Loose) => {
    const { authenticate } = credentialType(type)
    if (typeof authenticate === "function") return await authenticate(given, options)
    const resolved = (text: string) =>
      workflow.expression.getSimpleParameterValue(
        node,
        text,
        "internal",
        { $credentials: given },
        undefined,
        "",
      )
    for (const [part, fields] of Object.entries<Record<string, string>>(authenticate?.properties ?? {})) {
      options[part] ??= {}
      for (const [name, text] of Object.entries(fields)) options[part][resolved(name)] = resolved(text)
    }
    return options
  }
}

const ADDRESSES = [
  "instanceBaseUrl",
  "restApiUrl",
  "webhookBaseUrl",
  "webhookWaitingBaseUrl",
  "webhookTestBaseUrl",
  "formWaitingBaseUrl",
]

/** The output of a single node run after a trigger, on one item. */
async function ran(
  type: string,
  parameters: object,
  credentials: Credentials,
  { typeVersion = 1, json = {} }: { readonly typeVersion?: number; readonly json?: object } = {},
): Promise<string> {
  const named = Object.keys(credentials).map((name) => [name, { id: name, name }])
  const nodes = [
    { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, parameters: {} },
    { name: "Asked", type, typeVersion, parameters, credentials: Object.fromEntries(named) as object },
  ].map((node, at) => ({ ...node, id: String(at), position: [0, 0] }))
  const connections = { Start: { main: [[{ node: "Asked", type: "main", index: 0 }]] } }
  const workflow = new Workflow({
    id: "one",
    name: "one",
    nodes,
    connections,
    nodeTypes,
    active: false,
    settings: { executionOrder: "v1" },
  })
  const additional = {
    credentialsHelper: new Given(credentials),
    hooks: new ExecutionLifecycleHooks("manual", "1", { id: "one", name: "one", nodes, connections }),
    executionId: "1",
    userId: "1",
    variables: {},
    // n8n's own addresses, which are never called here.
    ...Object.fromEntries(ADDRESSES.map((name) => [name, "http://localhost:5678/"])),
    logAiEvent() {},
    setExecutionStatus() {},
    sendDataToUI() {},
  }
  const started = {
    nodeExecutionStack: [
      {
        node: workflow.getNode("Asked"),
        data: { main: [[{ json }]] },
        source: { main: [{ previousNode: "Start" }] },
      },
    ],
  }
  const executing = new WorkflowExecute(
    additional,
    "manual",
    createRunExecutionData({
      executionData: {
        contextData: {},
        metadata: {},
        waitingExecution: {},
        waitingExecutionSource: {},
        ...started,
      },
    }),
  )
  const { data } = await executing.processRunExecutionData(workflow)
  const { error, runData } = data.resultData
  if (error !== undefined) throw new Error(`${error.message} ${error.description ?? ""}`)
  return JSON.stringify(runData["Asked"][0].data)
}

async function tried(
  name: string,
  api: string,
  abilities: Readonly<Record<string, () => Promise<string>>>,
  expected = page,
): Promise<void> {
  const [client = "", node] = name.split(": ")
  const { version } = JSON.parse(
    readFileSync(join(folder, "node_modules", client, "package.json"), "utf8"),
  ) as { version: string }
  for (const [ability, run] of Object.entries(abilities)) {
    const said = await run().catch((error: unknown) => String(error))
    const good = said.includes(expected)
    const problem = good ? "" : said.replaceAll(/\s+/g, " ").slice(0, 300)
    const shown = node === undefined ? `n8n: ${client}` : `n8n: ${client} ${node}`
    process.stdout.write(
      `${["npm", shown, version, api, ability, good ? "ok" : "FAIL", problem].join("\t")}\n`,
    )
  }
}

const url = `${site}${page}`

const firecrawl = (operation: string, resource: string, given: object) => () =>
  ran(
    "@mendable/n8n-nodes-firecrawl.firecrawl",
    { resource, operation, ...given },
    {
      firecrawlApi: { apiKey: key, baseUrl: `${base}/v2` },
    },
  )
await tried("@mendable/n8n-nodes-firecrawl", "Firecrawl", {
  search: firecrawl("search", "MapSearch", { query: question }),
  scrape: firecrawl("scrape", "Scraping", { url }),
  map: firecrawl("map", "MapSearch", { url: site }),
  crawl: async () => {
    const [, crawlId] = /"id":"([^"]+)"/.exec(await firecrawl("crawl", "Crawling", { url, limit: 1 })())!
    for (;;) {
      const said = await firecrawl("getCrawlStatus", "Crawling", { crawlId })()
      if (!said.includes('"status":"scraping"')) return said
      await pause(500)
    }
  },
})

const searxng = (apiUrl: string) => () =>
  ran(
    "@n8n/n8n-nodes-langchain.toolSearXng",
    { options: {} },
    { searXngApi: { apiUrl } },
    { json: { input: question } },
  )
await tried("@n8n/n8n-nodes-langchain: SearXNG", "SearXNG", {
  search: searxng(`${base.replace("://", `://:${key}@`)}/searxng`),
  "search without a key": searxng(`${base}/searxng`),
})

const bearer = { httpBearerAuth: { token: key } }
await tried("@n8n/n8n-nodes-langchain: MCP Client", "MCP", {
  search: () =>
    ran(
      "@n8n/n8n-nodes-langchain.mcpClient",
      {
        authentication: "bearerAuth",
        serverTransport: "httpStreamable",
        endpointUrl: `${base}/mcp`,
        tool: { __rl: true, mode: "id", value: "tavily_search" },
        inputMode: "json",
        jsonInput: JSON.stringify({ query: question }),
        options: {},
      },
      bearer,
    ),
})
await tried("@n8n/n8n-nodes-langchain: MCP Client Tool", "MCP", {
  search: () =>
    ran(
      "@n8n/n8n-nodes-langchain.mcpClientTool",
      {
        authentication: "bearerAuth",
        serverTransport: "httpStreamable",
        endpointUrl: `${base}/mcp`,
        include: "all",
        options: {},
      },
      bearer,
      // The call as an agent makes it: with the names of the node and the tool.
      { typeVersion: 1.4, json: { tool: "Asked_tavily_search", query: question } },
    ),
})
const header = { httpHeaderAuth: { name: "Authorization", value: `Bearer ${key}` } }
await tried("n8n-nodes-base: HTTP Request", "Tavily", {
  search: () =>
    ran(
      "n8n-nodes-base.httpRequest",
      {
        method: "POST",
        url: `${base}/search`,
        options: {},
        authentication: "genericCredentialType",
        genericAuthType: "httpHeaderAuth",
        sendBody: true,
        specifyBody: "json",
        jsonBody: JSON.stringify({ query: question }),
      },
      header,
      { typeVersion: 4.2 },
    ),
})
// The next node throws when its connection ends, after all work is done; n8n's server survives that.
process.on("uncaughtException", () => {})
await tried("n8n-nodes-mcp", "MCP", {
  search: () =>
    ran(
      "n8n-nodes-mcp.mcpClient",
      {
        connectionType: "http",
        operation: "executeTool",
        toolName: "tavily_search",
        toolParameters: JSON.stringify({ query: question }),
      },
      {
        mcpClientHttpApi: {
          httpStreamUrl: `${base}/mcp`,
          headers: `Authorization=Bearer ${key}`,
          httpTimeout: 60_000,
        },
      },
    ),
})
process.exit(0)
