import { CHANNELS, NOTIFYING } from "#crawler/reporting/alerts/channels/registry.ts"
import type { DeliveryState } from "#base/work/retries.ts"

import { accepted, ok, operations } from "../../../server/operation/operation.ts"
import { noBody, ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/list-limits.ts"
import {
  always,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
  time,
  whole,
  withDefault,
} from "../../../server/schema/schemas.ts"

const STATES = ["waiting", "delivered", "given-up"] as const satisfies readonly DeliveryState[]

const DeliveryList = namedObject("DeliveryList", {
  deliveries: listOf(
    object({
      id: text(),
      source: orNull(text("Null for a message about a backup.")),
      job_id: orNull(count()),
      event: oneOf(["finished", "changed", "alert"]),
      url: text(),
      state: oneOf(STATES),
      attempts: count(),
      created_at: time(),
      last_attempt_at: orNull(time()),
      next_attempt_at: orNull(time()),
      last_status: orNull(count()),
      last_error: orNull(text()),
    }),
  ),
  ...ofSlice,
})
const DeliveryRetried = namedObject("DeliveryRetried", { id: text(), state: always("waiting") })

const noticeFields = {
  id: text(),
  recipient: text(),
  subject: text(),
  state: oneOf(STATES),
  attempts: count(),
  created_at: time(),
  last_attempt_at: orNull(time()),
  next_attempt_at: orNull(time()),
  last_error: orNull(text()),
}
const Alerts = namedObject("Alerts", {
  alerts: listOf(
    object({
      about: oneOf(["source", "backup"]),
      name: text(),
      run_id: count("Number of the latest bad run, of a job or a backup."),
      result: text("How that run ended."),
      reason: orNull(text()),
      bad_runs: count("Consecutive bad runs."),
      since: time(),
      told_at: orNull(time()),
    }),
  ),
  mails: listOf(object(noticeFields)),
  notifications: listOf(
    object({
      channel: oneOf(NOTIFYING),
      ...noticeFields,
      recipient: text("Only the host, since topics are secret."),
    }),
    "Messages sent through channels other than e-mail and webhooks.",
  ),
})
const AlertsTested = namedObject("AlertsTested", {
  tested: listOf(
    object({
      by: oneOf(CHANNELS.map(({ name }) => name)),
      to: text("The recipient, or the host of the webhook or of ntfy."),
      error: orNull(text("Why the message was not accepted; null if it was.")),
    }),
  ),
})

/** Messages about runs and changes. */
export const webhookOperations = operations("Webhooks", "admin", {
  listAlerts: {
    at: "GET /admin/alerts",
    summary: "Failing sources and backups, and the alerts about them",
    query: {
      mail_limit: withDefault(
        whole(0, MAX_LIMIT, "Maximum number of messages per channel, newest first."),
        DEFAULT_LIMIT,
      ),
    },
    answers: ok(Alerts, "Current problems; `told_at` is null until there are enough bad runs for an alert."),
    examples: [{ summary: "All of them" }],
  },
  testAlerts: {
    at: "POST /admin/alerts/test",
    summary: "Send a test alert to each receiver",
    description:
      "Sends one message to each address in `FOSSICK_ALERT_EMAIL`, to `FOSSICK_ALERT_NTFY` and to `FOSSICK_ALERT_WEBHOOK`. Answers once every receiver has answered, and doesn't retry.",
    body: noBody,
    answers: ok(AlertsTested, "The result for each receiver."),
    refusals: [409, 422],
    examples: [{ summary: "No receiver is set", status: 409 }],
  },
  listDeliveries: {
    at: "GET /admin/webhooks/deliveries",
    summary: "Messages to webhooks, newest first",
    query: { state: oneOf(STATES, "Only messages in this state."), ...sliceOf() },
    answers: ok(DeliveryList, "The messages."),
    examples: [{ summary: "All of them" }],
  },
  retryDelivery: {
    at: "POST /admin/webhooks/deliveries/{id}/retry",
    summary: "Send a message again now",
    path: { id: text("Id of the message.", { minLength: 1 }) },
    body: noBody,
    answers: accepted(DeliveryRetried, "Waiting to be sent."),
    refusals: [404, 422],
    examples: [{ summary: "No such message", path: { id: "none" }, status: 404 }],
  },
})
