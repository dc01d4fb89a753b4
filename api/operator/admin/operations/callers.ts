import { type Endpoint, ENDPOINTS } from "../../../identity/accounts/keys/key-scope.ts"
import { USE_DAYS } from "../../../identity/accounts/key-use.ts"
import { feedbackSchema } from "../../usage/schema.ts"
import { ok, operations } from "../../../server/operation/operation.ts"
import { publishedBody } from "../../../server/operation/published.ts"
import { filled, ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  always,
  count,
  type Fields,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../../server/schema/schemas.ts"

/** Days of usage that are shown when nobody says how many. */
const DEFAULT_USE_DAYS = 30
const period = oneOf(["day", "month"])

const used = object({ calls: count(), credits: count() })
const KeyUsage = namedObject("KeyUsage", {
  usage: listOf(
    object({
      time: text("Day or month, in UTC."),
      key_id: text(),
      calls: count(),
      credits: count(),
      endpoints: object(
        Object.fromEntries(ENDPOINTS.map((name) => [name, used])) as Record<Endpoint, typeof used>,
      ),
    }),
  ),
  days: count(),
  by: period,
})
const GrantList = namedObject("GrantList", {
  grants: listOf(
    object({
      id: text(),
      client_id: text(),
      client_name: text("What the program calls itself."),
      key_id: text("Of the key with which it was let in."),
      collections: orNull(listOf(text(), "It is held to; null: all that the key may see.")),
      created_at: time(),
      used_at: orNull(time()),
      revoked_at: orNull(time()),
    }),
  ),
})
const GrantRevoked = namedObject("GrantRevoked", { id: text(), revoked: always(true) })
const FeedbackList = namedObject("FeedbackList", {
  feedback: listOf(
    object(
      {
        feedback_id: text(),
        at: time(),
        key_id: text("Of the key that gave it."),
        ...optional(publishedBody(feedbackSchema)["properties"] as Fields),
      },
      "The fields that came, as they came.",
    ),
  ),
  ...ofSlice,
})
const PageRequestList = namedObject("PageRequestList", {
  requests: listOf(
    object({
      id: text(),
      url: orNull(text("The page that is missing; null when only a question is known.")),
      query: orNull(text("What was looked for the last time.")),
      comment: orNull(text("Of the last time.")),
      keys: count("That asked for it."),
      first_at: time(),
      last_at: time(),
      in_index: yesNo("True once the index holds it."),
    }),
  ),
  ...ofSlice,
})
const PageRequestSettled = namedObject("PageRequestSettled", { id: text(), settled: always(true) })

/** What callers think and miss, what keys used, and which programs were let in. */
export const callerOperations = operations("Usage", "admin", {
  listFeedback: {
    at: "GET /admin/feedback",
    tag: "Feedback",
    summary: "What callers think of their answers, newest first",
    query: sliceOf(),
    answers: ok(FeedbackList, "The feedback."),
    examples: [{ summary: "All of it" }],
  },
  listPageRequests: {
    at: "GET /admin/page-requests",
    tag: "Feedback",
    summary: "Pages that callers ask for, what most keys want first",
    query: sliceOf(),
    answers: ok(PageRequestList, "What is asked for."),
    examples: [{ summary: "All of it" }],
  },
  settlePageRequest: {
    at: "DELETE /admin/page-requests/{id}",
    tag: "Feedback",
    summary: "Forget a request, since it was met or will not be",
    path: { id: text("Of the request.", { minLength: 1 }) },
    answers: ok(PageRequestSettled, "It is gone."),
    refusals: [404],
    examples: [{ summary: "No such request", path: { id: "none" }, status: 404 }],
  },
  listGrants: {
    at: "GET /admin/oauth/grants",
    summary: "Programs that were let in over OAuth, newest first",
    query: { limit: sliceOf().limit },
    answers: ok(GrantList, "The grants."),
    examples: [{ summary: "All of them" }],
  },
  revokeGrant: {
    at: "DELETE /admin/oauth/grants/{id}",
    summary: "Let a program in no more",
    path: { id: text("Of the grant.", { minLength: 1 }) },
    answers: ok(GrantRevoked, "Its tokens are refused from now on."),
    refusals: [404],
    examples: [{ summary: "One that there is not", path: { id: "1" }, status: 404 }],
  },
  keyUsage: {
    at: "GET /admin/usage",
    summary: "What each key used, by day or month, newest first",
    description: "Answered calls and the credits that fell due with them, in UTC. Known for 396 days.",
    query: {
      key_id: filled("Of this key only."),
      days: withDefault(whole(1, USE_DAYS, "The last days, today among them."), DEFAULT_USE_DAYS),
      by: withDefault({ ...period, description: "What is summed up." }, "day"),
    },
    answers: ok(KeyUsage, "The usage."),
    examples: [{ summary: "By month", query: { by: "month", days: "396" } }],
  },
})
