import { ENDPOINTS } from "../../../identity/accounts/keys/key-scope.ts"
import {
  deactivateKeysSchema,
  feedbackSchema,
  generateKeysSchema,
  logsSchema,
  pageRequestSchema,
} from "../schema.ts"
import { NOT_BLANK } from "../../../server/wire/validate.ts"
import type { JsonSchema, Operation } from "../../../server/operation/operation.ts"
import { publishedBody } from "../../../server/operation/published.ts"
import { count, listOf, object, oneOf, orNull, ref, text } from "../../../server/operation/schemas.ts"
import { warnings } from "../../../server/operation/shared-fields.ts"

const credits = count("Credits.")
const byEndpoint = Object.fromEntries(ENDPOINTS.map((endpoint) => [`${endpoint}_usage`, credits]))
const oneEndpoint = { type: "string", enum: ENDPOINTS }
const seconds = { type: "number", minimum: 0, description: "Seconds." }

/** An answer that names the unknown fields of its request. */
const warned = (fields: Readonly<Record<string, JsonSchema>>) => object(fields, { optional: { warnings } })

export const accountSchemas = {
  UsageReport: object({
    key: object({
      usage: count("Credits that the key of this call has used."),
      limit: orNull(count("Credits that it may use; null for no limit.")),
      ...byEndpoint,
    }),
    account: object({
      current_plan: text(),
      plan_usage: count("Credits of all keys, up to the plan's."),
      plan_limit: orNull(count("Credits of the plan; null for no limit.")),
      paygo_usage: count("Credits beyond the plan's."),
      paygo_limit: orNull(count("Credits that may be used beyond the plan's.")),
      ...byEndpoint,
    }),
  }),
  CallLog: warned({
    logs: listOf(
      object({
        timestamp: text("`2026-08-06T13:14:34.739000+00:00`"),
        endpoint: oneOf(ENDPOINTS),
        depth: orNull(text()),
        response_time: seconds,
        credits,
        api_key: text("Its last characters."),
        request_id: text(),
      }),
      "Newest first; never what was asked or found.",
    ),
    count: count(),
    response_time: seconds,
    request_id: text(),
  }),
  FeedbackTaken: warned({
    success: { const: true },
    feedback_id: { type: "string", format: "uuid" },
    response_time: seconds,
  }),
  PageRequestTaken: warned({
    success: { const: true },
    id: text("The same for the same address or question."),
    response_time: seconds,
  }),
  KeysGenerated: warned({
    keys: listOf(text(), "Shown only here."),
    expires_at: text("`2026-02-25T01:14:45Z`"),
    created: text("`2026-02-24T15:14:45`, in UTC."),
    message: text(),
    request_id: text("Names these keys to `/deactivate-keys`."),
  }),
  KeysDeactivated: warned({ message: text() }),
  KeyInfo: object({
    name: text(),
    created: orNull(text("`2026-02-24T15:14:45`, in UTC; null for the key of the settings.")),
    expires_at: text("A time, or `never`."),
    key_type: oneOf(["development", "production"]),
    status: oneOf(["active", "deactivated"]),
  }),
}

/** A body that has a text in a field. */
const given = (field: string): JsonSchema => ({
  required: [field],
  properties: { [field]: { type: "string", pattern: NOT_BLANK } },
})

/** Keys, and what they use. */
export const accountOperations: readonly Operation[] = [
  {
    id: "usage",
    method: "get",
    path: "/usage",
    tag: "Keys and usage",
    summary: "Credits used and left",
    description: "Of the project in the header `X-Project-ID`, when there is one.",
    access: "key",
    answers: { 200: { description: "Of the key, and of all keys.", schema: ref("UsageReport") } },
    examples: [{ summary: "What is used", status: 200 }],
  },
  {
    id: "logs",
    method: "post",
    path: "/logs",
    tag: "Keys and usage",
    summary: "Calls that were answered",
    access: "key",
    body: {
      schema: publishedBody(logsSchema, {
        endpoints: { anyOf: [oneEndpoint, { type: "array", items: oneEndpoint }] },
      }),
      required: false,
    },
    answers: { 200: { description: "The calls.", schema: ref("CallLog") } },
    examples: [
      { summary: "The last searches", body: { limit: 5, endpoints: ["search"] }, status: 200 },
      { summary: "An endpoint that there is not", body: { endpoints: ["news"] }, status: 400 },
    ],
  },
  {
    id: "feedback",
    method: "post",
    path: "/feedback",
    tag: "Keys and usage",
    summary: "Say what an answer was worth",
    access: "key",
    body: {
      schema: { ...publishedBody(feedbackSchema), anyOf: ["request_id", "session_id"].map(given) },
      required: true,
    },
    answers: { 200: { description: "It is kept.", schema: ref("FeedbackTaken") } },
    refusals: [422],
    examples: [
      {
        summary: "A good answer",
        body: { request_id: "0b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e", human_score: 5, used_ids: ["0b0b5f-00"] },
        status: 200,
      },
      { summary: "Of no answer", body: { human_score: 5 }, status: 400 },
    ],
  },
  {
    id: "requestPage",
    method: "post",
    path: "/page-requests",
    tag: "Keys and usage",
    summary: "Ask the operator for a page that the index lacks",
    description: "Nothing is fetched for it. It counts against the rate limit of feedback.",
    access: "key",
    body: {
      schema: { ...publishedBody(pageRequestSchema), anyOf: ["url", "query"].map(given) },
      required: true,
    },
    answers: { 200: { description: "The operator sees it.", schema: ref("PageRequestTaken") } },
    examples: [
      {
        summary: "A page that is missing",
        body: { url: "https://docs.example.com/old-pumps", query: "how are old pumps repaired?" },
        status: 200,
      },
      { summary: "Of no page", body: { comment: "Please." }, status: 400 },
    ],
  },
  {
    id: "generateKeys",
    method: "post",
    path: "/generate-keys",
    tag: "Keys and usage",
    summary: "Make keys that end by themselves",
    description: "With a key that may make keys. None may do more than the key that makes it.",
    access: "key",
    body: { schema: publishedBody(generateKeysSchema), required: true },
    answers: { 200: { description: "The keys.", schema: ref("KeysGenerated") } },
    examples: [
      {
        summary: "Two keys for a day, for search alone",
        body: { permission_level: "user", count: 2, ttl_hours: 24, endpoints: ["search"] },
        status: 200,
      },
    ],
  },
  {
    id: "deactivateKeys",
    method: "post",
    path: "/deactivate-keys",
    tag: "Keys and usage",
    summary: "End keys",
    description: "Those that one call made, or without a body the key of this call.",
    access: "key",
    body: { schema: publishedBody(deactivateKeysSchema), required: false },
    answers: { 200: { description: "They are refused from now on.", schema: ref("KeysDeactivated") } },
    refusals: [404],
    examples: [{ summary: "Of a call that made none", body: { request_id: "none" }, status: 404 }],
  },
  {
    id: "keyInfo",
    method: "get",
    path: "/key-info",
    tag: "Keys and usage",
    summary: "What the key of this call is",
    description: "Also of a key that is over.",
    access: "key",
    answers: { 200: { description: "The key.", schema: ref("KeyInfo") } },
    examples: [{ summary: "This key", status: 200 }],
  },
]
