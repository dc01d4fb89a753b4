import { ENDPOINTS, MAX_ENTRIES, MAX_NAME_CHARS } from "../../identity/accounts/keys/key-scope.ts"
import { type FieldSchema, NOT_BLANK, type RequestSchema } from "../../server/wire/validate.ts"

// The request bodies of keys, logs and feedback, as they stand on the wire.

/** What limits a key: a blank entry is refused. */
const limits = (description: string, maxItems: number, items: FieldSchema): FieldSchema => ({
  type: "array",
  items: { type: "string", ...items },
  maxItems,
  "x-blank-entries": "refused",
  description,
})
const names = (description: string, maxItems: number, maxLength: number): FieldSchema => ({
  ...limits(description, maxItems, { pattern: NOT_BLANK, maxLength }),
  "x-allowed": `at most ${maxItems} names of 1 to ${maxLength} characters`,
})
const date = (description: string): FieldSchema => ({
  type: "string",
  format: "date",
  "x-allowed": "a date of the form YYYY-MM-DD",
  description,
})

export interface LogsRequest {
  readonly limit: number
  readonly start_date?: string
  readonly end_date?: string
  readonly endpoints?: string | readonly string[]
  readonly project_id?: string
  readonly filter_by_api_key: boolean
}

export const logsSchema: RequestSchema<LogsRequest> = {
  type: "object",
  required: [],
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 10_000, default: 10, description: "Calls at most." },
    start_date: date("Calls of this day or later, in UTC."),
    end_date: date("Calls of this day or earlier, in UTC."),
    endpoints: {
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
      description: `Calls of these alone: ${ENDPOINTS.join(", ")}.`,
    },
    project_id: { type: "string", description: "Calls of this project alone." },
    filter_by_api_key: {
      type: "boolean",
      default: false,
      description: "Calls with this key alone; keys of the role `search` never see others.",
    },
  },
}

const MAX_PROJECTS = 100
const MAX_PROJECT_CHARS = 200

export const GENERATE_KEYS = "api:generate_keys"

export interface GenerateKeysRequest {
  readonly permission_level: "admin" | "user"
  readonly name?: string
  readonly scope?: readonly string[]
  readonly key_type: "development" | "production"
  readonly key_limit: number
  readonly ttl_hours: number
  readonly count: number
  readonly endpoints?: readonly string[]
  readonly sources?: readonly string[]
  readonly collections?: readonly string[]
  readonly domains?: readonly string[]
  readonly projects?: readonly string[]
}

export const generateKeysSchema: RequestSchema<GenerateKeysRequest> = {
  type: "object",
  required: ["permission_level"],
  properties: {
    permission_level: {
      type: "string",
      enum: ["admin", "user"],
      description: "`user` keys search and read; `admin` keys may do everything.",
    },
    name: {
      type: "string",
      maxLength: 100,
      "x-allowed": "a string of at most 100 characters",
      description: "What the keys are for; numbered when there are several.",
    },
    scope: {
      type: "array",
      items: { type: "string", enum: [GENERATE_KEYS] },
      "x-allowed": `the list ['${GENERATE_KEYS}']`,
      "x-blank-entries": "refused",
      description: `\`["${GENERATE_KEYS}"]\` lets a \`user\` key make keys itself.`,
    },
    key_type: {
      type: "string",
      enum: ["development", "production"],
      default: "development",
      description: "A note; both do the same.",
    },
    key_limit: {
      type: "integer",
      minimum: 1,
      maximum: 100_000,
      default: 200,
      description: "Credits that each key may use in all.",
    },
    ttl_hours: {
      type: "integer",
      minimum: 1,
      maximum: 8760,
      default: 10,
      description: "Hours after which the keys end.",
    },
    count: { type: "integer", minimum: 1, maximum: 200, default: 1, description: "Keys to make." },
    endpoints: {
      ...limits("Endpoints that the keys may use.", MAX_ENTRIES, { enum: ENDPOINTS }),
      "x-allowed": `some of ${ENDPOINTS.join(", ")}`,
    },
    sources: names("Sources whose pages the keys may see.", MAX_ENTRIES, MAX_NAME_CHARS),
    collections: names("Collections of sources whose pages the keys may see.", MAX_ENTRIES, MAX_NAME_CHARS),
    domains: limits("Domains whose pages the keys may see.", MAX_ENTRIES, { pattern: NOT_BLANK }),
    projects: names("Projects that the keys may name.", MAX_PROJECTS, MAX_PROJECT_CHARS),
  },
}

export interface DeactivateKeysRequest {
  readonly request_id?: string
}

export const deactivateKeysSchema: RequestSchema<DeactivateKeysRequest> = {
  type: "object",
  required: [],
  properties: {
    request_id: {
      type: "string",
      description: "Of the call that made the keys; left out: the key of this call.",
    },
  },
}

/** Bytes of a body of feedback at most, whatever other bodies may have. */
export const FEEDBACK_BYTES = 262_144

const score = (description: string): FieldSchema => ({
  anyOf: [{ type: "number" }, { type: "string", maxLength: 64 }],
  description,
})
const upTo = (maxLength: number, description: string): FieldSchema => ({
  type: "string",
  maxLength,
  description,
})
const listed = (maxItems: number, items: FieldSchema, description: string): FieldSchema => ({
  type: "array",
  maxItems,
  items,
  description,
})
const labelled = (maxItems: number, description: string): FieldSchema =>
  listed(
    maxItems,
    {
      type: "object",
      required: ["label", "value"],
      properties: { label: upTo(64, "What was judged."), value: score("How it was judged.") },
    },
    description,
  )

export interface PageRequestBody {
  readonly url?: string
  readonly query?: string
  readonly comment?: string
}

export const pageRequestSchema: RequestSchema<PageRequestBody> = {
  type: "object",
  required: [],
  properties: {
    url: upTo(2000, "The page that is missing; this or `query` is given."),
    query: upTo(400, "What was looked for, and not found."),
    comment: upTo(1000, "Why it is wanted."),
  },
}

export interface FeedbackRequest {
  readonly request_id?: string
  readonly session_id?: string
  readonly agent_score?: number | string
  readonly human_score?: number | string
  readonly extra_scores?: readonly object[]
  readonly comment?: string
  readonly response_delivered?: string
  readonly used_ids?: readonly string[]
  readonly used_urls?: readonly string[]
  readonly used_citations?: readonly string[]
  readonly urls_scores?: readonly object[]
}

export const feedbackSchema: RequestSchema<FeedbackRequest> = {
  type: "object",
  required: [],
  properties: {
    request_id: upTo(200, "Of the answer that is judged; this or `session_id` is given."),
    session_id: upTo(200, "Of the session that is judged."),
    agent_score: score("What a program thinks of it."),
    human_score: score("What a person thinks of it."),
    extra_scores: labelled(50, "Further judgements."),
    comment: upTo(10_000, "In words."),
    response_delivered: upTo(50_000, "What was made of the answer."),
    used_ids: listed(100, { type: "string" }, "Ids of the results that were used."),
    used_urls: listed(100, { type: "string" }, "Addresses of the results that were used."),
    used_citations: listed(100, { type: "string" }, "Citations that were used."),
    urls_scores: listed(
      100,
      {
        type: "object",
        properties: {
          id: { type: "string", description: "Of the result; this or `url` is given." },
          url: { type: "string", description: "Of the result." },
          agent_score: score("What a program thinks of it."),
          scores: labelled(20, "Further judgements."),
          comment: upTo(2000, "In words."),
        },
        anyOf: [{ required: ["id"] }, { required: ["url"] }],
      },
      "Judgements of single results.",
    ),
  },
}
