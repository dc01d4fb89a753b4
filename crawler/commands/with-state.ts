import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"

/**
 * Does the work of a command on the state store of the settings' data folder, and closes it; work that is a promise
 * has it until it is settled.
 * @throws SettingsError
 */
export function withState<T>(work: (db: StateStore) => T): T {
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  let result: T | undefined
  try {
    result = work(db)
    return result instanceof Promise ? (result.finally(() => db.close()) as T) : result
  } finally {
    if (!(result instanceof Promise)) db.close()
  }
}
