import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../settings.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { Jobs } from "../../jobs/jobs.ts"
import type { Rendering } from "../../source.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { CannotReadError, tryAddress } from "../../reporting/why/try/try-address.ts"
import { tryText } from "./try-text.ts"
import { triedOnWire } from "../../reporting/why/try/try-wire.ts"

interface TryArguments {
  readonly source?: string
  readonly rendering?: Rendering
  readonly json: boolean
}

/** Runs one `fossick try`. @returns the exit code. @throws ArgumentsError, SettingsError */
export async function tryOne(url: PageUrl, { source, rendering, json }: TryArguments): Promise<number> {
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const db = await openStateStore(config.dataDir)
  const stop = new AbortController()
  const interrupt = () => {
    stop.abort()
  }
  process.on("SIGINT", interrupt)
  try {
    const jobs = new Jobs(db)
    const sources = new SourceTable(db, jobs)
    const { signal } = stop
    const tried = await tryAddress(url, {
      db,
      jobs,
      sources,
      config,
      source,
      rendering,
      trusted: true,
      signal,
    })
    if (tried === null) {
      throw new ArgumentsError(`There is no source ${source}. To see all sources, run fossick sources list`)
    }
    process.stdout.write(json ? `${JSON.stringify(triedOnWire(tried), null, 2)}\n` : tryText(tried))
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof CannotReadError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.failed
  } finally {
    process.off("SIGINT", interrupt)
    db.close()
  }
}
