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

/** Default number of days of usage in the response. */
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
      client_name: text("Name that the program gave itself."),
      key_id: text("Id of the key or person that gave the program access."),
      collections: orNull(
        listOf(text(), "Collections the program may search; null for everything the key may search."),
      ),
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
        key_id: text("Id of the key that sent the feedback."),
        ...optional(publishedBody(feedbackSchema)["properties"] as Fields),
      },
      "The fields as the caller sent them.",
    ),
  ),
  ...ofSlice,
})
const PageRequestList = namedObject("PageRequestList", {
  requests: listOf(
    object({
      id: text(),
      url: orNull(text("The missing page; null if the callers gave only a question.")),
      query: orNull(text("The latest question.")),
      comment: orNull(text("The latest comment.")),
      keys: count("Keys that asked for the page."),
      first_at: time(),
      last_at: time(),
      in_index: yesNo("Whether the index contains the page now."),
    }),
  ),
  ...ofSlice,
})
const PageRequestSettled = namedObject("PageRequestSettled", { id: text(), settled: always(true) })

/** Feedback, page requests, usage by key, and programs with access. */
export const callerOperations = operations("Usage", "admin", {
  listFeedback: {
    at: "GET /admin/feedback",
    tag: "Feedback",
    summary: "Feedback on answers, newest first",
    query: sliceOf(),
    answers: ok(FeedbackList, "The feedback."),
    examples: [{ summary: "All feedback" }],
  },
  listPageRequests: {
    at: "GET /admin/page-requests",
    access: "operator",
    tag: "Feedback",
    summary: "Pages that callers ask for, most requested first",
    query: sliceOf(),
    answers: ok(PageRequestList, "The requests."),
    examples: [{ summary: "All requests" }],
  },
  settlePageRequest: {
    at: "DELETE /admin/page-requests/{id}",
    access: "operator",
    tag: "Feedback",
    summary: "Delete a request that is done or declined",
    path: { id: text("Id of the request.", { minLength: 1 }) },
    answers: ok(PageRequestSettled, "Deleted."),
    refusals: [404],
    examples: [{ summary: "No such request", path: { id: "none" }, status: 404 }],
  },
  listGrants: {
    at: "GET /admin/oauth/grants",
    summary: "Programs with access over OAuth, newest first",
    query: { limit: sliceOf().limit },
    answers: ok(GrantList, "The grants."),
    examples: [{ summary: "All of them" }],
  },
  revokeGrant: {
    at: "DELETE /admin/oauth/grants/{id}",
    summary: "Revoke a program's access",
    path: { id: text("Id of the grant.", { minLength: 1 }) },
    answers: ok(GrantRevoked, "Revoked; its tokens no longer work."),
    refusals: [404],
    examples: [{ summary: "An unknown grant", path: { id: "1" }, status: 404 }],
  },
  keyUsage: {
    at: "GET /admin/usage",
    summary: "What each key used, by day or month, newest first",
    description:
      "Answered calls and the credits charged for them. Days and months are in UTC; usage is kept for 396 days.",
    query: {
      key_id: filled("Only usage of this key."),
      days: withDefault(whole(1, USE_DAYS, "Number of days, including today."), DEFAULT_USE_DAYS),
      by: withDefault({ ...period, description: "Length of each period." }, "day"),
    },
    answers: ok(KeyUsage, "The usage."),
    examples: [{ summary: "By month", query: { by: "month", days: "396" } }],
  },
})
