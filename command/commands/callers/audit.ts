import { wholeNumber } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const audit = command({
  about: "Shows who changed what with admin keys, in the console or from the command line, newest first.",
  options: {
    from: { value: "time", about: "only changes at this time or later, such as 2026-01-31T00:00:00Z" },
    before: { value: "time", about: "only changes before this time" },
    who: { value: "name", about: "only changes with this key (id or name), or by this user of the machine" },
    object: {
      value: "name",
      about: "only changes to objects whose names begin like this: sources, sources/docs",
    },
    action: {
      value: "text",
      about: "only actions that contain this text: DELETE, /admin/keys, fossick rules",
    },
    limit: { value: "n", about: "how many to show", default: "50" },
    all: { about: "write the whole log, oldest first, as JSON lines" },
  },
  json: "one JSON object per line, for programs",
  examples: [
    { line: "fossick audit --object sources", about: "changes to sources" },
    { line: "fossick audit --all > audit.jsonl", about: "the whole log, to keep elsewhere" },
  ],
  async run({ options, json }) {
    const { exportAudit, showAudit } = await import("../../../api/operator/commands/audit-session.ts")
    const { from, before, who, object, action, limit, all } = options
    const wanted = { from, before, who, object, action }
    return all
      ? await exportAudit(wanted)
      : await showAudit(wanted, wholeNumber("--limit", limit, 1, 100_000), json)
  },
})
