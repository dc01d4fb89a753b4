import { QUERY_REPORTS } from "./query-log.ts"
import { ok, operations } from "../../server/operation/operation.ts"
import { moment, ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import {
  amount,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  share,
  text,
  time,
  withDefault,
  yesNo,
} from "../../server/schema/schemas.ts"

const report = oneOf(QUERY_REPORTS)

const Queries = namedObject("Queries", {
  enabled: yesNo("Whether questions are kept; see `FOSSICK_QUERY_LOG_DAYS`."),
  report,
  queries: listOf(
    object({
      question: text(),
      count: count("Times it was asked."),
      keys: count("Keys that asked it."),
      results: count("Of the last time."),
      top_score: share(),
      seconds: amount("The slowest answer."),
      last_at: time(),
    }),
  ),
  ...ofSlice,
  total: count("Different questions."),
})
const DeletedQueries = namedObject("DeletedQueries", { deleted: count("Searches that were forgotten.") })

/** The questions asked, if the operator keeps them. */
export const queryOperations = operations("Usage", "admin", {
  listQueries: {
    at: "GET /admin/queries",
    summary: "Questions that were asked often, in vain or slowly",
    description:
      "Empty unless `FOSSICK_QUERY_LOG_DAYS` is set. Case and white space of a question make no difference.",
    query: {
      report: withDefault(
        {
          ...report,
          description:
            "`top` by how often; `zero` without a result that is likely to answer; `low` with a doubtful one; `slow` by the slowest answer.",
        },
        "top",
      ),
      from: moment("Asked at this time or later."),
      before: moment("Asked before this time."),
      ...sliceOf("questions"),
    },
    answers: ok(Queries, "The questions."),
    examples: [{ summary: "Questions that find nothing", query: { report: "zero" } }],
  },
  deleteQueries: {
    at: "DELETE /admin/queries",
    summary: "Forget all questions that were kept",
    answers: ok(DeletedQueries, "Forgotten."),
    examples: [{ summary: "All of them" }],
  },
})
