import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { handbookApart } from "../../handbook-apart.ts"
import { crawlerSettings } from "../../settings.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { Removals } from "../../upkeep/removals/removals.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { tracePage } from "../../reporting/why/trace.ts"
import { traceOnWire } from "../../reporting/why/wire.ts"
import { whyText } from "./why-text.ts"

/** Runs one `fossick why`, with or without a running appliance. @throws EngineError, SettingsError */
export async function why(
  url: PageUrl,
  { query, json }: { readonly query?: string; readonly json: boolean },
): Promise<void> {
  const config = readSettings({ ...engineSettings, handbook: crawlerSettings.handbook }, environment())
  const db = await openStateStore(config.dataDir)
  try {
    await using opened = await openEngine(config, { mode: "read" })
    const engine = handbookApart(opened, db, config)
    const jobs = new Jobs(db)
    const parts = { db, jobs, sources: new SourceTable(db, jobs), removals: new Removals(db), engine }
    const trace = await tracePage(url, parts, query)
    process.stdout.write(json ? `${JSON.stringify(traceOnWire(trace), null, 2)}\n` : whyText(trace))
  } finally {
    db.close()
  }
}
