import { existsSync } from "node:fs"
import { join } from "node:path"

import { writeOutbound } from "#base/outbound/outbound.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"

/** Records the hosts this command talked to, if there is an appliance to store them. */
export async function writeTalked(): Promise<void> {
  try {
    const { dataDir } = readSettings(engineSettings, environment())
    if (!existsSync(join(dataDir, "state.db"))) return
    const db = await openStateStore(dataDir)
    await writeOutbound(db)
    db.close()
  } catch {
    // The command's work is done, whether or not it is recorded.
  }
}
