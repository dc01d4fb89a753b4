import { type Endpoint, ENDPOINTS } from "../../../identity/accounts/keys/key-scope.ts"
import {
  deactivateKeysSchema,
  feedbackSchema,
  generateKeysSchema,
  logsSchema,
  pageRequestSchema,
} from "../schema.ts"
import { ok, operations } from "../../../server/operation/operation.ts"
import { publishedBody } from "../../../server/operation/published.ts"
import {
  always,
  count,
  type JsonSchema,
  listOf,
  named,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
} from "../../../server/schema/schemas.ts"
import { responseTime, warnings } from "../../../server/operation/shared-fields.ts"

const credits = count("Credits.")
const byEndpoint = Object.fromEntries(ENDPOINTS.map((endpoint) => [`${endpoint}_usage`, credits])) as Record<
  `${Endpoint}_usage`,
  typeof credits
>

/** An answer that names the unknown fields of its request. */
const warned = <const F extends Readonly<Record<string, JsonSchema>>>(fields: F) =>
  object({ ...fields, ...optional({ warnings }) })

export const UsageReport = namedObject("UsageReport", {
  key: object({
    usage: count("Credits that the key of this call has used."),
    limit: orNull(count("Credits that the key may use; null for no limit.")),
    ...byEndpoint,
  }),
  account: object({
    current_plan: text(),
    plan_usage: count("Credits that all keys used, up to the plan's limit."),
    plan_limit: orNull(count("Credits of the plan; null for no limit.")),
    paygo_usage: count("Credits that all keys used beyond the plan's limit."),
    paygo_limit: orNull(count("Credits that may be used beyond the plan's limit; null for no limit.")),
    ...byEndpoint,
  }),
})
export const CallLog = named(
  "CallLog",
  warned({
    logs: listOf(
      object({
        timestamp: text("`2026-08-06T13:14:34.739000+00:00`"),
        endpoint: oneOf(ENDPOINTS),
        depth: orNull(text()),
        response_time: responseTime,
        credits,
        api_key: text("Last characters of the key."),
        request_id: text(),
        ...optional({ person: text("Id of the person that the key acted for.") }),
      }),
      "Newest first; without questions and results.",
    ),
    count: count(),
    response_time: responseTime,
    request_id: text(),
  }),
)
export const FeedbackTaken = named(
  "FeedbackTaken",
  warned({
    success: always(true),
    feedback_id: text(undefined, { format: "uuid" }),
    response_time: responseTime,
  }),
)
export const PageRequestTaken = named(
  "PageRequestTaken",
  warned({
    success: always(true),
    id: text("Id of the request, the same for the same address or question."),
    response_time: responseTime,
  }),
)
export const KeysGenerated = named(
  "KeysGenerated",
  warned({
    keys: listOf(text(), "Shown only here."),
    expires_at: text("`2026-02-25T01:14:45Z`"),
    created: text("`2026-02-24T15:14:45`, in UTC."),
    message: text(),
    request_id: text("Identifies these keys for `/deactivate-keys`."),
  }),
)
export const KeysDeactivated = named("KeysDeactivated", warned({ message: text() }))
export const KeyInfo = namedObject("KeyInfo", {
  name: text(),
  created: orNull(text("`2026-02-24T15:14:45`, in UTC; null for the key in `FOSSICK_API_KEY`.")),
  expires_at: text("A time, or `never`."),
  key_type: oneOf(["development", "production"]),
  status: oneOf(["active", "deactivated"]),
})

/** Keys, and their usage. */
export const accountOperations = operations("Keys and usage", "key", {
  usage: {
    at: "GET /usage",
    summary: "Credits used and left",
    description: "For the project in the header `X-Project-ID`, if there is one.",
    answers: ok(UsageReport, "Usage of the key and of all keys."),
    examples: [{ summary: "Usage" }],
  },
  logs: {
    at: "POST /logs",
    summary: "Answered calls",
    body: {
      schema: publishedBody(logsSchema),
      required: false,
    },
    answers: ok(CallLog, "The calls."),
    examples: [
      { summary: "The last searches", body: { limit: 5, endpoints: ["search"] } },
      { summary: "An unknown endpoint", body: { endpoints: ["news"] }, status: 400 },
    ],
  },
  feedback: {
    at: "POST /feedback",
    summary: "Rate an answer",
    body: {
      schema: publishedBody(feedbackSchema),
      required: true,
    },
    answers: ok(FeedbackTaken, "Stored."),
    refusals: [422],
    examples: [
      {
        summary: "A good answer",
        body: {
          request_id: "0b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
          human_score: 5,
          used_ids: ["0b0b5f-00"],
        },
      },
      { summary: "Without an answer", body: { human_score: 5 }, status: 400 },
    ],
  },
  requestPage: {
    at: "POST /page-requests",
    summary: "Ask the operator for a page that the index lacks",
    description: "The page isn't fetched. The call counts against the rate limit of feedback.",
    body: {
      schema: publishedBody(pageRequestSchema),
      required: true,
    },
    answers: ok(PageRequestTaken, "The operator will see the request."),
    examples: [
      {
        summary: "A missing page",
        body: { url: "https://docs.example.com/old-pumps", query: "how are old pumps repaired?" },
      },
      { summary: "Without a page", body: { comment: "Please." }, status: 400 },
    ],
  },
  generateKeys: {
    at: "POST /generate-keys",
    summary: "Make keys that expire",
    description: "Needs a key that may make keys. The new keys can do no more than the key that makes them.",
    body: { schema: publishedBody(generateKeysSchema), required: true },
    answers: ok(KeysGenerated, "The keys."),
    examples: [
      {
        summary: "Two keys for a day, for search only",
        body: { permission_level: "user", count: 2, ttl_hours: 24, endpoints: ["search"] },
      },
    ],
  },
  deactivateKeys: {
    at: "POST /deactivate-keys",
    summary: "Deactivate keys",
    description: "Deactivates the keys that one call made or, without a body, the key of this call.",
    body: { schema: publishedBody(deactivateKeysSchema), required: false },
    answers: ok(KeysDeactivated, "The keys no longer work."),
    refusals: [404],
    examples: [{ summary: "A call that made no keys", body: { request_id: "none" }, status: 404 }],
  },
  keyInfo: {
    at: "GET /key-info",
    summary: "Details of the key of this call",
    description: "Also answers for an expired key.",
    answers: ok(KeyInfo, "The key."),
    examples: [{ summary: "This key" }],
  },
})
