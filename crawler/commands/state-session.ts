import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { engineSettings } from "#engine/settings.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { type CopiedTable, copyToFile, copyToServer } from "#base/store/postgres/state-copy.ts"
import { serverLocation, stateServer, stateSettings } from "#base/store/postgres/state-location.ts"
import { refuseOtherGeneration } from "#base/store/state-generation.ts"
import { openStateFile } from "#base/store/state-store.ts"
import type { OpenParts } from "../upkeep/backup/foreign-code.ts"

const FILE = "file"
/** Suffix of the old file after a move; it stays in its folder. */
const MOVED = ".moved"

/**
 * `fossick state move`: copies the state, compares the copy, and then renames the old `state.db`.
 *
 * @param to `file`, or the address of a server
 * @param openParts opens every part of a state
 */
export async function moveState(
  to: string | undefined,
  json: boolean,
  openParts: OpenParts,
): Promise<number> {
  if (to === undefined) throw new ArgumentsError("--to is missing: postgres://user@host/database, or file")
  const env = environment()
  const { dataDir, statePassword } = readSettings(engineSettings, env)
  for (const role of ["appliance", "crawler"] as const) await takeFolder(dataDir, role)
  const file = join(dataDir, "state.db")
  const from = stateServer(dataDir, env)
  let tables: CopiedTable[]
  if (to === FILE) {
    if (from === null) throw new CommandError("FOSSICK_STATE must point to the server to move from.")
    if (existsSync(file)) throw new CommandError(`${file} already exists. Move it out of the way first.`)
    tables = await fromServer(new PostgresStore(from), file)
  } else {
    if (from !== null) throw new CommandError("The state is already on a server. Move it to a file first.")
    if (!existsSync(file)) throw new CommandError(`There is nothing to move: ${dataDir} has no state.db.`)
    const location = serverLocation(placeOf(to), statePassword, dataDir, env)
    tables = await toServer(dataDir, new PostgresStore(location), openParts)
    // The last process to close the file merged the log into it.
    renameSync(file, file + MOVED)
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  if (json) process.stdout.write(`${JSON.stringify({ to: to === FILE ? FILE : "server", rows, tables })}\n`)
  else {
    process.stdout.write(`Moved and verified: ${rows} rows in ${tables.length} tables.\n`)
    process.stdout.write(
      to === FILE
        ? "Unset FOSSICK_STATE, then start Fossick. The copy on the server is kept.\n"
        : `Set FOSSICK_STATE, then start Fossick. The file is kept as ${file}${MOVED}.\n`,
    )
  }
  return EXIT.ok
}

function placeOf(to: string): string {
  try {
    const place = stateSettings.state.parse(to)
    if (place !== "") return place
  } catch (error) {
    throw new ArgumentsError(`--to ${(error as Error).message}`)
  }
  throw new ArgumentsError("--to must not be empty")
}

async function toServer(
  dataDir: string,
  server: PostgresStore,
  openParts: OpenParts,
): Promise<CopiedTable[]> {
  using to = server
  using from = await openStateFile(dataDir)
  return await copyToServer(from, to, openParts)
}

async function fromServer(server: PostgresStore, file: string): Promise<CopiedTable[]> {
  using from = server
  await refuseOtherGeneration(from)
  try {
    return await copyToFile(from, file)
  } catch (error) {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(file + end, { force: true })
    throw error
  }
}
