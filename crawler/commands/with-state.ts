import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"

/**
 * Runs a command's work on the state store in the configured data folder, and closes the store afterwards.
 * @throws SettingsError
 */
export async function withState<T>(work: (db: StateStore) => Promise<T>): Promise<T> {
  using db = await openStateStore(readSettings(engineSettings, environment()).dataDir)
  return await work(db)
}
