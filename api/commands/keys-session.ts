import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/config.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"

import { openCollections } from "../accounts/reach/collections.ts"
import { keyLine, keyOnWire } from "./key-text.ts"
import { type KeySpec, openKeyStore } from "../accounts/keys/keys.ts"

// One `fossick keys …` each; they return the exit code. A running appliance knows at once what they change, since it
// asks the store on each request.

export function createKey(spec: KeySpec, json: boolean): number {
  return withStore((db) => {
    const collections = openCollections(db)
    const unknown = spec.scope?.collections?.find((name) => !collections.has(name))
    if (unknown !== undefined) {
      throw new CommandError(`There is no collection ${unknown}; fossick collections list shows them.`)
    }
    const keys = openKeyStore(db, "")
    const text = keys.create(spec)
    const made = json ? keys.list().find(({ id }) => id === keys.verify(text)?.id) : undefined
    process.stdout.write(made ? `${JSON.stringify({ key: text, ...keyOnWire(made) })}\n` : `${text}\n`)
    process.stderr.write(`A key of the role ${spec.role}, shown only this once: keep it.\n`)
    return EXIT.ok
  })
}

export function listKeys(json: boolean): number {
  return withStore((db) => {
    // Only made keys are this command's business.
    const made = openKeyStore(db, "").list()
    if (json) process.stdout.write(`${JSON.stringify(made.map(keyOnWire), null, 2)}\n`)
    else if (made.length === 0) process.stdout.write("No key was made yet.\n")
    else for (const key of made) process.stdout.write(`${keyLine(key)}\n`)
    return EXIT.ok
  })
}

export function disableKey(id: string, json: boolean): number {
  return withStore((db) => {
    if (!openKeyStore(db, "").disable(id)) {
      throw new CommandError(`There is no key ${id}; fossick keys list shows them.`)
    }
    process.stdout.write(
      json ? `${JSON.stringify({ id, disabled: true })}\n` : `${id} is refused from now on.\n`,
    )
    return EXIT.ok
  })
}

function withStore(work: (db: StateStore) => number): number {
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
