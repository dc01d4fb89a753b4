import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"

import { goneSources, unknownSource } from "#crawler/sources/source-names.ts"
import { openCollections, unknownCollection } from "../accounts/reach/collections.ts"
import { keyLine, keyOnWire } from "./key-text.ts"
import { type KeySpec, type MadeKey, openKeyStore } from "../accounts/keys/keys.ts"
import { withState } from "#crawler/commands/with-state.ts"

// One `fossick keys …` each; they return the exit code. A running appliance knows at once what they change, since it
// asks the store on each request.

export function createKey(spec: KeySpec, json: boolean): number {
  return withState((db) => {
    const collections = openCollections(db)
    const unknown = unknownCollection(collections, spec.scope?.collections ?? [])
    if (unknown !== null) throw new CommandError(`${unknown}\nfossick collections list shows them.`)
    const noSource = unknownSource(db, spec.scope?.sources ?? [])
    if (noSource !== null) throw new CommandError(`${noSource}\nfossick sources list shows them.`)
    const keys = openKeyStore(db, "")
    const text = keys.create(spec)
    const made = json ? keys.list().find(({ id }) => id === keys.verify(text)?.id) : undefined
    process.stdout.write(made ? `${JSON.stringify({ key: text, ...keyOnWire(made) })}\n` : `${text}\n`)
    process.stderr.write(`A key of the role ${spec.role}, shown only this once: keep it.\n`)
    return EXIT.ok
  })
}

export function listKeys(json: boolean): number {
  return withState((db) => {
    // Only made keys are this command's business.
    const made = openKeyStore(db, "").list()
    const collections = openCollections(db)
    const gone = ({ scope }: MadeKey) => ({
      sources: goneSources(db, scope.sources ?? []),
      collections: (scope.collections ?? []).filter((name) => !collections.has(name)),
    })
    if (json) {
      const all = made.map((key) => ({ ...keyOnWire(key), gone: gone(key) }))
      process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
    } else if (made.length === 0) process.stdout.write("No key was made yet.\n")
    else {
      for (const key of made) {
        const names = [...gone(key).sources, ...gone(key).collections]
        const note = names.length === 0 ? "" : `  (no longer there: ${names.join(", ")})`
        process.stdout.write(`${keyLine(key)}${note}\n`)
      }
    }
    return EXIT.ok
  })
}

export function disableKey(id: string, json: boolean): number {
  return withState((db) => {
    if (!openKeyStore(db, "").disable(id)) {
      throw new CommandError(`There is no key ${id}; fossick keys list shows them.`)
    }
    process.stdout.write(
      json ? `${JSON.stringify({ id, disabled: true })}\n` : `${id} is refused from now on.\n`,
    )
    return EXIT.ok
  })
}
