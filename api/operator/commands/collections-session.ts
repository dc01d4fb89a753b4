import type { StateStore } from "#base/store/state-store.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"

import { goneSources, unknownSource } from "#crawler/sources/source-names.ts"
import { type Collections, openCollections } from "../../identity/accounts/reach/collections.ts"
import { withState } from "#crawler/commands/with-state.ts"

// Each function implements one `fossick collections …` command and returns the exit code. A running appliance sees the
// changes immediately.

const MAX_NAME_CHARS = 100

/** @throws ArgumentsError */
export async function setCollection(
  name: string,
  sources: readonly string[],
  json: boolean,
): Promise<number> {
  for (const one of [name, ...sources]) {
    if (one.trim() === "" || one.length > MAX_NAME_CHARS) {
      throw new ArgumentsError(`Names must have 1 to ${MAX_NAME_CHARS} characters.`)
    }
  }
  return await withCollections(async (collections, db) => {
    const unknown = await unknownSource(db, sources)
    if (unknown !== null) throw new CommandError(`${unknown}\nTo see all sources, run fossick sources list.`)
    await collections.set(name, sources)
    if (json) print(JSON.stringify({ name, sources }))
  })
}

export async function listCollections(json: boolean): Promise<number> {
  return await withCollections(async (collections, db) => {
    const all = await collections.list()
    if (json) print(JSON.stringify(all, null, 2))
    else if (all.length === 0) print("There are no collections yet.")
    else {
      for (const one of all) {
        const gone = await goneSources(db, one.sources)
        print(
          `${one.name}: ${one.sources.join(", ")}${gone.length === 0 ? "" : ` (deleted: ${gone.join(", ")})`}`,
        )
      }
    }
  })
}

/** @throws CommandError for an unknown name */
export async function deleteCollection(name: string, json: boolean): Promise<number> {
  return await withCollections(async (collections) => {
    if (!(await collections.delete(name))) {
      throw new CommandError(
        `There is no collection ${name}. To see all collections, run fossick collections list.`,
      )
    }
    if (json) print(JSON.stringify({ name, deleted: true }))
  })
}

async function withCollections(
  work: (collections: Collections, db: StateStore) => Promise<void>,
): Promise<number> {
  await withState((db) => work(openCollections(db), db))
  return EXIT.ok
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
