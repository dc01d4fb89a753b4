import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/config.ts"
import { CommandError, runCommand } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"

import { openCollections } from "../accounts/reach/collections.ts"
import { keyLine, keyOnWire } from "./key-text.ts"
import { KEYS_HELP, parseKeysArguments } from "./keys-arguments.ts"
import { type KeySpec, openKeyStore } from "../accounts/keys/keys.ts"

// `npm run keys`. A running appliance knows at once what this changes, since it asks the store on each request.

await runCommand("keys", () => {
  const parsed = parseKeysArguments(process.argv.slice(2))
  if (parsed === null) {
    process.stdout.write(KEYS_HELP)
    return 0
  }
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    if (parsed.command === "create") create(db, parsed.spec)
    else if (parsed.command === "list") list(db, parsed.json)
    else disable(db, parsed.id)
  } finally {
    db.close()
  }
  return 0
})

function create(db: StateStore, spec: KeySpec): void {
  const collections = openCollections(db)
  const unknown = spec.scope?.collections?.find((name) => !collections.has(name))
  if (unknown !== undefined) {
    throw new CommandError(`There is no collection ${unknown}; npm run collections -- list shows them.`)
  }
  process.stdout.write(`${openKeyStore(db, "").create(spec)}\n`)
  process.stderr.write(`A key of the role ${spec.role}, shown only this once: keep it.\n`)
}

function list(db: StateStore, json: boolean): void {
  // Only made keys are this command's business.
  const made = openKeyStore(db, "").list()
  if (json) process.stdout.write(`${JSON.stringify(made.map(keyOnWire), null, 2)}\n`)
  else if (made.length === 0) process.stdout.write("No key was made yet.\n")
  else for (const key of made) process.stdout.write(`${keyLine(key)}\n`)
}

function disable(db: StateStore, id: string): void {
  if (!openKeyStore(db, "").disable(id)) {
    throw new CommandError(`There is no key ${id}; npm run keys -- list shows them.`)
  }
  process.stdout.write(`${id} is refused from now on.\n`)
}
