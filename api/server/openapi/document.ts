import type { Feature } from "../../feature.ts"
import {
  type Description,
  type DomainCaps,
  EVENT_STREAM,
  EVENTS,
  type Operation,
} from "../operation/operation.ts"
import { notSet } from "../operation/published.ts"
import { refusals, refusalSchemas } from "../operation/refusals.ts"
import { type JsonSchema, namedIn } from "../schema/schemas.ts"

/** Headings of the reference, each with a sentence. */
const TAGS: Readonly<Record<string, string>> = {
  Search: "Searches of the index.",
  "Stored pages": "Pages from the index, by address; nothing is read from the web.",
  "Live pages": "Pages read live from the web; the index is neither searched nor changed.",
  Research: "Reports in which every part cites its source.",
  Watches: "Notifications about changes to questions, sources and pages, by webhook, e-mail or feed.",
  "Keys and usage": "Keys and the credits that they use.",
  People: "People who signed in through an identity provider, and their groups.",
  Readers: "Who may read which pages, and why.",
  "Public keys": "Keys that can be published in web pages, for a search box in documentation.",
  Sessions: "Sign-in on the appliance's pages, in a browser.",
  Sources: "What is crawled, how and when. Like all of `/admin`, for keys with the role `admin`.",
  Jobs: "Runs of sources.",
  Removals: "Pages that leave the index, and pages waiting for a decision.",
  Pages: "What is known about one page.",
  Rules: "Synonyms, pins and boosts: the operator's changes to the ranking.",
  "Judged questions": "Questions for which the right pages are known, and how well those pages rank.",
  Webhooks: "Messages about runs and changes.",
  Usage: "What each key used, by day or month.",
  Upkeep: "The appliance itself: its vectors, history, backups and settings.",
  Feedback: "What callers think of their answers.",
  Payments: "Searches that were sold, and the payments for them.",
  Operation: "Health and metrics of the appliance.",
}

/**
 * The features' descriptions of their calls, in order.
 * @param caps the limits from a server's settings; left out: those that apply to any server
 */
export async function describedBy(
  features: readonly Pick<Feature<never>, "name" | "describe">[],
  caps?: DomainCaps,
): Promise<Required<Description>> {
  const all = await Promise.all(features.map(async ({ describe }) => await describe?.(caps)))
  const operations = all.flatMap((one) => one?.operations ?? [])
  return {
    operations,
    schemas: Object.assign(
      { NotSet: notSet, ...refusalSchemas, ...Object.fromEntries(namedIn(operations)) },
      ...all.map((one) => one?.schemas),
    ) as Required<Description>["schemas"],
    tags: Object.assign({}, TAGS, ...all.map((one) => one?.tags)) as Required<Description>["tags"],
  }
}

const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } }

/**
 * The OpenAPI 3.1 document.
 * @param server address at which the appliance is reached
 */
export function openApiDocument(
  { operations, schemas, tags }: Required<Description>,
  server: string,
  version: string,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Fossick",
      version,
      summary: "A self-hosted search engine: your sites, crawled and searchable.",
      description:
        "`/search`, `/extract`, `/crawl` and `/map` follow the Tavily API, whose clients work here once you change the base address. " +
        "`/v1` and `/v2` follow the Firecrawl API; `/v1/embeddings`, `/v1/models` and `/v1/vector_stores` the OpenAI API; `/searxng` the SearXNG API; and `/openwebui` the interfaces that Open WebUI calls external. See those projects' own documentation; the handbook lists the differences. " +
        'Every error is JSON of the form `{"detail": {"error": "…"}}`. A method that a path does not support gives 405, an unknown path gives 404.',
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: server }],
    security: [],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(
        Object.values(refusals).map(({ name, headers, schema, description }) => [
          name,
          {
            description,
            headers: { ...REQUEST_ID, ...headers },
            content: { "application/json": { schema } },
          },
        ]),
      ),
      headers: {
        RequestId: {
          description: "Id of this request, as in the log.",
          schema: { type: "string", format: "uuid" },
        },
      },
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description:
            "`Authorization: Bearer <key>`. If `FOSSICK_BODY_KEY` is on, a request without that header can have the key in its body as `api_key`.",
        },
        operatorKey: {
          type: "http",
          scheme: "bearer",
          description: "A key with the role `operator` or `admin`.",
        },
        adminKey: { type: "http", scheme: "bearer", description: "A key with the role `admin`." },
      },
    },
  }
}

/** Names of the security schemes. */
const SCHEMES = { key: "key", operator: "operatorKey", admin: "adminKey" } as const

function operationObject(operation: Operation) {
  const { id, tag, summary, description, parameters, body, access } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters: parameters.map((one) => ({ ...one, ...exampleOf(operation, one) })) }),
    ...(body && { requestBody: { required: body.required, content: bodyContent(operation, body.schema) } }),
    responses: responsesOf(operation),
    ...(access !== "none" && { security: [{ [SCHEMES[access]]: [] }] }),
  }
}

function bodyContent({ examples = [] }: Operation, schema: JsonSchema) {
  const good = examples.filter(({ status, body }) => body !== undefined && status < 400)
  return {
    "application/json": {
      schema,
      ...(good.length > 0 && {
        examples: Object.fromEntries(
          good.map(({ summary, body }) => [nameOf(summary), { summary, value: body }]),
        ),
      }),
    },
  }
}

function exampleOf(
  { examples = [] }: Operation,
  parameter: { name: string; in: string; schema: JsonSchema },
) {
  const given = examples
    .filter(({ status }) => status < 400)
    .map((example) => (parameter.in === "path" ? example.path : example.query)?.[parameter.name])
    .find((value) => value !== undefined)
  if (given === undefined) return {}
  const isText = parameter.schema["type"] === "string"
  return { example: isText ? given : (JSON.parse(given) as unknown) }
}

function responsesOf(operation: Operation) {
  const answers = Object.entries(operation.answers).map(
    ([status, { description, schema, type, streams }]) => {
      const example = operation.examples?.find(
        (one) => one.status === Number(status) && one.answer !== undefined,
      )
      return [
        status,
        {
          description,
          headers: REQUEST_ID,
          content: {
            [type ?? "application/json"]: { schema, ...(example && { example: example.answer }) },
            ...(streams && { [EVENT_STREAM]: { schema: EVENTS } }),
          },
        },
      ]
    },
  )
  const refused = refusalsOf(operation)
    .filter((status) => operation.answers[status] === undefined)
    .map((status) => [String(status), { $ref: `#/components/responses/${refusals[status]!.name}` }])
  return Object.fromEntries([...answers, ...refused])
}

/** Statuses of all refusals that the operation can return, in order. */
export function refusalsOf({ access, body, refusals: own = [] }: Operation): readonly number[] {
  const all = new Set([400, 408, 417, 431, 500, ...own])
  // A key may be limited to some endpoints and projects, and its use is recorded.
  if (access !== "none") all.add(401).add(403).add(429).add(503)
  if (body) all.add(413).add(415)
  return [...all].toSorted((one, other) => one - other)
}

const nameOf = (summary: string): string =>
  summary
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
