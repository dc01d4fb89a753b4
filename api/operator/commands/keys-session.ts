import { tellChange } from "#base/audit/command-actor.ts"
import { keyChange } from "#base/audit/field-changes.ts"
import { EXIT } from "#base/exit-codes.ts"
import { didYouMean } from "#base/text/near-names.ts"
import { CommandError } from "#base/run-command.ts"

import { goneSources, unknownSource } from "#crawler/sources/source-names.ts"
import {
  goneCollections,
  openCollections,
  unknownCollection,
} from "../../identity/accounts/reach/collections.ts"
import { CallLog } from "../../identity/accounts/call-log.ts"
import { keyLine, useLines } from "./key-text.ts"
import { signingSecretOf } from "../../identity/accounts/keys/acting-key.ts"
import { keyOnWire } from "../../identity/accounts/keys/key-wire.ts"
import { type KeySpec, type MadeKey, openKeyStore } from "../../identity/accounts/keys/keys.ts"
import { publicKeyLine, publicKeyOnWire } from "./public-key-session.ts"
import { PublicKeyStore } from "../../identity/accounts/public-keys/public-key-store.ts"
import { withState } from "#crawler/commands/with-state.ts"

// Each function implements one `fossick keys …` command and returns the exit code. A running appliance sees the changes
// immediately, because it queries the store on each request.

export async function createKey(spec: KeySpec, json: boolean): Promise<number> {
  return await withState(async (db) => {
    const collections = openCollections(db)
    const unknown = await unknownCollection(collections, spec.scope?.collections ?? [])
    if (unknown !== null)
      throw new CommandError(`${unknown}\nTo see all collections, run fossick collections list.`)
    const noSource = await unknownSource(db, spec.scope?.sources ?? [])
    if (noSource !== null)
      throw new CommandError(`${noSource}\nTo see all sources, run fossick sources list.`)
    const keys = openKeyStore(db, "")
    const text = await keys.create(spec)
    const made = (await keys.lookUp(text))!
    tellChange(keyChange(made, "made"))
    const secret = made.actsForPeople === null ? null : await signingSecretOf(db, made)
    const shown = { key: text, ...(secret !== null && { signing_secret: secret }), ...keyOnWire(made) }
    process.stdout.write(json ? `${JSON.stringify(shown)}\n` : `${text}\n`)
    process.stderr.write(`A key with the role ${spec.role}. It is shown only once: store it now.\n`)
    if (secret !== null && !json)
      process.stderr.write(
        `The secret that its service signs user names with, also shown only once: ${secret}\n`,
      )
    return EXIT.ok
  })
}

export async function listKeys(json: boolean): Promise<number> {
  return await withState(async (db) => {
    // This command only deals with keys that were made here.
    const made = await openKeyStore(db, "").list()
    const pub = await new PublicKeyStore(db).list()
    const collections = openCollections(db)
    const gone = async ({ scope }: MadeKey) => ({
      sources: await goneSources(db, scope.sources ?? []),
      collections: await goneCollections(collections, scope.collections ?? []),
    })
    if (json) {
      const all = [
        ...(await Promise.all(made.map(async (key) => ({ ...keyOnWire(key), gone: await gone(key) })))),
        ...pub.map(publicKeyOnWire),
      ]
      process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
    } else if (made.length + pub.length === 0) process.stdout.write("There are no keys yet.\n")
    else {
      for (const key of made) {
        const { sources, collections: others } = await gone(key)
        const names = [...sources, ...others]
        const note = names.length === 0 ? "" : `  (deleted: ${names.join(", ")})`
        process.stdout.write(`${keyLine(key)}${note}\n`)
      }
      for (const key of pub) process.stdout.write(`${publicKeyLine(key)}\n`)
    }
    return EXIT.ok
  })
}

export async function showUsage({
  key,
  days,
  by,
  json,
}: {
  /** Id or name of a key; null for all keys. */
  readonly key: string | null
  readonly days: number
  readonly by: "day" | "month"
  readonly json: boolean
}): Promise<number> {
  return await withState(async (db) => {
    const made = [...(await openKeyStore(db, "").list()), ...(await new PublicKeyStore(db).list())]
    const log = new CallLog(db)
    const wanted = key === null ? null : idsOf(made, key)
    const use = (await log.use({ days, by, keyId: null })).filter(
      ({ keyId }) => wanted === null || wanted.includes(keyId),
    )
    const names = new Map(made.map(({ id, name }) => [id, name]))
    if (json) {
      for (const { time, keyId, ...one } of use) {
        const name = names.get(keyId) ?? null
        process.stdout.write(`${JSON.stringify({ time, key_id: keyId, name, ...one })}\n`)
      }
      return EXIT.ok
    }
    process.stdout.write(
      use.length === 0 ? `No calls in the last ${days} days.\n` : `${useLines(use, names, by).join("\n")}\n`,
    )
    return EXIT.ok
  })
}

/**
 * The ids of the keys with this id or name.
 * @throws CommandError when no key has this id or name
 */
function idsOf(made: readonly Pick<MadeKey, "id" | "name">[], key: string): readonly string[] {
  // Usage of the key in FOSSICK_API_KEY is counted under this id.
  const ids = made.filter(({ id, name }) => id === key || name === key).map(({ id }) => id)
  if (ids.length > 0 || key === OPERATOR) return ids.length > 0 ? ids : [OPERATOR]
  const known = made.flatMap(({ id, name }) => (name === "" ? [id] : [id, name]))
  throw new CommandError(
    `No key has the id or name ${JSON.stringify(key)}${didYouMean(key, known)}\nTo see all keys, run fossick keys list.`,
  )
}

const OPERATOR = "operator"

/** Disables a key, or enables it again; a key that has expired stays disabled. @throws CommandError when there is no such key */
export async function switchKey(id: string, to: "disable" | "enable", json: boolean): Promise<number> {
  return await withState(async (db) => {
    const keys = openKeyStore(db, "")
    if (!(await keys[to](id)) && !(await new PublicKeyStore(db)[to](id))) {
      throw new CommandError(`There is no key ${id}. To see all keys, run fossick keys list.`)
    }
    const expiresAt = (await keys.list()).find((key) => key.id === id)?.expiresAt ?? null
    const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now()
    const text =
      to === "disable"
        ? `${id} is refused until you enable it again: fossick keys enable ${id}`
        : isOver
          ? `${id} is enabled but still refused, since it expired on ${expiresAt.toISOString().slice(0, 10)}.`
          : `${id} is accepted again.`
    process.stdout.write(json ? `${JSON.stringify({ id, disabled: to === "disable" })}\n` : `${text}\n`)
    return EXIT.ok
  })
}
