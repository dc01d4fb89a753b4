import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { runCommand } from "#base/run-command.ts"

// `npm run restore`.

const HELP = `Usage: npm run restore -- <file> [--force] [--json]
       npm run restore -- <file> --verify

Brings a backup into the data folder and the index that the settings name, whatever engine it was made on. The file is
checked first, and nothing takes its place before all of it is there.

  --verify  only check the file: every hash in it
  --force   restore although there is something; the data folder's contents are put aside, not deleted
  --json    one JSON object at the end, for scripts
`

await runCommand("restore", async () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    force: { type: "boolean", default: false },
    verify: { type: "boolean", default: false },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined) throw new ArgumentsError("A file to read is missing")
  if (more.length > 0) throw new ArgumentsError(`${more[0]} is too much`)
  if (values.verify && values.force)
    throw new ArgumentsError("--verify restores nothing, so --force is too much")
  const { runRestore, runVerify } = await import("../backup/run-restore.ts")
  return values.verify ? await runVerify(file, values.json) : await runRestore(file, values)
})
