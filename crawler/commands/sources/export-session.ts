import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateToRead } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { declaredYaml } from "../../sources/file/write-sources.ts"

/** `fossick sources export`. @throws CommandError when there is no state, SettingsError */
export async function exportSources(): Promise<number> {
  const { dataDir } = readSettings(engineSettings, environment())
  using db = openStateToRead(dataDir)
  if (db === null) throw new CommandError(`There is nothing to export: ${dataDir} has no state.db.`)
  process.stdout.write(await declaredYaml(db))
  return EXIT.ok
}
