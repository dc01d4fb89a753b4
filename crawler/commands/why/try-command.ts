import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import type { Rendering } from "../../source.ts"
import { runCommand } from "#base/run-command.ts"
import { addressArgument } from "./address-argument.ts"

const USAGE = `Usage: npm run try -- <url> [--source NAME] [--rendering http|browser|auto] [--json]

Reads one page as a run of its source would, and shows what would be indexed. Indexes nothing.

  --source NAME  whose settings to read it with (default: the source it belongs to, if there is one)
  --rendering R  how to read it, whatever the source says
  --json         one JSON object, for scripts
`

const RENDERINGS: readonly Rendering[] = ["http", "browser", "auto"]

await runCommand("try", async () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    source: { type: "string" },
    rendering: { type: "string" },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const url = addressArgument(positionals)
  const rendering = RENDERINGS.find((one) => one === values.rendering)
  if (values.rendering !== undefined && rendering === undefined) {
    throw new ArgumentsError(`--rendering must be one of ${RENDERINGS.join(", ")}`)
  }
  const { tryOne } = await import("./try-session.ts")
  await tryOne(url, {
    json: values.json,
    ...(values.source !== undefined && { source: values.source }),
    ...(rendering && { rendering }),
  })
  return 0
})
