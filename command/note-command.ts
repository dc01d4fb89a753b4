import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"

import { AuditLog } from "#base/audit/audit-log.ts"
import { fieldChanges } from "#base/audit/field-changes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, transaction } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { accountSettings } from "../api/accounts/settings.ts"

import type { CommandSpec, Given } from "./spec.ts"

/** Notes in the audit log what a command changed, with what it was given. It was done: a note that fails is told, and no more. */
export function noteCommand(path: string, { args = {} }: Pick<CommandSpec, "args">, given: Given): void {
  try {
    const env = environment()
    const { dataDir } = readSettings(engineSettings, env)
    // A command that needs none makes none.
    if (!existsSync(join(dataDir, "state.db"))) return
    const db = openStateStore(dataDir)
    try {
      const audit = new AuditLog(db, readSettings(accountSettings, env).auditDays)
      const named = Object.fromEntries(
        Object.entries(given.options).filter(([name]) => given.named.has(name)),
      )
      const [first] = Object.keys(args).map((name) => given.args[name])
      transaction(db, () =>
        audit.note({
          who: { kind: "command", id: userInfo().username, name: "" },
          action: `fossick ${path}`,
          object: [path.split(" ")[0], ...[first ?? []].flat()].join("/"),
          status: null,
          changes: fieldChanges(null, { ...given.args, ...named }),
          address: "",
        }),
      )
    } finally {
      db.close()
    }
  } catch (error) {
    process.stderr.write(`This change is not in the audit log: ${(error as Error).message}\n`)
  }
}
