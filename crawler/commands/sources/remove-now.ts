import { EXIT } from "#base/exit-codes.ts"
import { environment, readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { EngineError } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import { removeAskedPages } from "../../upkeep/removals/remove-pages.ts"
import type { Sources } from "../../sources/sources.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { say } from "./sources-text.ts"

/** Removes the pages due for removal, in a running appliance or otherwise in this process. @returns the exit code */
export async function removeNow(
  db: StateStore,
  jobs: Jobs,
  sources: Sources,
  json: boolean,
): Promise<number> {
  if ((await sources.removals()).length === 0) return EXIT.ok
  if (await jobs.hasCrawler()) {
    if (!json) say("The appliance is removing the pages now.")
    return EXIT.ok
  }
  try {
    await using engine = await openEngine(readSettings(engineSettings, environment()), { mode: "write" })
    const removed = await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    if (!json) say(`${counted(removed, "page")} removed`)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\nThe pages will be removed at the next start.\n`)
    return EXIT.failed
  }
}
