import { CRAWL_HELP, parseCrawlArguments } from "./crawl-arguments.ts"
import { runCommand } from "#base/run-command.ts"

// `npm run crawl`. The arguments are read before the engine and the crawler are loaded, so that a slip of the
// pen is answered at once.

await runCommand("crawl", async () => {
  const parsed = parseCrawlArguments(process.argv.slice(2))
  if (parsed === null) {
    process.stdout.write(CRAWL_HELP)
    return 0
  }
  const { crawl } = await import("./crawl-session.ts")
  return await crawl(parsed)
})
