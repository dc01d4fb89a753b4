import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { makeFolder } from "#base/folder.ts"

import { CommandError } from "#base/run-command.ts"

/** A program's standard output. @throws CommandError with the program's error output when it fails */
export function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" })
  if (status === 0) return stdout.trim()
  const said = (error?.message ?? `${stderr}${stdout}`).trim()
  throw new CommandError(`${[program, ...args].join(" ")} failed: ${said || `exit code ${status}`}`)
}

/** Whether a program succeeds. */
export const succeeds = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

export interface Owned {
  /** Permissions, such as 0o640. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Numeric ids of a user on this machine (getent(1)). */
export function idsOf(user: string): { readonly uid: number; readonly gid: number } {
  const [, , uid, gid] = run("getent", "passwd", user).split(":").map(Number)
  return { uid: uid!, gid: gid! }
}

export function makeOwnedFolder(path: string, { mode, uid, gid }: Owned): void {
  makeFolder(path, mode)
  chmodSync(path, mode)
  chownSync(path, uid, gid)
}

/** Writes a file completely or not at all: it is moved into place once it is complete, with its owner. */
export function writeOwned(path: string, text: string, { mode, uid, gid }: Owned): void {
  const part = `${path}.new`
  writeFileSync(part, text, { mode })
  chmodSync(part, mode)
  chownSync(part, uid, gid)
  renameSync(part, path)
}

export const holds = (path: string, text: string): boolean =>
  existsSync(path) && readFileSync(path, "utf8") === text
