import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { runCommand } from "#base/run-command.ts"

// `npm run export`.

const HELP = `Usage: npm run export -- <file> [--force] [--json]
       npm run --silent export -- - > <file>

Writes the whole index, pages with their vectors, into one file that npm run import reads, on this or another
machine, with this or another engine. The appliance may serve and crawl meanwhile. An export that was interrupted
goes on where it was when it is run again.

  --force  replace the file if it is there
  --json   one JSON object at the end, for scripts
`

await runCommand("export", async () => {
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
  const { runExport } = await import("./run-export.ts")
  return await runExport(file, values)
})
