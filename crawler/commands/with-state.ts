import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"

/**
 * Does the work of a command on the state store of the settings' data folder, and closes it once the work is settled.
 * @throws SettingsError
 */
export async function withState<T>(work: (db: StateStore) => Promise<T>): Promise<T> {
  using db = await openStateStore(readSettings(engineSettings, environment()).dataDir)
  return await work(db)
}
