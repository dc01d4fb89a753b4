import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"

/**
 * Does the work of a command on the state store of the settings' data folder, and closes it.
 * @throws SettingsError
 */
export function withState<T>(work: (db: StateStore) => T): T {
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
