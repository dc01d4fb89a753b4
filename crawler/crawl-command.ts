import { SettingsError } from "#engine/settings.ts"
import { ArgumentsError } from "./command-arguments.ts"
import { CRAWL_HELP, parseCrawlArguments } from "./crawl-arguments.ts"

// `npm run crawl`. The arguments are read before the engine and the crawler are loaded, so that a slip of the
// pen is answered at once.

/** Arguments or settings. */
const BAD_ARGUMENTS = 2

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseCrawlArguments(args)
    if (parsed === null) {
      process.stdout.write(CRAWL_HELP)
      return 0
    }
    const { crawl } = await import("./crawl-session.ts")
    return await crawl(parsed)
  } catch (error) {
    if (error instanceof ArgumentsError) {
      process.stderr.write(`${error.message}\nnpm run crawl -- --help shows what is possible.\n`)
    } else if (error instanceof SettingsError) {
      process.stderr.write(`${error.message}\n`)
    } else {
      throw error
    }
    return BAD_ARGUMENTS
  }
}
