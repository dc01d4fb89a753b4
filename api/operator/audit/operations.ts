import { ACTOR_KINDS } from "#base/audit/audit-log.ts"

import { ok, operations } from "../../server/operation/operation.ts"
import { filled, moment, ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import { count, listOf, namedObject, object, oneOf, orNull, text, time } from "../../server/schema/schemas.ts"

const AuditEntry = namedObject("AuditEntry", {
  id: count(),
  at: time(),
  who: object({
    kind: oneOf(
      ACTOR_KINDS,
      "`key`: a call with an API key; `session`: a person who signed in; `command`: the command line.",
    ),
    id: text("Id of the key; for the command line, the user on the machine."),
    name: text("Name of the key at the time; empty if it had none."),
  }),
  action: text("The action, such as `PUT /admin/sources/{name}` or `fossick keys create`."),
  object: text("The changed object, such as `sources/docs`."),
  status: orNull(count("Status of the answer; null for the command line.")),
  changes: listOf(
    object({
      field: text(),
      before: orNull(
        text("The old value as short JSON without secrets; null if there was none, or if it is unknown."),
      ),
      after: orNull(text("The new value, in the same form.")),
    }),
  ),
  address: text("IP address of the caller; empty for the command line."),
})
const AuditEntries = namedObject("AuditEntries", {
  entries: listOf(AuditEntry, "Newest first."),
  days: count("Days for which entries are kept."),
  ...ofSlice,
})

const filters = {
  from: moment("Changed at this time or later."),
  before: moment("Changed before this time."),
  who: filled("Id or name of a key, or the user on the machine for the command line."),
  object: filled("The changed object or its beginning: `sources`, `sources/docs`."),
  action: filled("Part of the action: `DELETE`, `/admin/keys`, `fossick rules`."),
}

/** The audit log. */
export const auditOperations = operations("Upkeep", "admin", {
  listAudit: {
    at: "GET /admin/audit",
    summary: "Who changed what, newest first",
    description:
      "Each change made by a key or person with the role `admin` or `operator`, or from the command line on the data folder.",
    query: { ...filters, ...sliceOf() },
    answers: ok(AuditEntries, "The entries."),
    examples: [{ summary: "Changes to sources", query: { object: "sources" } }],
  },
  exportAudit: {
    at: "GET /admin/audit.jsonl",
    summary: "Who changed what, as a file",
    query: filters,
    answers: {
      200: {
        description: "One `AuditEntry` per line, oldest first.",
        schema: text(),
        type: "application/x-ndjson",
      },
    },
    examples: [{ summary: "All entries" }],
  },
})
