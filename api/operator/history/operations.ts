import { ok, operations } from "../../server/operation/operation.ts"
import {
  count,
  listOf,
  namedObject,
  object,
  orNull,
  time,
  whole,
  withDefault,
} from "../../server/schema/schemas.ts"

/** Maximum span of time: samples are not kept any longer. */
const MOST_HOURS = 8 * 24
const DEFAULT_HOURS = 24

const History = namedObject("History", {
  hours: count(),
  from: time(),
  to: time(),
  step_seconds: count("Seconds from one point to the next."),
  memory_bytes: count("Memory of the machine or the container."),
  disk_bytes: orNull(count("Size of the data folder's disk.")),
  points: listOf(
    object({
      at: time("Start of the step."),
      seconds: count("Seconds that were measured."),
      visits: count("Visits by crawls, whatever their outcome."),
      failed_visits: count(),
      answered: count("Questions that were answered, through any API."),
      refused: count("Questions that were answered with 4xx."),
      failed: count("Questions that were answered with 5xx, or that the caller gave up on."),
      median_ms: orNull(count("Median time to answer, accurate to a tenth.")),
      slow_ms: orNull(count("95th percentile of the time to answer, accurate to a tenth.")),
      pages: orNull(count("Pages in the index at the end of the step.")),
      passages: orNull(count()),
      process_memory_bytes: count("Memory of the process that answers."),
      memory_free_bytes: count(),
      disk_free_bytes: orNull(count()),
    }),
    "Oldest first; the last step is still in progress. Steps in which the appliance did not run are left out.",
  ),
})
const Freshness = namedObject("Freshness", {
  pages: count("Indexed pages that crawls know."),
  within_day: count("Visited in the last 24 hours."),
  within_week: count("Visited in the last 7 days."),
  within_month: count("Visited in the last 30 days."),
  oldest_at: orNull(time("The oldest of the last visits.")),
})

/** How the appliance performed over the last few days. */
export const historyOperations = operations("Upkeep", "admin", {
  history: {
    at: "GET /admin/history",
    access: "operator",
    summary: "Crawls, questions, memory and disk over the last days",
    description: "Measured every five minutes and kept for eight days.",
    query: { hours: withDefault(whole(1, MOST_HOURS, "Hours to look back."), DEFAULT_HOURS) },
    answers: ok(History, "The last hours."),
    examples: [{ summary: "The last day" }],
  },
  freshness: {
    at: "GET /admin/freshness",
    access: "operator",
    summary: "How long ago crawls visited the pages",
    answers: ok(Freshness, "The pages, by their last visit."),
    examples: [{ summary: "All pages" }],
  },
})
