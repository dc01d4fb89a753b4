import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { Jobs, openStateStore, type StateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"

import { openAdmin } from "../../operator/admin/open-admin.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedApp, serveApp, TEST_KEY } from "../../testing/serve-app.ts"
import type { openApiDocument } from "./document.ts"
import { operations } from "./testing/documented.ts"
import type { Operation } from "../operation/operation.ts"
import type { JsonSchema } from "../schema/schemas.ts"
import { documentsOf } from "../../services/documents/testing/documents-of.ts"
import { watchesOf } from "../../services/watches/testing/watches-of.ts"
import { boundaryTrials, sampleOf, type Trial } from "./testing/boundary-values.ts"

// Tests the published document against the server: every field and parameter is sent with values at and beyond its
// limits, with values of other types, with empty values and with null. The server must accept what the document allows,
// and refuse everything else, naming the field.

/** Fields that are refused unless another field is set, with the fields to send with them. */
const TOGETHER: Readonly<Record<string, object>> = {
  "search include_domains_mode": { include_domains: ["example.com"] },
  "search filter_by_language": { language: "en" },
}

/** Values that the server refuses but the document cannot exclude. */
const MORE_STRICT: Readonly<Record<string, readonly RegExp[]>> = {
  "countries and languages are named in any spelling": [/^search (country|language)$/],
  "what an address is takes a parser of addresses": [
    /^extract urls/,
    /^(crawl|map|why|try|getPage|readPage|createWatch|requestPage|pageReaders) url$/,
    /^getThumbnail page$/,
    /^(create|change)JudgedQuestion pages/,
    /^(create|change)Watch webhook$/,
    /^(create|change)PublicKey origins/,
    /^(lookAtNetwork|openNetwork) (url|network)$/,
    /^putSource (seeds|sitemaps|feeds|webhooks\[0\]\.url|login\.url)/,
  ],
  "names are of things that there are": [
    /^(generateKeys|search|research) (sources|collections)/,
    /^makeKey (sources|collections|domains)/,
    /^(suggest|browserSuggest) collection/,
    /^runSources names/,
    /^list(Jobs|Removals|Documents) source$/,
    /^deleteDocuments source$/,
    /^(approve|reject|restore)Removals source$/,
    /^research output_schema\.required/,
    /^createWatch source$/,
    /^changeModel model$/,
    /^previewReaders source$/,
    /^(pageReaders|seenBy|searchAs) person$/,
    /^(create|change)PublicKey (source|collection)$/,
  ],
  "users and groups are named by a prefix": [
    /^(generateKeys|makeKey|pageReaders|seenBy|searchAs) principals/,
    /^(putSource|previewReaders|sendDocuments) readers/,
  ],
  "a source of documents has a name of its own": [/^sendDocuments source$/],
  "a document has one content": [/^sendDocuments documents/],
  "a page has the sections that it has": [/^getPage section$/],
  "the name stands in the path, too": [/^putSource name$/],
  "one value of a login names a secret": [/^putSource login\.kind/],
  "observers go with the login of their source": [/^putSource observers/],
  "the settings of the server allow it": [
    /^putSource (allowedNetworks|ignoreNoindex|politeness|caFile|clientCert|folder|mailbox|archive|repository)/,
    /^(create|change)Watch emails/,
  ],
  "cron lines, zones and patterns have grammars of their own": [
    /^putSource (schedule|include|exclude)/,
    /^createWatch (include|exclude)/,
    /^(create|change)PublicKey rate_limits$/,
  ],
  "a synonym has words, or else from and to": [/^preview(Rules|JudgedQuestions) rules/],
  "a file has a grammar of its own": [/^importJudgedQuestions text/],
  "a call comes with one key": [/^suggest key$/],
  "a watched question has fields of its own": [/^createWatch question/],
  "when a key ends, and how often it may call, have grammars of their own": [
    /^makeKey (expires_at|rate_limits)/,
  ],
  "a source must be one there is": [/^putSourceFirst source$/],
  "one bound may not be above the other": [/^putSource revisit/],
}
const isMoreStrict = (field: string): boolean =>
  Object.values(MORE_STRICT)
    .flat()
    .some((one) => one.test(field))

const folder = mkdtempSync(join(tmpdir(), "fossick-strictness-"))
const engine = new FakeEngine([hit()])
const opened = new AsyncDisposableStack()
let db: StateStore
let app: ServedApp
let document: ReturnType<typeof openApiDocument>
const ajv = new Ajv2020({
  strict: false,
  formats: { date: isDate, regex: true, uuid: true, "date-time": true },
})

beforeAll(async () => {
  db = await openStateStore(folder)
  vi.stubEnv("PASSWORD", "correct horse battery staple")
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
  const crawlerConfig = testConfig({ FOSSICK_ALLOWED_NETWORKS: "", FOSSICK_API_SECRETS: "PASSWORD" })
  app = await serveApp({
    engine,
    // Looking up a host that doesn't exist takes half a second to fail; this reader fails at once.
    reader: {
      read: async () => ({ kind: "failed", because: "refused", detail: "nothing is read in this test" }),
      sitemap: async () => [],
      [Symbol.asyncDispose]: async () => {},
    },
    admin: () => openAdmin({ db, engine, jobs: new Jobs(db), crawlerConfig, engineConfig }),
    documents: documentsOf({ db, dataDir: folder, closing: opened }),
    watches: await watchesOf({ db, engine, crawlerConfig }),
    config: { watchesPerKey: 10_000 },
  })
  document = (await (await fetch(`${app.url}/openapi.json`)).json()) as typeof document
  ajv.addSchema({ $id: "document", components: document.components })
  await call("put", "/admin/sources/docs", { seeds: ["https://docs.example.com/"] })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await app[Symbol.asyncDispose]()
  await opened.disposeAsync()
  db.close()
  rmSync(folder, { recursive: true })
})

const withBody = operations.filter(({ body }) => body !== undefined)
const withParameters = operations.filter(({ parameters = [] }) => parameters.length > 0)

describe("the document is as strict as the server", () => {
  test.each(withBody.map((operation) => ({ id: operation.id, operation })))(
    "on the body of $id",
    async ({ operation }) => {
      const schema = publishedBody(operation)
      const isAllowed = compiled(schema)
      const base = baseOf(operation, schema)
      const fields = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>)
      const trials: Trial[] = [
        ...fields.flatMap(([name, one]) => boundaryTrials(name, one, resolve)),
        ...fields.map(([name]) => ({ field: name, value: undefined })),
        { field: "no-such-field", value: 1 },
      ]
      expect(isAllowed(base)).toBe(true)
      const complaints: (string | null)[] = []
      for (const { field, value } of trials) {
        const name = field.split(/[.[]/)[0]!
        const body = { ...base, ...TOGETHER[`${operation.id} ${name}`], [name]: value }
        const allowed = isAllowed(JSON.parse(JSON.stringify(body)))
        const said = await call(operation.method, filled(operation), body)
        complaints.push(complaint(operation, field, value, allowed, said))
      }
      expect(complaints.filter((one) => one !== null)).toEqual([])
    },
  )

  test.each(withParameters.map((operation) => ({ id: operation.id, operation })))(
    "on the parameters of $id",
    async ({ operation }) => {
      const complaints: (string | null)[] = []
      for (const { name, in: place, schema, required } of operation.parameters ?? []) {
        const isAllowed = compiled(schema)
        const texts = boundaryTrials(name, schema, resolve)
          .map(({ value }) => value)
          .filter((value) => typeof value !== "object")
          .map(String)
        for (const text of new Set(texts)) {
          if (place === "path" && text.trim() === "") continue
          const allowed = isAllowed(parsed(text, schema))
          const answer = await ask(operation, { [name]: text })
          complaints.push(complaint(operation, name, text, allowed, answer, place === "path"))
        }
        if (place === "path") continue
        const twice = await ask(operation, {}, `${name}=1&${name}=1`)
        complaints.push(complaint(operation, name, "given twice", operation.id === "researchStatus", twice))
        if (required)
          complaints.push(
            complaint(operation, name, "left out", false, await ask(operation, { [name]: undefined })),
          )
      }
      expect(complaints.filter((one) => one !== null)).toEqual([])
    },
  )
})

interface Said {
  readonly status: number
  readonly text: string
}

/** The mismatch when the document and the server disagree on a value. */
function complaint(
  { id }: Operation,
  field: string,
  value: unknown,
  allowed: boolean,
  { status, text }: Said,
  inPath = false,
): string | null {
  const shown = `${id} ${field} = ${JSON.stringify(value)?.slice(0, 100)}`
  if (status >= 500) return `${shown} fails: ${status} ${text}`
  if (allowed) {
    if (status !== 400 && status !== 422) return null
    return isMoreStrict(`${id} ${field}`) ? null : `${shown} is allowed, and refused: ${text}`
  }
  // A query longer than the limit for headers never reaches the server.
  if (status === 431) return null
  if (status < 400) return `${shown} is forbidden, and taken`
  const names = [field, field.split(/[.[]/)[0]!]
  return inPath || names.some((name) => text.toLowerCase().includes(name.toLowerCase()))
    ? null
    : `${shown} is refused without its name: ${text}`
}

function publishedBody({ path, method }: Operation): JsonSchema {
  const { requestBody } = document.paths[path]![method] as {
    requestBody: { content: Record<string, { schema: JsonSchema }> }
  }
  return resolve(requestBody.content["application/json"]!.schema)
}

/** The required fields, with values from the first usable example, or else made from the schema. */
function baseOf({ id, examples = [] }: Operation, schema: JsonSchema): Record<string, unknown> {
  const example = examples.find(
    ({ body, status }) => body !== undefined && (status < 400 || status === 409 || status === 404),
  )
  const required = (schema["required"] ?? []) as readonly string[]
  if (id === "feedback") return { request_id: "r" }
  if (id === "requestPage") return { query: "q" }
  if (id === "createWatch") return { source: "docs" }
  if (id === "runSources") return { all: true }
  if (id === "searchAs") return { query: "q", principals: "signed-in" }
  if (id === "createPublicKey" || id === "changePublicKey") {
    return { source: "docs", origins: ["https://docs.example.com"] }
  }
  if (id === "createRule" || id === "changeRule") return { ...example!.body }
  if (id === "restoreRemovals") return { source: "docs" }
  return Object.fromEntries(
    required.map((name) => [
      name,
      example?.body?.[name] ?? sampleOf((schema["properties"] as Record<string, JsonSchema>)[name]!, resolve),
    ]),
  )
}

function resolve(given: JsonSchema): JsonSchema {
  const reference = given["$ref"]
  if (typeof reference !== "string") return given
  const { $ref: _, ...rest } = given
  return { ...resolve(document.components.schemas[reference.split("/").at(-1)!]!), ...rest }
}

function compiled(schema: JsonSchema): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object)
}

/** A parameter's text as a value of the type in its schema. */
function parsed(text: string, { type }: JsonSchema): unknown {
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text)
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text
}

const filled = (
  { path, examples = [] }: Operation,
  given: Readonly<Record<string, string | undefined>> = {},
): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? examples[0]?.path?.[name] ?? "1"),
  )

/** Minimal bodies for testing the parameters of operations that need more than an empty body. */
const LEAST_BODIES: Readonly<Record<string, object>> = {
  putSource: { seeds: "https://docs.example.com/" },
  skipHost: { host: "docs.example.com" },
  changeJudgedQuestion: { pages: [{ url: "https://docs.example.com/" }] },
  changePublicKey: { source: "docs", origins: ["https://docs.example.com"] },
  changeRule: { kind: "synonym", words: ["pump", "impeller"] },
}

async function ask(
  operation: Operation,
  given: Readonly<Record<string, string | undefined>>,
  more = "",
): Promise<Said> {
  const inQuery = operation.parameters!.filter((one) => one.in === "query")
  const values = inQuery.flatMap(({ name, required }): [string, string][] => {
    const value = name in given ? given[name] : required ? operation.examples?.[0]?.query?.[name] : undefined
    return value === undefined || more.startsWith(`${name}=`) ? [] : [[name, value]]
  })
  const query = [new URLSearchParams(values).toString(), more].filter((one) => one !== "").join("&")
  const body = operation.body && (LEAST_BODIES[operation.id] ?? {})
  return await call(operation.method, `${filled(operation, given)}${query === "" ? "" : `?${query}`}`, body)
}

async function call(method: string, path: string, body?: object): Promise<Said> {
  const response = await fetch(app.url + path, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${TEST_KEY}`, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel()
    return { status: response.status, text: "" }
  }
  return { status: response.status, text: await response.text() }
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text.length === 10
}
