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
  enabled: yesNo("Whether questions are stored; see `FOSSICK_QUERY_LOG_DAYS`."),
  report,
  queries: listOf(
    object({
      question: text(),
      count: count("How often it was asked."),
      keys: count("How many keys asked it."),
      results: count("Number of results in the last search."),
      top_score: share(),
      seconds: amount("Duration of the slowest answer."),
      last_at: time(),
    }),
  ),
  ...ofSlice,
  total: count("Number of different questions."),
})
const DeletedQueries = namedObject("DeletedQueries", { deleted: count("Number of searches deleted.") })

/** The questions that were asked, if the operator has them stored. */
export const queryOperations = operations("Usage", "admin", {
  listQueries: {
    at: "GET /admin/queries",
    summary: "List questions that were frequent, unanswered or slow",
    description:
      "Empty unless `FOSSICK_QUERY_LOG_DAYS` is set. Questions that differ only in case or white space count as the same.",
    query: {
      report: withDefault(
        {
          ...report,
          description:
            "`top`: most frequent; `zero`: without a result that is likely to answer; `low`: with a doubtful one; `slow`: slowest answer.",
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
    summary: "Delete all stored questions",
    answers: ok(DeletedQueries, "The questions were deleted."),
    examples: [{ summary: "All of them" }],
  },
})
