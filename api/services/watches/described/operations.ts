import { CHANGES } from "../watch.ts"
import { optionsBody, watchBody } from "../watch-body.ts"
import { created, ok, operations } from "../../../server/operation/operation.ts"
import { closedBody } from "../../../server/operation/published.ts"
import { filled, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  always,
  anyObject,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  yesNo,
} from "../../../server/schema/schemas.ts"

const common = {
  id: text(),
  name: text("Empty if it has none."),
  changes: listOf(oneOf(CHANGES)),
  webhook: orNull(text()),
  emails: listOf(text()),
  every_minutes: count(),
  paused: yesNo(),
  key_id: text("Id of the key that owns the watch."),
  created_at: time(),
  ready_at: orNull(
    time("When the watch had seen all existing pages. It reports changes since then; null until then."),
  ),
  pages_seen: count("Pages that the watch covers now."),
  feed_url: text("Address of its Atom feed. Anyone with this address can read it."),
}
const subject = {
  question: anyObject("For a watched question: a body of `/search`."),
  source: text("For a watched source: its name."),
  include: listOf(text()),
  exclude: listOf(text()),
  url: text("For a watched page: its address."),
}

const Watch = namedObject("Watch", { ...common, ...optional(subject) })
const WatchMade = namedObject("WatchMade", {
  ...common,
  webhook_secret: text("Signs its webhooks, as in Standard Webhooks; shown only here."),
  ...optional(subject),
})
const WatchDelivery = namedObject("WatchDelivery", {
  id: text("The `webhook-id`; the same for every attempt."),
  kind: oneOf(["webhook", "email"]),
  receiver: text(),
  first_entry: count("Number of the first entry in the message."),
  last_entry: count(),
  state: oneOf(["waiting", "delivered", "given-up"]),
  attempts: count(),
  created_at: time(),
  last_attempt_at: orNull(time()),
  next_attempt_at: orNull(time("Null once the message has been delivered or given up.")),
  last_status: orNull(count()),
  last_error: orNull(text()),
})
const WatchWithDeliveries = namedObject("WatchWithDeliveries", {
  ...common,
  deliveries: listOf(WatchDelivery, "Messages from the last week, newest first."),
  ...optional(subject),
})
const WatchEntry = namedObject("WatchEntry", {
  seq: count("Increases from entry to entry."),
  id: text("The same in the feed and in messages.", { format: "uuid" }),
  change: oneOf(CHANGES),
  url: text(),
  title: text(),
  diff: orNull(
    text("What changed in its Markdown, as a unified diff; null if the earlier text was not stored."),
  ),
  at: time("When the change was found in the index."),
})

const path = { id: text("Id of the watch.", { minLength: 1 }) }
const missing = { summary: "A watch that does not exist", path: { id: "1" }, status: 404 }

/** Saved questions, sources and pages, and how they changed. */
export const watchOperations = operations("Watches", "key", {
  listWatches: {
    at: "GET /watches",
    summary: "List watches",
    query: {
      all: oneOf(["true", "false"], "Lists the watches of all keys; needs a key with the role `admin`."),
    },
    answers: {
      200: { description: "Oldest first.", schema: object({ watches: listOf(Watch) }) },
    },
    refusals: [403],
    examples: [{ summary: "Watches of this key" }],
  },
  createWatch: {
    at: "POST /watches",
    summary: "Watch a question, a source or a page",
    description:
      "Takes exactly one of `question`, `source` and `url`. Existing pages are not reported: `ready_at` says when they are known. Free.",
    body: closedBody(watchBody, {
      required: true,
      oneOf: ["question", "source", "url"].map((field) => ({ required: [field] })),
      dependentRequired: { include: ["source"], exclude: ["source"] },
    }),
    answers: created(WatchMade, "The watch."),
    refusals: [400, 403, 422, 432],
    examples: [
      {
        summary: "A question, reported to a webhook",
        body: { question: "how do I rotate keys?", webhook: "https://hooks.example.com/fossick" },
      },
      { summary: "Nothing to watch", body: { name: "Nothing" }, status: 400 },
    ],
  },
  getWatch: {
    at: "GET /watches/{id}",
    summary: "Show a watch",
    path,
    answers: ok(WatchWithDeliveries, "The watch."),
    refusals: [404],
    examples: [missing],
  },
  changeWatch: {
    at: "PUT /watches/{id}",
    summary: "Change how a watch reports",
    description:
      "Omitted fields keep their values. You can't change what is watched: create another watch instead.",
    path,
    body: closedBody(optionsBody, { required: true }),
    answers: ok(Watch, "The watch."),
    refusals: [400, 403, 404, 422],
    examples: [
      { summary: "Once an hour at most", path: { id: "1" }, body: { every_minutes: 60 }, status: 404 },
    ],
  },
  deleteWatch: {
    at: "DELETE /watches/{id}",
    summary: "Delete a watch",
    path,
    answers: {
      200: { description: "The watch was deleted.", schema: object({ id: text(), deleted: always(true) }) },
    },
    refusals: [403, 404],
    examples: [missing],
  },
  listWatchEntries: {
    at: "GET /watches/{id}/entries",
    summary: "What changed",
    path,
    query: {
      after: count("Only entries after this number, oldest first; without it, the newest first."),
      limit: sliceOf().limit,
    },
    answers: {
      200: {
        description: "The entries whose pages the key may see now.",
        schema: object({
          entries: listOf(WatchEntry),
          next_after: count("`after` for the next call."),
        }),
      },
    },
    refusals: [400, 404],
    examples: [{ summary: "After entry 17", path: { id: "1" }, query: { after: "17" }, status: 404 }],
  },
  getWatchFeed: {
    at: "GET /watches/{id}/feed",
    summary: "What changed, as an Atom feed",
    description: "The newest 100 entries (RFC 4287). The address in `feed_url` opens it without a key.",
    access: "none",
    path,
    query: { token: filled("The token in `feed_url`.") },
    needs: ["token"],
    answers: { 200: { description: "The feed.", schema: text(), type: "application/atom+xml" } },
    refusals: [400, 404],
    examples: [{ summary: "With a wrong token", path: { id: "1" }, query: { token: "x" }, status: 404 }],
  },
})
