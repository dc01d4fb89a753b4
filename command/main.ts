import { safeOutput } from "#base/process/safe-output.ts"
import { runLine } from "./run-line.ts"

// The `fossick` command, running on a suitable Node, which fossick.js finds.

safeOutput()
await runLine(process.argv.slice(2))
