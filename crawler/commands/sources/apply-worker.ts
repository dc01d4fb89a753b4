import { runCommand } from "#base/run-command.ts"
import { sourcesOfFile } from "./file-session.ts"

// Applies the sources file that is given as the argument, in a separate process.

const [file = ""] = process.argv.slice(2)
await runCommand("sources apply", () => sourcesOfFile({ command: "apply", file, json: false }))
