import { hasTalked } from "#base/outbound/outbound.ts"
import { endWithReader } from "#base/process/lost-reader.ts"
import { runCommand } from "#base/run-command.ts"
import { doesChange } from "./does-change.ts"
import { readCommandLine } from "./program.ts"

/** Runs the command that the arguments after `fossick` name, and sets this process's exit code. */
export async function runLine(args: readonly string[]): Promise<void> {
  const line = await readCommandLine(args)
  if ("code" in line) {
    endWithReader()
    process.stdout.write(line.out)
    process.stderr.write(line.err)
    process.exitCode = line.code
    return
  }
  const { path, spec, given } = line
  const work = async () => {
    const code = await spec.run(given)
    if (hasTalked()) await (await import("./note-outbound.ts")).writeTalked()
    if (doesChange(spec, given, code))
      await (await import("./note-command.ts")).noteCommand(path, spec, given)
    return code
  }
  await runCommand(path, work, spec)
}
