import { openStateStore } from "#base/store/state-store.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { engineSettings } from "#engine/config.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"

import { type Collections, openCollections } from "../accounts/reach/collections.ts"

// One `fossick collections …` each; they return the exit code. A running appliance knows at once what they change.

const MAX_NAME_CHARS = 100

/** @throws ArgumentsError */
export function setCollection(name: string, sources: readonly string[], json: boolean): number {
  for (const one of [name, ...sources]) {
    if (one.trim() === "" || one.length > MAX_NAME_CHARS) {
      throw new ArgumentsError(`Names must have 1 to ${MAX_NAME_CHARS} characters.`)
    }
  }
  return withCollections((collections) => {
    collections.set(name, sources)
    if (json) print(JSON.stringify({ name, sources }))
  })
}

export function listCollections(json: boolean): number {
  return withCollections((collections) => {
    const all = collections.list()
    if (json) print(JSON.stringify(all, null, 2))
    else if (all.length === 0) print("There is no collection yet.")
    else for (const one of all) print(`${one.name}: ${one.sources.join(", ")}`)
  })
}

/** @throws CommandError when there is none of that name */
export function deleteCollection(name: string, json: boolean): number {
  return withCollections((collections) => {
    if (!collections.delete(name)) {
      throw new CommandError(`There is no collection ${name}; fossick collections list shows them.`)
    }
    if (json) print(JSON.stringify({ name, deleted: true }))
  })
}

function withCollections(work: (collections: Collections) => void): number {
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    work(openCollections(db))
    return EXIT.ok
  } finally {
    db.close()
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
