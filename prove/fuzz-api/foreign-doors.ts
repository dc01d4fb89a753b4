// The calls of other programs' clients, which `/openapi.json` leaves to those programs' own descriptions: the paths,
// and bodies as loose as the ones that those clients send. Answers are checked against their statuses, and refusals
// against the format that each client reads.

type Schema = Readonly<Record<string, unknown>>
type Method = "get" | "post" | "delete"

interface Call {
  readonly query?: Readonly<Record<string, Schema>>
  readonly headers?: Readonly<Record<string, Schema>>
  /** Bodies, by media type. */
  readonly body?: Readonly<Record<string, Schema>>
  /** Answers in addition to those that all calls of a door share. */
  readonly answers?: Readonly<Record<string, object>>
}

/** Values that the appliance knows when the calls are made. */
export interface Known {
  /** Address of a page in the index. */
  readonly page: string
  /** Id of a program registered through OAuth, and its redirect address. */
  readonly client: string
  readonly callback: string
}

const text: Schema = { type: "string" }
const flag: Schema = { type: "boolean" }
const whole: Schema = { type: "integer" }
const any: Schema = {}
const list = (items: Schema): Schema => ({ type: "array", items, maxItems: 20 })
/** Usually one of these values, otherwise anything. */
const mostly = (...values: readonly unknown[]): Schema => ({
  anyOf: [{ enum: values }, { enum: values }, any],
})
const words = (...values: readonly string[]): Schema => ({
  anyOf: [{ enum: values }, { enum: values }, text],
})
const fields = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => ({
  type: "object",
  properties,
  required,
})
const json = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]) => ({
  "application/json": fields(properties, ...required),
})
const form = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]) => ({
  "application/x-www-form-urlencoded": fields(properties, ...required),
})
const answer = (description: string, schema?: Schema) => ({
  description,
  ...(schema && { content: { "application/json": { schema } } }),
})

const DONE = { "2XX": answer("Done.") }
const refused = (schema: Schema, ...statuses: readonly string[]) =>
  Object.fromEntries(["4XX", ...statuses].map((status) => [status, answer("Refused.", schema)]))

/** The calls of all other APIs, as an OpenAPI document. */
export function foreignDoors(known: Known): object {
  const paths: Record<string, Record<string, object>> = {}
  const door = (common: Readonly<Record<string, object>>, calls: Readonly<Record<string, Call>>) => {
    for (const [name, call] of Object.entries(calls)) {
      const [method, path] = name.split(" ") as [Method, string]
      paths[path] = { ...paths[path], [method]: operation(name, path, common, call) }
    }
  }
  for (const version of [1, 2] as const) door(FIRECRAWL, firecrawl(version, known))
  door(SEARXNG, searxng)
  door(OPENAI, openai)
  door(OWN, openWebui(known))
  door(MCP, mcp(known))
  door(OAUTH, oauth(known))
  return document("APIs for other programs' clients", paths)
}

/** The paid search, which is also tried with payments. */
export function paidDoor(payments: { readonly v1: string; readonly v2: string }): object {
  const refusal = refused(any, "503")
  const headers = { "PAYMENT-SIGNATURE": words(payments.v2), "X-PAYMENT": words(payments.v1) }
  const body = json(
    {
      query: words("how do I schedule a crawl"),
      search_depth: mostly("advanced"),
      max_results: mostly(3, "auto"),
      topic: mostly("general", "news"),
      include_answer: mostly(true, "advanced"),
      include_raw_content: mostly(true, "text"),
      include_images: flag,
      include_domains: list(text),
      start_date: text,
      sources: list(text),
      explain: flag,
    },
    "query",
  )
  const path = "/.well-known/pricing"
  return document("The paid search", {
    "/search": { post: operation("post /search", "/search", { ...DONE, ...refusal }, { headers, body }) },
    [path]: { get: operation(`get ${path}`, path, { ...DONE, ...refusal }, {}) },
  })
}

/** Each operation of a document, as `GET /path`, and its id. */
export const operationsOf = (given: object): readonly { readonly name: string; readonly id: string }[] =>
  Object.entries(
    (given as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> }).paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      name: `${method.toUpperCase()} ${path}`,
      id: (one as { readonly operationId: string }).operationId,
    })),
  )

const document = (title: string, paths: object) => ({
  openapi: "3.1.0",
  info: { title, version: "1" },
  paths,
})

function operation(
  name: string,
  path: string,
  common: Readonly<Record<string, object>>,
  { query = {}, headers = {}, body, answers = {} }: Call,
): object {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => ({
      name: one,
      in: "path",
      required: true,
      schema: text,
    })),
    ...Object.entries(query).map(([one, schema]) => ({ name: one, in: "query", schema })),
    ...Object.entries(headers).map(([one, schema]) => ({ name: one, in: "header", schema })),
  ]
  return {
    operationId: name.replaceAll(/\W+/g, "-"),
    parameters,
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(Object.entries(body).map(([type, schema]) => [type, { schema }])),
      },
    }),
    responses: { ...common, ...answers },
  }
}

const FIRECRAWL = {
  ...DONE,
  ...refused(fields({ success: { const: false }, error: text }, "success", "error"), "503"),
}

/** Firecrawl reports a site's refusal with status 500 and a code; our own faults have no such code. */
const UNREAD = {
  "500": answer(
    "The page cannot be read.",
    fields({ code: { pattern: "^SCRAPE_" } }, "success", "error", "code"),
  ),
}

const FORMAT = mostly(
  "markdown",
  "html",
  "rawHtml",
  "links",
  "images",
  "summary",
  "screenshot",
  "json",
  "changeTracking",
  { type: "json", prompt: "x", schema: { type: "object" } },
  { type: "screenshot", fullPage: true, quality: 50, viewport: { width: 200, height: 200 } },
  { type: "changeTracking", modes: ["git-diff"] },
)
const SCRAPE = {
  formats: list(FORMAT),
  onlyMainContent: flag,
  timeout: mostly(1000, 5000),
  waitFor: mostly(0, 100),
  maxAge: mostly(0, 9e9),
  fastMode: flag,
  mobile: flag,
  headers: any,
  location: any,
  includeTags: list(text),
  actions: list(any),
  parsers: list(mostly("pdf")),
  proxy: mostly("auto", "basic"),
  blockAds: flag,
  jsonOptions: any,
  changeTrackingOptions: any,
}
const SITEMAP = { sitemap: mostly("skip", "include", "only"), ignoreSitemap: flag, sitemapOnly: flag }
const JOB = {
  delay: mostly(0, 1),
  maxConcurrency: mostly(1, 2),
  webhook: mostly("http://127.0.0.1:9/hook", {
    url: "http://127.0.0.1:9/hook",
    events: ["page"],
    metadata: {},
  }),
}
const ONCE = { "x-idempotency-key": text }
const SEARCH = json(
  {
    query: words("how do I schedule a crawl"),
    limit: mostly(1, 5, 100),
    sources: list(mostly("web", "news", "images", { type: "web" })),
    categories: list(mostly("pdf", "github")),
    includeDomains: list(text),
    excludeDomains: list(text),
    tbs: words("qdr:d", "cdr:1,cd_min:1/2/2024,cd_max:13/45/2024"),
    country: words("US", "germany"),
    location: text,
    timeout: mostly(1000),
    scrapeOptions: fields({ formats: list(mostly("markdown", "html")), maxAge: whole }),
  },
  "query",
)

/** The answer to a call that starts a job, with links to read and to stop the job. */
const begun = (path: string) => ({
  "200": {
    description: "A job.",
    links: Object.fromEntries(
      [`get ${path}/{id}`, `get ${path}/{id}/errors`, `delete ${path}/{id}`].map((name, nth) => [
        `next${nth}`,
        { operationId: name.replaceAll(/\W+/g, "-"), parameters: { id: "$response.body#/id" } },
      ]),
    ),
  },
})

/** Calls about jobs that were started. */
const jobsAt = (at: string): Readonly<Record<string, Call>> =>
  Object.fromEntries(
    ["crawl", "batch/scrape"].flatMap((kind): [string, Call][] => [
      [`get ${at}/${kind}/{id}`, { query: { skip: whole, limit: whole } }],
      [`get ${at}/${kind}/{id}/errors`, {}],
      [`delete ${at}/${kind}/{id}`, {}],
    ]),
  )

function firecrawl(version: 1 | 2, { page }: Known): Readonly<Record<string, Call>> {
  const at = `/v${version}`
  const address = words(page, "https://example.com/", "http://127.0.0.1/")
  return {
    [`post ${at}/scrape`]: { body: json({ url: address, ...SCRAPE }, "url"), answers: UNREAD },
    [`post ${at}/search`]: {
      body: SEARCH,
    },
    [`post ${at}/map`]: {
      body: json(
        {
          url: address,
          search: text,
          limit: mostly(1, 100_000),
          timeout: mostly(1000),
          includeSubdomains: flag,
          ignoreQueryParameters: flag,
          ...SITEMAP,
        },
        "url",
      ),
    },
    [`post ${at}/crawl`]: {
      headers: ONCE,
      body: json(
        {
          url: address,
          limit: mostly(1, 10),
          maxDiscoveryDepth: mostly(0, 1, 1000),
          maxDepth: mostly(0, 1),
          includePaths: list(words("docs/.*", "(", "(a+)+$")),
          excludePaths: list(text),
          crawlEntireDomain: flag,
          allowBackwardLinks: flag,
          allowSubdomains: flag,
          allowExternalLinks: flag,
          scrapeOptions: fields(SCRAPE),
          ...SITEMAP,
          ...JOB,
        },
        "url",
      ),
      answers: begun(`${at}/crawl`),
    },
    [`post ${at}/batch/scrape`]: {
      headers: ONCE,
      body: json({ urls: list(address), ignoreInvalidURLs: flag, ...SCRAPE, ...JOB }, "urls"),
      answers: begun(`${at}/batch/scrape`),
    },
    ...jobsAt(at),
    [`get ${at}/crawl/active`]: {},
    [`get ${at}/crawl/ongoing`]: {},
    [`get ${at}/team/credit-usage`]: {},
    [`get ${at}/team/credit-usage/historical`]: { query: { byApiKey: words("true", "false") } },
    [`get ${at}/team/queue-status`]: {},
    [`get ${at}/concurrency-check`]: {},
  }
}

const SEARXNG = { ...DONE, ...refused(fields({ error: text }, "error"), "503") }

const asked = {
  q: words("schedule a crawl", "!images x", ":de x"),
  format: words("html", "json", "csv", "rss"),
  pageno: words("1", "2", "99999999999999999999"),
  time_range: words("day", "month"),
  safesearch: words("0", "2"),
  categories: words("general", "images,news"),
  engines: words("fossick", "handbook"),
  language: words("all", "auto", "en-US"),
}
const xml = { "X-Requested-With": words("XMLHttpRequest"), "X-API-Key": text }
const searxng: Readonly<Record<string, Call>> = {
  "get /searxng": { query: asked, headers: xml },
  "post /searxng": { body: form(asked, "q") },
  "get /searxng/search": { query: asked },
  "post /searxng/search": { body: form(asked, "q"), headers: xml },
  "get /searxng/autocompleter": { query: { q: words("sch", "craw") }, headers: xml },
  "get /searxng/config": {},
}

const OPENAI = {
  ...DONE,
  ...refused(fields({ error: fields({ message: text, type: text }, "message", "type") }, "error"), "503"),
}
const comparison = fields({
  type: mostly("eq", "ne", "in", "nin", "gte", "lte"),
  key: mostly("source", "type", "language", "domain", "published_at"),
  value: mostly("en", ["pdf"], 1_700_000_000, 1e11, -1e11),
})
const openai: Readonly<Record<string, Call>> = {
  "post /v1/embeddings": {
    body: json(
      {
        model: words("default"),
        input: mostly("a text", ["two", "texts"], [1, 2], ""),
        encoding_format: mostly("float", "base64"),
        input_type: mostly("query", "passage"),
        dimensions: whole,
        user: text,
      },
      "model",
      "input",
    ),
  },
  "get /v1/models": {},
  "get /v1/models/{model}": {},
  "get /v1/vector_stores": {
    query: { limit: whole, after: words("all"), before: words("all"), order: words("asc", "desc") },
  },
  "get /v1/vector_stores/{id}": {},
  "get /v1/vector_stores/all": {},
  ...Object.fromEntries(
    ["{id}", "all"].map((id) => [
      `post /v1/vector_stores/${id}/search`,
      {
        body: json(
          {
            query: mostly("how do I schedule a crawl", ["schedule", "crawl"]),
            max_num_results: mostly(1, 10),
            filters: {
              anyOf: [comparison, fields({ type: { const: "and" }, filters: list(comparison) }), any],
            },
            ranking_options: fields({
              score_threshold: { type: "number" },
              ranker: text,
              hybrid_search: any,
            }),
            rewrite_query: flag,
          },
          "query",
        ),
      },
    ]),
  ),
}

/** The envelope of our own calls. */
const OWN = { ...DONE, ...refused(fields({ detail: fields({ error: text }, "error") }, "detail"), "503") }

const openWebui = ({ page }: Known): Readonly<Record<string, Call>> => ({
  "post /openwebui/search": {
    body: json({ query: words("how do I schedule a crawl"), count: mostly(1, 1000) }, "query"),
  },
  "post /openwebui/load": { body: json({ urls: list(words(page, "https://example.com/")) }, "urls") },
})

/** JSON-RPC 2.0. */
const MCP = {
  ...DONE,
  ...refused(
    fields({ jsonrpc: { const: "2.0" }, error: fields({ code: whole, message: text }) }, "error"),
    "503",
  ),
}

function mcp({ page }: Known): Readonly<Record<string, Call>> {
  const args = {
    query: words("how do I schedule a crawl"),
    id: words(page),
    url: words(page, "https://example.com/"),
    urls: list(words(page)),
    max_results: whole,
    include_domains: list(text),
    input: text,
  }
  const params = fields({
    name: words(
      "search",
      "fetch",
      "tavily_search",
      "tavily_extract",
      "tavily_crawl",
      "tavily_map",
      "tavily_research",
    ),
    arguments: fields(args),
    uri: words("fossick://sources", page),
    requestId: mostly(1, "1"),
    cursor: text,
    protocolVersion: words("2025-11-25", "2025-06-18", "2024-11-05"),
    capabilities: fields({}),
    clientInfo: fields({ name: text, version: text }, "name", "version"),
    _meta: any,
  })
  const headers = {
    accept: words("application/json, text/event-stream"),
    "mcp-session-id": text,
    "mcp-protocol-version": words("2025-11-25", "2025-06-18"),
    "x-human-id": text,
    "x-project-id": text,
  }
  return {
    "post /mcp": {
      headers,
      body: json(
        {
          jsonrpc: mostly("2.0"),
          id: mostly(1, "1"),
          method: words(
            "initialize",
            "ping",
            "tools/list",
            "tools/call",
            "tools/call",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "prompts/list",
            "prompts/get",
            "completion/complete",
            "notifications/initialized",
            "notifications/cancelled",
            "logging/setLevel",
          ),
          params,
        },
        "jsonrpc",
        "method",
      ),
    },
    "get /mcp": { headers },
    "delete /mcp": { headers },
  }
}

/** RFC 6749, section 5.2. */
const OAUTH = {
  ...DONE,
  "3XX": answer("Back to the program."),
  ...refused(any, "503"),
}
/** Each call comes from a different address, because one address may only register and ask a limited number of times. */
const from = { "X-Forwarded-For": { type: "string", format: "ipv4" } }

function oauth({ client, callback }: Known): Readonly<Record<string, Call>> {
  const authorize = {
    response_type: words("code"),
    client_id: words(client, "https://program.example/client.json"),
    redirect_uri: words(callback),
    code_challenge: words("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
    code_challenge_method: words("S256", "plain"),
    state: text,
    scope: words("search", "search collection:x"),
    resource: text,
  }
  const needed = ["client_id", "response_type"] as const
  return {
    "get /authorize": { query: authorize, headers: from },
    "post /authorize": { body: form(authorize, ...needed), headers: from },
    "post /authorize/consent": {
      body: form({ ticket: words("a.b"), answer: words("allow"), key: text, collections: text }),
      headers: { ...from, Origin: text },
    },
    "post /token": {
      headers: from,
      body: form(
        {
          grant_type: words("authorization_code", "refresh_token", "client_credentials"),
          client_id: words(client),
          client_secret: text,
          code: text,
          code_verifier: text,
          redirect_uri: words(callback),
          refresh_token: text,
          scope: text,
          resource: text,
        },
        "grant_type",
        "client_id",
      ),
    },
    "post /register": {
      headers: from,
      body: json(
        {
          redirect_uris: list(words(callback, "javascript:alert(1)", "https://a.example/b")),
          client_name: text,
          token_endpoint_auth_method: mostly("none", "client_secret_post"),
          grant_types: list(text),
          response_types: list(text),
          scope: text,
          client_uri: text,
          logo_uri: text,
          jwks: any,
          software_id: text,
        },
        "redirect_uris",
      ),
    },
    "post /revoke": {
      headers: from,
      body: form({ token: text, token_type_hint: words("refresh_token"), client_id: words(client) }, "token"),
    },
    "get /.well-known/oauth-authorization-server": {},
    "get /.well-known/oauth-protected-resource": {},
    "get /.well-known/oauth-protected-resource/mcp": {},
  }
}
