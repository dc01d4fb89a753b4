import { endWithReader } from "#base/process/lost-reader.ts"
import { safeOutput } from "#base/process/safe-output.ts"
import { runCommand } from "#base/run-command.ts"
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
  await runCommand(path, () => spec.run(given), spec)
}
