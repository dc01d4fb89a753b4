import { runCommand } from "#base/run-command.ts"
import { sources } from "./sources-session.ts"

// Applies the file of sources that is its argument, as a process of its own.

const [file = ""] = process.argv.slice(2)
await runCommand("sources apply", () =>
  sources({ command: "apply", subject: file, removePages: false, json: false }),
)
