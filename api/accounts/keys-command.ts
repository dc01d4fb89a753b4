import { parseArgs } from "node:util"

import { openStateStore } from "#crawler/state-store.ts"
import { engineSettings } from "#engine/config.ts"
import { environment, readSettings, SettingsError } from "#engine/settings.ts"

import { KEY_ROLES, type KeyStore, openKeyStore } from "./keys.ts"

// `npm run keys`. A running appliance knows at once what this changes, since it asks the store on each request.

const USAGE = `Usage: npm run keys -- create [--role search|admin] [--name TEXT]
       npm run keys -- list [--json]
       npm run keys -- disable <id>

  create   makes a key and shows it, only this once
  list     the keys that were made, without their text
  disable  has a key refused from now on, for good

  --role   search (default): every endpoint that searches and reads; admin: all of it
  --name   what the key is for, up to 100 characters
`

class UsageError extends Error {}

try {
  main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

function main(args: string[]): void {
  const { values, positionals } = parsed(args)
  const [command, id, ...more] = positionals
  if (values.help || command === undefined) {
    process.stdout.write(USAGE)
    if (!values.help) process.exitCode = 2
    return
  }
  if (more.length > 0 || (id !== undefined && command !== "disable")) {
    throw new UsageError(`${more[0] ?? id} is too much.\n\n${USAGE}`)
  }
  const db = openStateStore(readSettings(engineSettings, environment()).dataDir)
  try {
    // Only made keys are this command's business.
    const keys = openKeyStore(db, "")
    if (command === "create") create(keys, values.role, values.name)
    else if (command === "list") list(keys, values.json)
    else if (command === "disable") disable(keys, id)
    else throw new UsageError(`There is no ${command} of keys.\n\n${USAGE}`)
  } finally {
    db.close()
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        role: { type: "string", default: "search" },
        name: { type: "string", default: "" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`)
  }
}

function create(keys: KeyStore, roleText: string, name: string): void {
  const role = KEY_ROLES.find((one) => one === roleText)
  if (role === undefined) throw new UsageError(`--role must be one of ${KEY_ROLES.join(", ")}.`)
  if (name.length > 100) throw new UsageError("--name must have at most 100 characters.")
  process.stdout.write(`${keys.create(role, name)}\n`)
  process.stderr.write(`A key of the role ${role}, shown only this once: keep it.\n`)
}

function list(keys: KeyStore, json: boolean): void {
  const made = keys.list()
  if (json) {
    const shown = made.map(({ id, role, name, createdAt, disabledAt }) => ({
      id,
      role,
      name,
      created_at: createdAt,
      disabled_at: disabledAt,
    }))
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return
  }
  if (made.length === 0) process.stdout.write("No key was made yet.\n")
  for (const { id, role, name, createdAt, disabledAt } of made) {
    const since = `made ${createdAt.toISOString().slice(0, 10)}`
    const state = disabledAt === null ? "" : `, disabled ${disabledAt.toISOString().slice(0, 10)}`
    process.stdout.write(`${id}  ${role.padEnd(6)}  ${since}${state}${name === "" ? "" : `  ${name}`}\n`)
  }
}

function disable(keys: KeyStore, id: string | undefined): void {
  if (id === undefined) throw new UsageError(`The id of the key is missing.\n\n${USAGE}`)
  if (!keys.disable(id)) throw new UsageError(`There is no key ${id}; npm run keys -- list shows them.`)
  process.stdout.write(`${id} is refused from now on.\n`)
}
