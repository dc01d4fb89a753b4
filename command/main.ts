import { safeOutput } from "#base/process/safe-output.ts"
import { runLine } from "./run-line.ts"

// `fossick`, on a suitable Node; fossick.js finds one.

safeOutput()
await runLine(process.argv.slice(2))
