import { ACTOR_KINDS } from "#base/audit/audit-log.ts"

import { PURPOSES } from "../outbound/admin-routes.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../server/wire/body-schema.ts"
import { NOT_BLANK } from "../../server/wire/validate.ts"
import { type Operation, query } from "../../server/operation/operation.ts"
import { count, listOf, object, oneOf, orNull, ref, text, time } from "../../server/operation/schemas.ts"

const when = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$",
}
const filled = { type: "string", pattern: NOT_BLANK }
const filters = [
  query("from", "Changed at this time or later.", when),
  query("before", "Changed before this time.", when),
  query("who", "Id or name of a key, or the machine's user of the command line.", filled),
  query("object", "What was changed, or how it begins: `sources`, `sources/docs`.", filled),
  query("action", "A part of what was done: `DELETE`, `/admin/keys`, `fossick rules`.", filled),
]

/** Who changed what, and whom the appliance talked to. */
export const auditOperations: readonly Operation[] = [
  {
    id: "listAudit",
    method: "get",
    path: "/admin/audit",
    tag: "Upkeep",
    access: "admin",
    summary: "Who changed what, newest first",
    description:
      "Each change with a key of the role `admin`, by somebody who signed in with one, or by the command line on the data folder.",
    parameters: [
      ...filters,
      query("limit", "Entries at most.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      query("offset", "Entries to leave out.", { type: "integer", minimum: 0, default: 0 }),
    ],
    answers: { 200: { description: "The entries.", schema: ref("AuditEntries") } },
    examples: [{ summary: "What was done to sources", query: { object: "sources" }, status: 200 }],
  },
  {
    id: "exportAudit",
    method: "get",
    path: "/admin/audit.jsonl",
    tag: "Upkeep",
    access: "admin",
    summary: "Who changed what, as a file",
    parameters: filters,
    answers: {
      200: {
        description: "One `AuditEntry` a line, oldest first.",
        schema: { type: "string" },
        type: "application/x-ndjson",
      },
    },
    examples: [{ summary: "All of it", status: 200 }],
  },
  {
    id: "listOutbound",
    method: "get",
    path: "/admin/outbound",
    tag: "Upkeep",
    access: "admin",
    summary: "Whom the appliance talked to",
    description: "Hosts that connections were made to, those talked to last first; 10,000 are kept.",
    parameters: [
      query("purpose", "Only those for this.", { type: "string", enum: PURPOSES }),
      query("limit", "Hosts at most.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      query("offset", "Hosts to leave out.", { type: "integer", minimum: 0, default: 0 }),
    ],
    answers: { 200: { description: "The hosts.", schema: ref("OutboundHosts") } },
    examples: [{ summary: "All of them", status: 200 }],
  },
]

export const auditSchemas = {
  OutboundHosts: object({
    hosts: listOf(
      object({
        purpose: oneOf(PURPOSES),
        host: text("With its port, if that is not the usual one."),
        first_at: time(),
        last_at: time(),
        count: count("Connections to sites and receivers, answers of servers that the operator named."),
      }),
      "Those talked to last come first.",
    ),
    total: count(),
    limit: count(),
    offset: count(),
  }),
  AuditEntry: object({
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
        before: orNull(
          text("In short, as JSON, without secrets; null: it was not there, or it is not known."),
        ),
        after: orNull(text("Likewise.")),
      }),
    ),
    address: text("IP address of the caller; empty for the command line."),
  }),
  AuditEntries: object({
    entries: listOf(ref("AuditEntry"), "Newest first."),
    total: count("Of all that fit, not only of those listed."),
    days: count("For which entries are kept."),
    limit: count(),
    offset: count(),
  }),
}
