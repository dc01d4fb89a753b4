import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { DiskRoom } from "#base/disk-space.ts"
import { readOnlyBecause } from "#base/folder.ts"
import { PLAN, RESTORING } from "#base/store/unfinished-restore.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"

const MB = 1_000_000

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The folder exists, is ours, and can be written to, including its contents. */
export const folderCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "data folder",
  run() {
    const dir = resolve(dataDir)
    if (!existsSync(dir)) {
      const above = firstThere(dirname(dir))
      return isWritable(above)
        ? note(
            `${dir} is not there yet.`,
            "The first start makes it. Are you in the right working directory?",
          )
        : wrong(
            `${dir} is not there, and ${above} cannot be written to.`,
            "Make it, as the user who runs Fossick.",
          )
    }
    if (!statSync(dir).isDirectory())
      return wrong(`${dir} is no folder.`, "Name another one in FOSSICK_DATA_DIR.")
    const because = readOnlyBecause(dir)
    if (because === "EROFS")
      return wrong(
        `${dir} is read-only: nothing can be kept in it. Searches are answered from what it holds.`,
        "Mount its disk for writing, and start Fossick again.",
      )
    const uid = process.getuid?.()
    const shut = [dir, ...readdirSync(dir).map((name) => join(dir, name))].filter((path) => !isWritable(path))
    // Root may write to everything, and leaves files behind that the appliance's user may not write to.
    const owner = statSync(dir).uid
    const foreign = readdirSync(dir).filter(
      (name) => uid !== undefined && statSync(join(dir, name)).uid !== owner,
    )
    return [
      shut.map((path) =>
        wrong(
          `${path} cannot be read and written by this user.`,
          `Give it to the user who runs Fossick: chown -R <user> ${dir}`,
        ),
      ),
      shut.length === 0 &&
        foreign.length > 0 &&
        wrong(
          `${dir} belongs to user ${owner}, but not all in it does: ${foreign.slice(0, 5).join(", ")}.`,
          `Run Fossick's commands as one user only, and mend it with chown -R ${owner} ${dir}`,
        ),
    ]
  },
})

function firstThere(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : firstThere(dirname(path))
}

export const diskCheck = ({ dataDir, minFreeMb }: DoctorSettings): Check => ({
  name: "disk space",
  run() {
    const room = new DiskRoom(resolve(dataDir), minFreeMb)
    // The check of the folder says so.
    if (!room.isLow() || room.readOnly !== null) return []
    return wrong(
      `${Math.floor(room.freeBytes / MB)} MB are free for ${resolve(dataDir)}, and ${Math.ceil(room.leastBytes / MB)} MB have to stay free: crawls wait.`,
      "Make room, or set FOSSICK_MIN_FREE_MB lower.",
    )
  },
})

export const restoreCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "restore",
  run(): Found {
    const folder = join(resolve(dataDir), RESTORING)
    const aside = existsSync(dataDir)
      ? readdirSync(dataDir).filter((name) => name.startsWith("before-restore-"))
      : []
    return [
      existsSync(folder) &&
        wrong(
          "A restore is under way, or was cut short; nothing starts until it is over.",
          existsSync(join(folder, PLAN))
            ? "Run fossick restore again with the same file: it only has to be finished."
            : `Run fossick restore again, or remove ${folder} to stay with what was there before.`,
        ),
      aside.map((name) =>
        note(
          `${name} holds what was there before a restore.`,
          "Remove it when you miss nothing; that frees its room.",
        ),
      ),
    ]
  },
})
