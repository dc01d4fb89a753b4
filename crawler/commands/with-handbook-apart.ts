import { existsSync } from "node:fs"
import { join } from "node:path"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { handbookApart } from "../handbook-apart.ts"
import { crawlerSettings } from "../settings.ts"

/**
 * Does the work of a command that searches, with the engine's results as the appliance gives them: without the handbook when
 * there is more than it.
 * @throws SettingsError
 */
export async function withHandbookApart<T>(
  work: (through: (engine: Engine) => Engine) => Promise<T>,
): Promise<T> {
  const { dataDir, handbook } = readSettings(
    { ...engineSettings, handbook: crawlerSettings.handbook },
    environment(),
  )
  // Nothing is made by looking for something.
  if (!existsSync(join(dataDir, "state.db"))) return await work((engine) => engine)
  const db = await openStateStore(dataDir)
  try {
    return await work((engine) => handbookApart(engine, db, { handbook }))
  } finally {
    db.close()
  }
}
