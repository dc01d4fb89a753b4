import { engineSettings } from "#engine/settings.ts"
import { checkIndex } from "#engine/lifecycle/generations/repair.ts"
import { openEngine, openGenerations } from "#engine/open-engine.ts"
import { openStateFile } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { SourceTable } from "../../sources/source-table.ts"

/** The contents of a restored data folder. */
export interface RestoredFolder {
  readonly pages: number
  readonly sources: number
  /** When the last crawl ended, ISO 8601; `null` if there was none. */
  readonly lastCrawl: string | null
  /** Damaged index files, each with its fault. */
  readonly damage: readonly string[]
}

/** Inspects a data folder that no process is writing to, using the settings in `env`. */
export async function lookInto(env: NodeJS.ProcessEnv): Promise<RestoredFolder> {
  const settings = readSettings(engineSettings, env)
  const damage = await damageOf(settings)
  await using engine = await openEngine(settings, { mode: "read" })
  const { pages } = await engine.stats()
  const db = await openStateFile(settings.dataDir)
  try {
    const jobs = new Jobs(db)
    const last = (await jobs.list({ limit: LOOKED_AT }))
      .map(({ endedAt }) => endedAt)
      .find((at) => at !== null)
    return {
      pages,
      sources: (await new SourceTable(db, jobs).list()).length,
      lastCrawl: last?.toISOString() ?? null,
      damage,
    }
  } finally {
    db.close()
  }
}

/** How many jobs are examined to find one that has ended: there are never this many jobs waiting or running. */
const LOOKED_AT = 1000

async function damageOf(settings: Parameters<typeof openGenerations>[0]): Promise<string[]> {
  await using context = await openGenerations(settings)
  return (await checkIndex(context)).map(({ file, damage }) => `${file} ${damage}`)
}
