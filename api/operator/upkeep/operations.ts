import { DEFAULT_HOURS, MOST_HOURS } from "../history/schema.ts"
import { firstSourceBody, runBackupBody } from "./schemas.ts"
import { DEFAULT_LIMIT } from "../../server/wire/body-schema.ts"
import { type Operation, query } from "../../server/operation/operation.ts"
import { ref } from "../../server/operation/schemas.ts"

export { upkeepSchemas } from "./answers.ts"

const upkeep = (given: Omit<Operation, "access" | "tag">): Operation => ({
  access: "admin",
  tag: "Upkeep",
  ...given,
})

/** What an operator looks at and does for the appliance itself. */
export const upkeepOperations: readonly Operation[] = [
  upkeep({
    id: "vectorOrder",
    method: "get",
    path: "/admin/vectors",
    summary: "In which order pages get their vectors",
    description:
      "`changed`: pages that say something else since the last crawl; `asked`: pages that questions came across; `first`: those of the source that goes first; `new`: all others.",
    answers: { 200: { description: "The order.", schema: ref("VectorOrder") } },
    examples: [{ summary: "The order", status: 200 }],
  }),
  upkeep({
    id: "putSourceFirst",
    method: "post",
    path: "/admin/vectors/first",
    summary: "Have a source get its vectors before the others",
    description: "At once, also amid a long fill, and for an index that is built for another model.",
    body: { schema: { type: "object", ...firstSourceBody, additionalProperties: false }, required: false },
    answers: { 200: { description: "The order.", schema: ref("VectorOrder") } },
    refusals: [422],
    examples: [{ summary: "None goes first", body: {}, status: 200 }],
  }),
  upkeep({
    id: "outcomes",
    method: "get",
    path: "/admin/outcomes",
    summary: "What each way to end a visit means",
    answers: { 200: { description: "All of them.", schema: ref("Outcomes") } },
    examples: [{ summary: "All of them", status: 200 }],
  }),
  upkeep({
    id: "history",
    method: "get",
    path: "/admin/history",
    summary: "Crawls, questions, memory and disk over the last days",
    description: "Measured every five minutes, and kept for eight days.",
    parameters: [
      query("hours", "How far back.", {
        type: "integer",
        minimum: 1,
        maximum: MOST_HOURS,
        default: DEFAULT_HOURS,
      }),
    ],
    answers: { 200: { description: "The last hours.", schema: ref("History") } },
    examples: [{ summary: "The last day", status: 200 }],
  }),
  upkeep({
    id: "freshness",
    method: "get",
    path: "/admin/freshness",
    summary: "How long ago crawls looked at the pages",
    answers: { 200: { description: "The pages, by their last visit.", schema: ref("Freshness") } },
    examples: [{ summary: "All pages", status: 200 }],
  }),
  upkeep({
    id: "listBackups",
    method: "get",
    path: "/admin/backups",
    summary: "The plan for backups, its runs and its files",
    parameters: [
      query("limit", "Runs at most.", { type: "integer", minimum: 1, maximum: 100, default: DEFAULT_LIMIT }),
    ],
    answers: { 200: { description: "The backups.", schema: ref("Backups") } },
    examples: [{ summary: "All of them", status: 200 }],
  }),
  upkeep({
    id: "runBackup",
    method: "post",
    path: "/admin/backups/run",
    summary: "Make a backup now, by the plan",
    description:
      "The crawler process makes it. While one is not over, it is that one. Refused with 409 where no backup is declared. Restoring is a command: `fossick restore`.",
    body: { schema: { type: "object", ...runBackupBody, additionalProperties: false }, required: false },
    answers: { 202: { description: "The run as it stands.", schema: ref("BackupRun") } },
    refusals: [409, 422],
    examples: [{ summary: "Nothing is declared", status: 409 }],
  }),
  upkeep({
    id: "settings",
    method: "get",
    path: "/admin/settings",
    summary: "Every setting, its value, and where that comes from",
    description: "As they were when the appliance started. Of a secret only whether it is set is told.",
    answers: { 200: { description: "All settings.", schema: ref("SettingList") } },
    examples: [{ summary: "All of them", status: 200 }],
  }),
]
