import { runCommand } from "#base/run-command.ts"
import { parseRemovalsArguments, REMOVALS_HELP } from "./removals-arguments.ts"

// `npm run removals`.

await runCommand("removals", async () => {
  const parsed = parseRemovalsArguments(process.argv.slice(2))
  if (parsed === null) {
    process.stdout.write(REMOVALS_HELP)
    return 0
  }
  const { removals } = await import("./removals-session.ts")
  return await removals(parsed)
})
