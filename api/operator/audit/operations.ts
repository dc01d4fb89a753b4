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
      "`key`: a call with an API key; `session`: somebody who signed in; `command`: the command line.",
    ),
    id: text("Of the key; of the command line: the user of the machine."),
    name: text("What the key was called then; empty: it had no name."),
  }),
  action: text("`PUT /admin/sources/{name}`, `fossick keys create`."),
  object: text("What was changed: `sources/docs`."),
  status: orNull(count("Of the answer; null for the command line.")),
  changes: listOf(
    object({
      field: text(),
      before: orNull(text("In short, as JSON, without secrets; null: it was not there, or it is not known.")),
      after: orNull(text("Likewise.")),
    }),
  ),
  address: text("IP address of the caller; empty for the command line."),
})
const AuditEntries = namedObject("AuditEntries", {
  entries: listOf(AuditEntry, "Newest first."),
  days: count("For which entries are kept."),
  ...ofSlice,
})

const filters = {
  from: moment("Changed at this time or later."),
  before: moment("Changed before this time."),
  who: filled("Id or name of a key, or the machine's user of the command line."),
  object: filled("What was changed, or how it begins: `sources`, `sources/docs`."),
  action: filled("A part of what was done: `DELETE`, `/admin/keys`, `fossick rules`."),
}

/** Who changed what. */
export const auditOperations = operations("Upkeep", "admin", {
  listAudit: {
    at: "GET /admin/audit",
    summary: "Who changed what, newest first",
    description:
      "Each change with a key of the role `admin`, by somebody who signed in with one, or by the command line on the data folder.",
    query: { ...filters, ...sliceOf() },
    answers: ok(AuditEntries, "The entries."),
    examples: [{ summary: "What was done to sources", query: { object: "sources" } }],
  },
  exportAudit: {
    at: "GET /admin/audit.jsonl",
    summary: "Who changed what, as a file",
    query: filters,
    answers: {
      200: {
        description: "One `AuditEntry` a line, oldest first.",
        schema: text(),
        type: "application/x-ndjson",
      },
    },
    examples: [{ summary: "All of it" }],
  },
})
