import { runCommand } from "#base/run-command.ts"
import { sourcesOfFile } from "./file-session.ts"

// Applies the file of sources that is its argument, as a process of its own.

const [file = ""] = process.argv.slice(2)
await runCommand("sources apply", () => sourcesOfFile({ command: "apply", file, json: false }))
