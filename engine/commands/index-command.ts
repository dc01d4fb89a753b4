import { runCommand } from "#base/run-command.ts"
import { INDEX_HELP, parseIndexArguments } from "./index-arguments.ts"

// `npm run index`.

await runCommand("index", async () => {
  const parsed = parseIndexArguments(process.argv.slice(2))
  if (parsed === null) {
    process.stdout.write(INDEX_HELP)
    return 0
  }
  const { indexSession } = await import("./index-session.ts")
  return await indexSession(parsed)
})
