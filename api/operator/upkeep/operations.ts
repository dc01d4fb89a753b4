import { URGENCIES } from "#engine/lifecycle/filling/waiting-pages.ts"

import { accepted, ok, operations } from "../../server/operation/operation.ts"
import { bodyOf } from "../../server/operation/published.ts"
import { noBody } from "../../server/operation/shared-fields.ts"
import {
  count,
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
} from "../../server/schema/schemas.ts"
import { DEFAULT_LIMIT } from "../../server/wire/list-limits.ts"

/** Runs that the crawler's `BackupTable` keeps. */
const MOST_RUNS = 100

const VectorOrder = namedObject("VectorOrder", {
  order: listOf(oneOf(URGENCIES), "The pages that get vectors first come first."),
  first_source: orNull(text("Source whose pages go before the others.")),
})
const BackupRun = namedObject("BackupRun", {
  id: count(),
  trigger: oneOf(["schedule", "command"]),
  state: oneOf(["queued", "running", "finished", "failed"]),
  asked_at: time(),
  started_at: orNull(time()),
  ended_at: orNull(time()),
  file: orNull(text("The file, once it is complete and checked.")),
  bytes: orNull(count()),
  pages: orNull(count()),
  error: orNull(text("Why the backup failed.")),
  note: orNull(text()),
})
const Backups = namedObject("Backups", {
  plan: orNull(
    object({
      name: text("Beginning of the names of its files."),
      folder: text(),
      keep: count("Number of files to keep."),
      schedule: orNull(object({ cron: orNull(text()), every_hours: orNull(count()), time_zone: text() })),
      next_run_at: orNull(time()),
    }),
  ),
  runs: listOf(BackupRun, "Newest first."),
  files: orNull(
    listOf(
      object({ path: text(), bytes: count(), made_at: time() }),
      "The plan's existing files, newest first; null if this process cannot read the folder.",
    ),
  ),
})
const SettingList = namedObject("SettingList", {
  settings: listOf(
    object({
      name: text("Name in the environment and in the settings file."),
      part: oneOf(["api", "crawler", "engine", "payments"]),
      about: text(),
      secret: yesNo("Whether the value is secret, and never shown."),
      from: oneOf(["environment", "file", "default"]),
      value: orNull(text("The value as written; null for a secret.")),
      default: text("The default; empty if there is none."),
    }),
  ),
  selling: object({
    on: yesNo("Whether searches are sold."),
    missing: listOf(text("Settings that are still missing, if some are set.")),
  }),
})

/** What an operator sees and does to keep the appliance running. */
export const upkeepOperations = operations("Upkeep", "admin", {
  vectorOrder: {
    at: "GET /admin/vectors",
    access: "operator",
    summary: "In which order pages get their vectors",
    description:
      "`changed`: pages that say something else since the last crawl; `asked`: pages that questions came across; `first`: those of the source that goes first; `new`: all others.",
    answers: ok(VectorOrder, "The order."),
    examples: [{ summary: "The order" }],
  },
  putSourceFirst: {
    at: "POST /admin/vectors/first",
    access: "operator",
    summary: "Have a source get its vectors before the others",
    description: "At once, also amid a long fill, and for an index that is built for another model.",
    body: bodyOf(
      optional({ source: text("Name of the source; left out, no source goes first.", { minLength: 1 }) }),
    ),
    answers: ok(VectorOrder, "The order."),
    refusals: [422],
    examples: [{ summary: "No source goes first", body: {} }],
  },
  listBackups: {
    at: "GET /admin/backups",
    summary: "The plan for backups, its runs and its files",
    query: { limit: withDefault(whole(1, MOST_RUNS, "Maximum number of runs."), DEFAULT_LIMIT) },
    answers: ok(Backups, "The backups."),
    examples: [{ summary: "All of them" }],
  },
  runBackup: {
    at: "POST /admin/backups/run",
    summary: "Make a backup now, by the plan",
    description:
      "The crawler process makes it. While one is not over, it is that one. Refused with 409 where no backup is declared. Restoring is a command: `fossick restore`.",
    body: noBody,
    answers: accepted(BackupRun, "The run as it stands."),
    refusals: [409, 422],
    examples: [{ summary: "Nothing is declared", status: 409 }],
  },
  settings: {
    at: "GET /admin/settings",
    summary: "Every setting, its value, and where that comes from",
    description: "As they were when the appliance started. Of a secret only whether it is set is told.",
    answers: ok(SettingList, "All settings."),
    examples: [{ summary: "All of them" }],
  },
})
