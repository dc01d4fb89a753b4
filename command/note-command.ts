import { existsSync } from "node:fs"
import { join } from "node:path"

import { AuditLog } from "#base/audit/audit-log.ts"
import { commandActor, toldChanges } from "#base/audit/command-actor.ts"
import { fieldChanges } from "#base/audit/field-changes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, transaction } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { accountSettings } from "../api/identity/accounts/settings.ts"

import type { CommandSpec, Given } from "./spec.ts"

/**
 * Records in the audit log what a command changed, with its arguments. The change has already been made, so a failure
 * to record it is only reported.
 */
export async function noteCommand(
  path: string,
  { args = {} }: Pick<CommandSpec, "args">,
  given: Given,
): Promise<void> {
  try {
    const env = environment()
    const { dataDir } = readSettings(engineSettings, env)
    // A command that needs no state.db does not create one.
    if (!existsSync(join(dataDir, "state.db"))) return
    const db = await openStateStore(dataDir)
    try {
      const audit = new AuditLog(db, readSettings(accountSettings, env).auditDays)
      const named = Object.fromEntries(
        Object.entries(given.options).filter(([name]) => given.named.has(name)),
      )
      const told = toldChanges()
      const [first] = Object.keys(args).map((name) => given.args[name])
      await transaction(db, () =>
        audit.note({
          who: commandActor(),
          action: `fossick ${path}`,
          object:
            first === undefined && told.length === 1
              ? told[0]!.field
              : [path.split(" ")[0], ...[first ?? []].flat()].join("/"),
          status: null,
          changes: [...told, ...fieldChanges(null, { ...given.args, ...named })],
          address: "",
        }),
      )
    } finally {
      db.close()
    }
  } catch (error) {
    process.stderr.write(`This change could not be recorded in the audit log: ${(error as Error).message}\n`)
  }
}
