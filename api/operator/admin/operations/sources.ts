import { JOB_RESULTS, JOB_STATES } from "#crawler/job.ts"

import { bodyOf } from "../../../server/operation/published.ts"
import { accepted, ok, operations } from "../../../server/operation/operation.ts"
import { noBody, ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  always,
  anyObject,
  count,
  flag,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../../server/schema/schemas.ts"
import { Job, reason, result, visits } from "./jobs.ts"
import { crawlSize, newSourceName, Source, sourceName, SourceShown } from "./source-schema.ts"

const MAX_NEXT_RUNS = 100
const MAX_NAMES = 1000

export const origin = oneOf(["file", "api", "one-off"])

const SourceEntry = namedObject("SourceEntry", {
  name: text(),
  origin: {
    ...origin,
    description:
      "Where the source was declared and can be changed; `one-off`: crawled without being declared.",
  },
  paused: yesNo(),
  created_at: time(),
  updated_at: time(),
  next_run_at: orNull(time()),
  watched: yesNo("Whether each change to its content starts a run; such a source has no schedule."),
  pages: count("Pages of the source in the index."),
  pages_for_nobody: count(
    "Pages that no one may read: their readers name no one, or everyone they name is also denied.",
  ),
  pages_with_vectors: orNull(
    count("Pages of the source that have vectors; null if the index cannot be reached."),
  ),
  last_result: orNull(
    object(
      {
        job_id: count(),
        result: oneOf(JOB_RESULTS),
        reason,
        ended_at: orNull(time()),
        new: count("Pages added to the index."),
        changed: count("Pages whose text changed."),
        gone: count("Pages removed from the index."),
        failed: count("Visits that failed."),
        skipped: count("Visits to addresses that do not belong in the index."),
      },
      "Result of the last run that ended and was not cancelled.",
    ),
  ),
  last_job: orNull(
    object({
      id: count(),
      state: oneOf(JOB_STATES),
      result,
      reason,
      created_at: time(),
      ended_at: orNull(time()),
      note: orNull(text()),
      error: orNull(text()),
    }),
  ),
  source: SourceShown,
})
const SourceList = namedObject("SourceList", { sources: listOf(SourceEntry), ...ofSlice })
const SourceDeleted = namedObject("SourceDeleted", {
  name: text(),
  deleted: always(true),
  remove_pages: yesNo(),
})
const NextRuns = namedObject("NextRuns", {
  name: text(),
  paused: yesNo(),
  schedule: orNull(anyObject()),
  next_runs: listOf(time()),
})
const FullCrawl = namedObject("FullCrawl", { name: text(), ...crawlSize })
const JobsStarted = namedObject("JobsStarted", { jobs: listOf(Job) })

const allVisits = withDefault(
  {
    ...visits,
    description: "Every known page, only those that are due, or only those whose last visit failed.",
  },
  "all",
)

const path = { name: sourceName }
const SOURCE = { name: "docs" }

/** The operations for declaring sources and running them. */
export const sourceOperations = operations("Sources", "admin", {
  listSources: {
    at: "GET /admin/sources",
    access: "operator",
    summary: "The declared sources",
    query: sliceOf(),
    answers: ok(SourceList, "The sources."),
    examples: [{ summary: "All sources" }],
  },
  putSource: {
    at: "PUT /admin/sources/{name}",
    summary: "Declare a source, or replace it",
    description:
      "Fields left out get their defaults. A source declared in the sources file can only be changed there.",
    path: { name: newSourceName },
    query: { run: flag("Whether to run the source at once.") },
    body: { schema: Source, required: true },
    answers: {
      200: { description: "Replaced.", schema: SourceEntry },
      201: { description: "Declared.", schema: SourceEntry },
    },
    refusals: [409, 422],
    examples: [
      {
        summary: "A site, every night",
        path: SOURCE,
        body: { seeds: ["https://docs.example.com/"], schedule: "15 3 * * *" },
        status: 201,
      },
      { summary: "No site", path: SOURCE, body: {}, status: 422 },
    ],
  },
  getSource: {
    at: "GET /admin/sources/{name}",
    access: "operator",
    summary: "One source",
    path,
    answers: ok(SourceEntry, "The source."),
    refusals: [404],
    examples: [{ summary: "One source", path: SOURCE }],
  },
  nextRuns: {
    at: "GET /admin/sources/{name}/next-runs",
    access: "operator",
    summary: "When a source runs next",
    path,
    query: { count: withDefault(whole(1, MAX_NEXT_RUNS, "Number of runs to list."), 5) },
    answers: ok(NextRuns, "The times."),
    refusals: [404],
    examples: [{ summary: "The next three", path: SOURCE, query: { count: "3" } }],
  },
  fullCrawl: {
    at: "GET /admin/sources/{name}/full-crawl",
    access: "operator",
    summary: "How long a run over a whole source takes",
    description:
      "Estimated from earlier runs and the pace of the hosts; nothing is fetched. A site that is slow or asks for longer pauses takes longer.",
    path,
    answers: ok(FullCrawl, "Pages and seconds."),
    refusals: [404],
    examples: [{ summary: "Before a run", path: SOURCE }],
  },
  pauseSource: {
    at: "POST /admin/sources/{name}/pause",
    access: "operator",
    summary: "Pause a source's schedule",
    path,
    body: noBody,
    answers: ok(SourceEntry, "The source."),
    refusals: [404, 409, 422],
    examples: [{ summary: "Pause", path: SOURCE }],
  },
  resumeSource: {
    at: "POST /admin/sources/{name}/resume",
    access: "operator",
    summary: "Resume a source's schedule",
    path,
    body: noBody,
    answers: ok(SourceEntry, "The source."),
    refusals: [404, 409, 422],
    examples: [{ summary: "Resume", path: SOURCE }],
  },
  runSource: {
    at: "POST /admin/sources/{name}/run",
    access: "operator",
    summary: "Run a source now",
    path,
    body: bodyOf(optional({ visits: allVisits })),
    answers: accepted(Job, "The job."),
    refusals: [404, 409, 422],
    examples: [{ summary: "Only pages that are due", path: SOURCE, body: { visits: "due" } }],
  },
  runSources: {
    at: "POST /admin/sources/run",
    access: "operator",
    summary: "Run several sources now",
    description:
      "Runs all of them, or none if a name is unknown. If a source is already running, the answer contains that job.",
    body: bodyOf(
      optional({
        names: listOf(text(), "Names of the sources; give these or `all`.", {
          minItems: 1,
          maxItems: MAX_NAMES,
        }),
        all: yesNo("All sources that are not paused.", { enum: [true] }),
        visits: allVisits,
      }),
      { required: true, oneOf: [{ required: ["names"] }, { required: ["all"] }] },
    ),
    answers: accepted(JobsStarted, "The jobs."),
    refusals: [422],
    examples: [{ summary: "All sources that are not paused", body: { all: true } }],
  },
})

/** Separate, so that trying the examples in order deletes the source last. */
export const deleteOperations = operations("Sources", "admin", {
  deleteSource: {
    at: "DELETE /admin/sources/{name}",
    summary: "Delete a source and cancel its jobs",
    path,
    query: { remove_pages: flag("Whether to remove its pages from the index.") },
    answers: ok(SourceDeleted, "Deleted."),
    refusals: [404, 409],
    examples: [{ summary: "With its pages", path: SOURCE, query: { remove_pages: "true" } }],
  },
})
