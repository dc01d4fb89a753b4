import type { RemovalState } from "#crawler/upkeep/removals/removals.ts"

import { bodyOf } from "../../../server/operation/published.ts"
import { accepted, ok, operations } from "../../../server/operation/operation.ts"
import { ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  byName,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  withDefault,
} from "../../../server/schema/schemas.ts"
import { ofSource } from "./jobs.ts"

const MAX_URLS = 1000
const STATES = [
  "struck",
  "held",
  "approved",
  "removed",
  "restoring",
] as const satisfies readonly RemovalState[]

const Removals = namedObject("Removals", {
  removals: listOf(
    object({
      url: text(),
      source: text(),
      state: oneOf(STATES),
      reason: text("Evidence found, such as `not-found`, `gone` or `noindex`."),
      detail: orNull(text()),
      strikes: count("Consecutive runs that found evidence."),
      job_id: count("The run that found the latest evidence."),
      at: time(),
      kept_until: orNull(time("Until when the page can be restored.")),
    }),
  ),
  ...ofSlice,
  held: listOf(
    object({
      source: text(),
      pages: count(),
      of_pages: count("Pages of the source in the index."),
      reasons: byName(count(), "Pages by reason."),
      job_id: count(),
      at: time(),
    }),
    "Removals waiting for an answer, by source.",
  ),
})
const RemovalsAnswered = namedObject("RemovalsAnswered", { source: text(), pages: count() })
const RemovalsRestored = namedObject("RemovalsRestored", { pages: count() })

const answered = {
  body: bodyOf({ source: text("Source of the removals.") }),
  answers: accepted(RemovalsAnswered, "Accepted; the crawler will carry it out."),
  refusals: [409, 422],
  examples: [{ summary: "No removals are waiting", body: { source: "docs" }, status: 409 }],
}

/** Pages that are gone, or seem to be. */
export const removalOperations = operations("Removals", "operator", {
  listRemovals: {
    at: "GET /admin/removals",
    summary: "Pages that are gone, or seem to be",
    query: {
      state: withDefault(oneOf(STATES, "Only removals in this state."), "held"),
      source: ofSource,
      ...sliceOf(),
    },
    answers: ok(Removals, "The pages, and the removals waiting for an answer."),
    examples: [{ summary: "Removals waiting for an answer" }],
  },
  approveRemovals: {
    at: "POST /admin/removals/approve",
    summary: "Approve a source's removals that are waiting for an answer",
    ...answered,
  },
  rejectRemovals: {
    at: "POST /admin/removals/reject",
    summary: "Reject a source's removals that are waiting for an answer",
    ...answered,
  },
  restoreRemovals: {
    at: "POST /admin/removals/restore",
    summary: "Restore removed pages",
    body: bodyOf(
      optional({
        urls: listOf(text(), "Pages to restore.", { minItems: 1, maxItems: MAX_URLS }),
        source: text("All removed pages of this source."),
        job_id: count("All pages removed because of this run.", { minimum: 1 }),
      }),
      { required: true, oneOf: ["urls", "source", "job_id"].map((field) => ({ required: [field] })) },
    ),
    answers: accepted(RemovalsRestored, "Accepted; the crawler will carry it out."),
    refusals: [409, 422],
    examples: [{ summary: "Nothing to restore", body: { source: "docs" }, status: 409 }],
  },
})
