import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { runCommand } from "#base/run-command.ts"

// `npm run backup`.

const HELP = `Usage: npm run backup -- <file> [--force] [--json]
       npm run --silent backup -- - > <file>

Writes all that the appliance keeps into one file, a tar archive: keys, sources, crawls, the index, thumbnails. The
appliance may serve and crawl meanwhile. npm run restore brings it back, also into another engine.

  --force  replace the file if it is there
  --json   one JSON object at the end, for scripts
`

await runCommand("backup", async () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    force: { type: "boolean", default: false },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined) throw new ArgumentsError("A file to write is missing; - is the standard output")
  if (more.length > 0) throw new ArgumentsError(`${more[0]} is too much`)
  if (file === "-" && values.json) throw new ArgumentsError("--json and - both want the standard output")
  const { runBackup } = await import("../backup/run-backup.ts")
  return await runBackup(file, values)
})
