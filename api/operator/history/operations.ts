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

/** The samples that are kept reach back no further. */
const MOST_HOURS = 8 * 24
const DEFAULT_HOURS = 24

const History = namedObject("History", {
  hours: count(),
  from: time(),
  to: time(),
  step_seconds: count("From one point to the next."),
  memory_bytes: count("Of the machine, or of the container."),
  disk_bytes: orNull(count("Of the data folder's disk.")),
  points: listOf(
    object({
      at: time("Its beginning."),
      seconds: count("That were measured."),
      visits: count("Of crawls, however they ended."),
      failed_visits: count(),
      answered: count("Questions, over any API."),
      refused: count("Questions that were answered with 4xx."),
      failed: count("Questions that were answered with 5xx, or given up by who asked."),
      median_ms: orNull(count("Half of the answers took no longer, to a tenth.")),
      slow_ms: orNull(count("95 % of the answers took no longer, to a tenth.")),
      pages: orNull(count("At its end.")),
      passages: orNull(count()),
      process_memory_bytes: count("Taken by the process that answers."),
      memory_free_bytes: count(),
      disk_free_bytes: orNull(count()),
    }),
    "Oldest first; the last one is under way. A step in which the appliance did not run is left out.",
  ),
})
const Freshness = namedObject("Freshness", {
  pages: count("Pages of the index that crawls know."),
  within_day: count("Looked at in the last 24 hours."),
  within_week: count("In the last 7 days."),
  within_month: count("In the last 30 days."),
  oldest_at: orNull(time("The longest ago that a page was looked at.")),
})

/** How the appliance was over the last days. */
export const historyOperations = operations("Upkeep", "admin", {
  history: {
    at: "GET /admin/history",
    summary: "Crawls, questions, memory and disk over the last days",
    description: "Measured every five minutes, and kept for eight days.",
    query: { hours: withDefault(whole(1, MOST_HOURS, "How far back."), DEFAULT_HOURS) },
    answers: ok(History, "The last hours."),
    examples: [{ summary: "The last day" }],
  },
  freshness: {
    at: "GET /admin/freshness",
    summary: "How long ago crawls looked at the pages",
    answers: ok(Freshness, "The pages, by their last visit."),
    examples: [{ summary: "All pages" }],
  },
})
