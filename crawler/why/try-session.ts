import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { environment, readSettings } from "#engine/settings.ts"
import { crawlerSettings } from "../config.ts"
import { ArgumentsError } from "../crawl-arguments.ts"
import { Jobs } from "../jobs.ts"
import { KnownAddresses } from "../known-addresses.ts"
import { openSourceReader } from "../source-reader.ts"
import type { Rendering } from "../sources/source.ts"
import { SourceTable } from "../sources/source-table.ts"
import { openStateStore } from "../state-store.ts"
import { sourceFor } from "./source-for.ts"
import { tryPage } from "./try-page.ts"
import { tryText } from "./try-text.ts"
import { triedOnWire } from "./try-wire.ts"

export interface TryArguments {
  readonly source?: string
  readonly rendering?: Rendering
  readonly json: boolean
}

/** One `npm run try`. @throws ArgumentsError, SettingsError */
export async function tryOne(url: PageUrl, { source: name, rendering, json }: TryArguments): Promise<void> {
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const db = openStateStore(config.dataDir)
  const stop = new AbortController()
  const interrupt = () => {
    stop.abort()
  }
  process.on("SIGINT", interrupt)
  try {
    const jobs = new Jobs(db)
    const source = sourceFor(url, name, { db, jobs, sources: new SourceTable(db, jobs) })
    if (source === null)
      throw new ArgumentsError(`There is no source ${name}; npm run sources -- list shows them`)
    await using reader = await openSourceReader(source, config)
    const known = new KnownAddresses(db)
    const tried = await tryPage(url, {
      source,
      reader,
      config,
      lookUp: (other) => known.get(other),
      signal: stop.signal,
      ...(rendering && { rendering }),
    })
    process.stdout.write(json ? `${JSON.stringify(triedOnWire(tried), null, 2)}\n` : tryText(tried))
  } finally {
    process.off("SIGINT", interrupt)
    db.close()
  }
}
