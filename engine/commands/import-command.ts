import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { runCommand } from "#base/run-command.ts"

// `npm run import`.

const HELP = `Usage: npm run import -- <file> [--replace] [--json]
       npm run import -- - < <file>

Brings the pages of a file that npm run export wrote into the index that the settings name. Pages of the same address
are replaced, others stay. An import that was interrupted goes on when it is run again.

  --replace  remove the pages that the file does not have
  --json     one JSON object at the end, for scripts
`

await runCommand("import", async () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    replace: { type: "boolean", default: false },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined) throw new ArgumentsError("A file to read is missing; - is the standard input")
  if (more.length > 0) throw new ArgumentsError(`${more[0]} is too much`)
  const { runImport } = await import("./run-import.ts")
  return await runImport(file, values)
})
