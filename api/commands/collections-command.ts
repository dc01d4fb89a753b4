import { openStateStore } from "#base/store/state-store.ts"
import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { engineSettings } from "#engine/config.ts"
import { CommandError, runCommand } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"

import { openCollections } from "../accounts/reach/collections.ts"

// `npm run collections`. A running appliance knows at once what this changes.

const HELP = `Usage: npm run collections -- set <name> <source>...
       npm run collections -- list [--json]
       npm run collections -- delete <name>

A collection is a named set of sources. Keys can be limited to it (npm run keys).

  set      makes a collection of these sources, or replaces the one of that name
  list     the collections and their sources
  delete   takes a collection away; keys that are limited to it see nothing of its sources any more
`

const MAX_NAME_CHARS = 100

await runCommand("collections", () => {
  const { values, positionals } = readArguments(process.argv.slice(2), {})
  const [command, name, ...sources] = positionals
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  check(command, name, sources)
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    const collections = openCollections(db)
    if (command === "set") collections.set(name!, sources)
    else if (command === "delete") {
      if (!collections.delete(name!)) {
        throw new CommandError(`There is no collection ${name}; npm run collections -- list shows them.`)
      }
    } else {
      const all = collections.list()
      if (values.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
      else if (all.length === 0) process.stdout.write("There is no collection yet.\n")
      else for (const one of all) process.stdout.write(`${one.name}: ${one.sources.join(", ")}\n`)
    }
  } finally {
    db.close()
  }
  return 0
})

/** @throws ArgumentsError */
function check(command: string | undefined, name: string | undefined, sources: readonly string[]): void {
  if (command === undefined || !["set", "list", "delete"].includes(command)) {
    throw new ArgumentsError("What is to be done must be one of set, list, delete.")
  }
  if (command === "list") {
    if (name !== undefined) throw new ArgumentsError(`${name} is too much.`)
    return
  }
  if (name === undefined) throw new ArgumentsError("The name of the collection is missing.")
  if (command === "set" && sources.length === 0) throw new ArgumentsError("Its sources are missing.")
  if (command === "delete" && sources.length > 0) throw new ArgumentsError(`${sources[0]} is too much.`)
  for (const one of [name, ...sources]) {
    if (one.trim() === "" || one.length > MAX_NAME_CHARS) {
      throw new ArgumentsError(`Names must have 1 to ${MAX_NAME_CHARS} characters.`)
    }
  }
}
