import { existsSync } from "node:fs"
import { join } from "node:path"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { handbookApart } from "../handbook-apart.ts"
import { crawlerSettings } from "../settings.ts"

/**
 * Runs a command that searches, with the engine's results as the appliance returns them: without the handbook if the
 * index has other content.
 * @throws SettingsError
 */
export async function withHandbookApart<T>(
  work: (through: (engine: Engine) => Engine) => Promise<T>,
): Promise<T> {
  const { dataDir, handbook } = readSettings(
    { ...engineSettings, handbook: crawlerSettings.handbook },
    environment(),
  )
  // A search creates no files.
  if (!existsSync(join(dataDir, "state.db"))) return await work((engine) => engine)
  const db = await openStateStore(dataDir)
  try {
    return await work((engine) => handbookApart(engine, db, { handbook }))
  } finally {
    db.close()
  }
}
