import { OUTCOME_KINDS } from "#crawler/outcome-name.ts"
import { URGENCIES } from "#engine/lifecycle/filling/waiting-pages.ts"

import { SETTING_ORIGINS, SETTING_PARTS } from "./schemas.ts"
import {
  count,
  listOf,
  object,
  oneOf,
  orNull,
  ref,
  text,
  time,
  yesNo,
} from "../../server/operation/schemas.ts"

export const upkeepSchemas = {
  VectorOrder: object({
    order: listOf(oneOf(URGENCIES), "The pages that get their vectors first stand first."),
    first_source: orNull(text("The source that goes before the others.")),
  }),
  Outcomes: object({
    outcomes: listOf(
      object({ outcome: text(), kind: oneOf(OUTCOME_KINDS), meaning: text("For people, in a few words.") }),
    ),
  }),
  History: object({
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
  }),
  Freshness: object({
    pages: count("Pages of the index that crawls know."),
    within_day: count("Looked at in the last 24 hours."),
    within_week: count("In the last 7 days."),
    within_month: count("In the last 30 days."),
    oldest_at: orNull(time("The longest ago that a page was looked at.")),
  }),
  BackupRun: object({
    id: count(),
    trigger: oneOf(["schedule", "command"]),
    state: oneOf(["queued", "running", "finished", "failed"]),
    asked_at: time(),
    started_at: orNull(time()),
    ended_at: orNull(time()),
    file: orNull(text("What was written, once it is whole and checked.")),
    bytes: orNull(count()),
    pages: orNull(count()),
    error: orNull(text("Why it failed.")),
    note: orNull(text()),
  }),
  Backups: object({
    plan: orNull(
      object({
        name: text("What the names of its files begin with."),
        folder: text(),
        keep: count("Files that stay."),
        schedule: orNull(object({ cron: orNull(text()), every_hours: orNull(count()), time_zone: text() })),
        next_run_at: orNull(time()),
      }),
    ),
    runs: listOf(ref("BackupRun"), "Newest first."),
    files: orNull(
      listOf(
        object({ path: text(), bytes: count(), made_at: time() }),
        "The plan's files that are there, newest first; null where the folder cannot be read from here.",
      ),
    ),
  }),
  SettingList: object({
    settings: listOf(
      object({
        name: text("In the environment and in the settings file."),
        part: oneOf(SETTING_PARTS),
        about: text(),
        secret: yesNo("Its value is never shown."),
        from: oneOf(SETTING_ORIGINS),
        value: orNull(text("As it is written; null of a secret.")),
        default: text("Empty: none."),
      }),
    ),
    selling: object({
      on: yesNo("Whether searches are sold."),
      missing: listOf(text("Settings that are left to set, where a part is set.")),
    }),
  }),
}
