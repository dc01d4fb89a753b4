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

/** Maximum number of runs that the crawler's `BackupTable` keeps. */
const MOST_RUNS = 100

const VectorOrder = namedObject("VectorOrder", {
  order: listOf(oneOf(URGENCIES), "In the order in which pages get vectors."),
  first_source: orNull(text("Source whose pages get vectors before others.")),
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
      name: text("Prefix of the file names."),
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
      secret: yesNo("Whether the value is secret and never shown."),
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

/** The calls with which an operator monitors and maintains the appliance. */
export const upkeepOperations = operations("Upkeep", "admin", {
  vectorOrder: {
    at: "GET /admin/vectors",
    access: "operator",
    summary: "The order in which pages get their vectors",
    description:
      "`changed`: pages whose text changed; `asked`: pages that a question would have compared; `first`: pages of the source that goes first; `new`: all others.",
    answers: ok(VectorOrder, "The order."),
    examples: [{ summary: "The order" }],
  },
  putSourceFirst: {
    at: "POST /admin/vectors/first",
    access: "operator",
    summary: "Make vectors for one source before the others",
    description:
      "Takes effect at once, even while many pages are waiting, and also for an index being built for another model.",
    body: bodyOf(
      optional({ source: text("Name of the source; without it, no source goes first.", { minLength: 1 }) }),
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
    summary: "Make a backup now, according to the plan",
    description:
      "The crawler process makes the backup. If one is already queued or running, the answer contains that one. Refused with 409 if no backup is declared. To restore a backup, use the command `fossick restore`.",
    body: noBody,
    answers: accepted(BackupRun, "The current state of the run."),
    refusals: [409, 422],
    examples: [{ summary: "No backup is declared", status: 409 }],
  },
  settings: {
    at: "GET /admin/settings",
    summary: "Every setting, its value, and where the value comes from",
    description: "Values at the time the appliance started. The values of secrets are never shown.",
    answers: ok(SettingList, "All settings."),
    examples: [{ summary: "All of them" }],
  },
})
