import { QUERY_REPORTS } from "./query-log.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../server/wire/body-schema.ts"
import { type Operation, query } from "../../server/operation/operation.ts"
import { count, listOf, object, oneOf, ref, text, time, yesNo } from "../../server/operation/schemas.ts"

export const querySchemas = {
  Queries: object({
    enabled: yesNo("Whether questions are kept; see `FOSSICK_QUERY_LOG_DAYS`."),
    report: oneOf(QUERY_REPORTS),
    queries: listOf(
      object({
        question: text(),
        count: count("Times it was asked."),
        keys: count("Keys that asked it."),
        results: count("Of the last time."),
        top_score: { type: "number", minimum: 0, maximum: 1 },
        seconds: { type: "number", minimum: 0, description: "The slowest answer." },
        last_at: time(),
      }),
    ),
    total: count("Different questions."),
    limit: count(),
    offset: count(),
  }),
  DeletedQueries: object({ deleted: count("Searches that were forgotten.") }),
}

const when = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$",
}

/** What was asked, where the operator has it kept. */
export const queryOperations: readonly Operation[] = [
  {
    id: "listQueries",
    method: "get",
    path: "/admin/queries",
    tag: "Usage",
    access: "admin",
    summary: "Questions that were asked often, in vain or slowly",
    description:
      "Empty unless `FOSSICK_QUERY_LOG_DAYS` is set. Case and white space of a question make no difference.",
    parameters: [
      query(
        "report",
        "`top` by how often; `zero` without a result that is likely to answer; `low` with a doubtful one; `slow` by the slowest answer.",
        {
          type: "string",
          enum: QUERY_REPORTS,
          default: "top",
        },
      ),
      query("from", "Asked at this time or later.", when),
      query("before", "Asked before this time.", when),
      query("limit", "Questions at most.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      query("offset", "Questions to leave out.", { type: "integer", minimum: 0, default: 0 }),
    ],
    answers: { 200: { description: "The questions.", schema: ref("Queries") } },
    examples: [{ summary: "Questions that find nothing", query: { report: "zero" }, status: 200 }],
  },
  {
    id: "deleteQueries",
    method: "delete",
    path: "/admin/queries",
    tag: "Usage",
    access: "admin",
    summary: "Forget all questions that were kept",
    answers: { 200: { description: "Forgotten.", schema: ref("DeletedQueries") } },
    examples: [{ summary: "All of them", status: 200 }],
  },
]
