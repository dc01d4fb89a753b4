import { hasTalked } from "#base/outbound/outbound.ts"
import { endWithReader } from "#base/process/lost-reader.ts"
import { safeOutput } from "#base/process/safe-output.ts"
import { runCommand } from "#base/run-command.ts"
import { doesChange } from "./does-change.ts"
import { readCommandLine } from "./program.ts"

// `fossick`, on a Node that can run it; fossick.js finds one.

safeOutput()
const line = await readCommandLine(process.argv.slice(2))
if ("code" in line) {
  endWithReader()
  process.stdout.write(line.out)
  process.stderr.write(line.err)
  process.exitCode = line.code
} else {
  const { path, spec, given } = line
  const work = async () => {
    const code = await spec.run(given)
    if (hasTalked()) (await import("./note-outbound.ts")).writeTalked()
    if (doesChange(spec, given, code)) (await import("./note-command.ts")).noteCommand(path, spec, given)
    return code
  }
  await runCommand(path, work, spec)
}
