import { CHANGES } from "../watch.ts"
import { optionsBody, watchBody } from "../watch-body.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"
import { NOT_BLANK } from "../../../server/wire/validate.ts"
import { type Operation, type Parameter, query } from "../../../server/operation/operation.ts"
import {
  count,
  listOf,
  object,
  oneOf,
  orNull,
  ref,
  text,
  time,
  yesNo,
} from "../../../server/operation/schemas.ts"

const common = {
  id: text(),
  name: text("Empty for none."),
  changes: listOf(oneOf(CHANGES)),
  webhook: orNull(text()),
  emails: listOf(text()),
  every_minutes: count(),
  paused: yesNo(),
  key_id: text("Of the key whose watch it is."),
  created_at: time(),
  ready_at: orNull(
    time("When it knew what was there already: changes since then are told. Null while it looks."),
  ),
  pages_seen: count("Pages that it watches now."),
  feed_url: text("Of its Atom feed. Whoever has this address may read it."),
}
const subject = {
  question: { type: "object", description: "Of a watched question: a body of `/search`." },
  source: text("Of a watched source."),
  include: listOf(text()),
  exclude: listOf(text()),
  url: text("Of a watched page."),
}

export const watchSchemas = {
  Watch: object(common, { optional: subject }),
  WatchMade: object(
    { ...common, webhook_secret: text("Signs its webhooks, as Standard Webhooks says; shown only here.") },
    { optional: subject },
  ),
  WatchWithDeliveries: object(
    { ...common, deliveries: listOf(ref("WatchDelivery"), "Messages of the last week, newest first.") },
    { optional: subject },
  ),
  WatchDelivery: object({
    id: text("The `webhook-id`; the same for every attempt."),
    kind: oneOf(["webhook", "email"]),
    receiver: text(),
    first_entry: count("Number of the first entry that it tells of."),
    last_entry: count(),
    state: oneOf(["waiting", "delivered", "given-up"]),
    attempts: count(),
    created_at: time(),
    last_attempt_at: orNull(time()),
    next_attempt_at: orNull(time("Null once it is over.")),
    last_status: orNull(count()),
    last_error: orNull(text()),
  }),
  WatchEntry: object({
    seq: count("Rises from entry to entry."),
    id: { type: "string", format: "uuid", description: "The same in the feed and in messages." },
    change: oneOf(CHANGES),
    url: text(),
    title: text(),
    diff: orNull(
      text("What changed in its Markdown, in the unified format; null where the text before was not kept."),
    ),
    at: time("When the change was found in the index."),
  }),
}

const id: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Of the watch.",
  schema: { type: "string", minLength: 1 },
}
const tag = "Watches"
const access = "key"

/** Saved questions, sources and pages, and what changed. */
export const watchOperations: readonly Operation[] = [
  {
    id: "listWatches",
    method: "get",
    path: "/watches",
    tag,
    summary: "List watches",
    access,
    parameters: [
      query("all", "Those of all keys; with a key of the role `admin`.", {
        type: "string",
        enum: ["true", "false"],
      }),
    ],
    answers: {
      200: { description: "Oldest first.", schema: object({ watches: listOf(ref("Watch")) }) },
    },
    refusals: [403],
    examples: [{ summary: "Those of this key", status: 200 }],
  },
  {
    id: "createWatch",
    method: "post",
    path: "/watches",
    tag,
    summary: "Watch a question, a source or a page",
    description:
      "Exactly one of `question`, `source` and `url`. What is there already is no news: `ready_at` says when that is known. It costs nothing.",
    access,
    body: {
      schema: {
        type: "object",
        additionalProperties: false,
        ...watchBody,
        oneOf: ["question", "source", "url"].map((field) => ({ required: [field] })),
        dependentRequired: { include: ["source"], exclude: ["source"] },
      },
      required: true,
    },
    answers: { 201: { description: "The watch.", schema: ref("WatchMade") } },
    refusals: [400, 403, 422, 432],
    examples: [
      {
        summary: "A question, told to a webhook",
        body: { question: "how do I rotate keys?", webhook: "https://hooks.example.com/fossick" },
        status: 201,
      },
      { summary: "Of nothing", body: { name: "Nothing" }, status: 400 },
    ],
  },
  {
    id: "getWatch",
    method: "get",
    path: "/watches/{id}",
    tag,
    summary: "Show a watch",
    access,
    parameters: [id],
    answers: { 200: { description: "The watch.", schema: ref("WatchWithDeliveries") } },
    refusals: [404],
    examples: [{ summary: "One that there is not", path: { id: "1" }, status: 404 }],
  },
  {
    id: "changeWatch",
    method: "put",
    path: "/watches/{id}",
    tag,
    summary: "Change how a watch tells",
    description:
      "Fields that are left out stay as they are. What is watched cannot be changed: make another.",
    access,
    parameters: [id],
    body: { schema: { type: "object", additionalProperties: false, ...optionsBody }, required: true },
    answers: { 200: { description: "The watch.", schema: ref("Watch") } },
    refusals: [400, 403, 404, 422],
    examples: [
      { summary: "Once an hour at most", path: { id: "1" }, body: { every_minutes: 60 }, status: 404 },
    ],
  },
  {
    id: "deleteWatch",
    method: "delete",
    path: "/watches/{id}",
    tag,
    summary: "End a watch",
    access,
    parameters: [id],
    answers: {
      200: { description: "It is gone.", schema: object({ id: text(), deleted: { const: true } }) },
    },
    refusals: [403, 404],
    examples: [{ summary: "One that there is not", path: { id: "1" }, status: 404 }],
  },
  {
    id: "listWatchEntries",
    method: "get",
    path: "/watches/{id}/entries",
    tag,
    summary: "What changed",
    access,
    parameters: [
      id,
      query("after", "Only entries behind this number, oldest first; without it the newest first.", {
        type: "integer",
        minimum: 0,
      }),
      query("limit", "Entries at most.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
      }),
    ],
    answers: {
      200: {
        description: "The entries, as far as the key may see their pages now.",
        schema: object({
          entries: listOf(ref("WatchEntry")),
          next_after: count("Where to go on: `after` of the next call."),
        }),
      },
    },
    refusals: [400, 404],
    examples: [{ summary: "Behind entry 17", path: { id: "1" }, query: { after: "17" }, status: 404 }],
  },
  {
    id: "getWatchFeed",
    method: "get",
    path: "/watches/{id}/feed",
    tag,
    summary: "What changed, as an Atom feed",
    description: "The newest 100 entries (RFC 4287). The address in `feed_url` opens it without a key.",
    access: "none",
    parameters: [id, query("token", "As in `feed_url`.", { type: "string", pattern: NOT_BLANK }, true)],
    answers: { 200: { description: "The feed.", schema: text(), type: "application/atom+xml" } },
    refusals: [400, 404],
    examples: [
      { summary: "With a token that opens nothing", path: { id: "1" }, query: { token: "x" }, status: 404 },
    ],
  },
]
