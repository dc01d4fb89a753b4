import { readArguments } from "#base/command-arguments.ts"
import { runCommand } from "#base/run-command.ts"
import { addressArgument } from "./address-argument.ts"

const USAGE = `Usage: npm run why -- <url> [--query "…"] [--json]

Says why a page is found, or is not: how its address came to be known, what robots.txt and the last
visit said, what the index holds of it, and when it is visited next. Asks no site, changes nothing.

  --query TEXT  where the page stands among the results for it, too
  --json        one JSON object, for scripts
`

await runCommand("why", async () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    query: { type: "string" },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const url = addressArgument(positionals)
  const { why } = await import("./why-session.ts")
  await why(url, { json: values.json, ...(values.query !== undefined && { query: values.query }) })
  return 0
})
