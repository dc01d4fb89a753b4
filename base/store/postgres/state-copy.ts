import { backup, DatabaseSync } from "node:sqlite"
import type { StateStore } from "../state-port.ts"

/** All in one step: in several, each change by another process would begin the copy anew. Writers do not wait for it. */
const ALL_PAGES = 2 ** 31 - 1

/** Writes the state as it is at one moment into a new SQLite file, while others write to it. */
export async function copyState(db: StateStore, file: string): Promise<void> {
  if (!(db instanceof DatabaseSync)) throw new Error("This state store has no file to copy.")
  await backup(db, file, { rate: ALL_PAGES })
}
