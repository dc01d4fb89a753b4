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

/** Checks that the folder exists, is ours, and can be written to, including its contents. */
export const folderCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "data folder",
  run() {
    const dir = resolve(dataDir)
    if (!existsSync(dir)) {
      const above = firstThere(dirname(dir))
      return isWritable(above)
        ? note(
            `${dir} does not exist yet.`,
            "The first start creates it. Are you in the right working directory?",
          )
        : wrong(
            `${dir} does not exist, and ${above} is not writable.`,
            "Create it as the user who runs Fossick.",
          )
    }
    if (!statSync(dir).isDirectory())
      return wrong(`${dir} is not a folder.`, "Set FOSSICK_DATA_DIR to another folder.")
    const because = readOnlyBecause(dir)
    if (because === "EROFS")
      return wrong(
        `${dir} is read-only: nothing can be stored in it. Searches still work.`,
        "Mount its disk for writing and restart Fossick.",
      )
    const uid = process.getuid?.()
    const shut = [dir, ...readdirSync(dir).map((name) => join(dir, name))].filter((path) => !isWritable(path))
    // Root can write to everything, and leaves files behind that the appliance's user cannot write to.
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
          `${dir} belongs to user ${owner}, but some files in it do not: ${foreign.slice(0, 5).join(", ")}.`,
          `Run Fossick's commands as one user only. Correct the owner with chown -R ${owner} ${dir}`,
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
    // The folder check reports a read-only folder.
    if (!room.isLow() || room.readOnly !== null) return []
    return wrong(
      `${Math.floor(room.freeBytes / MB)} MB are free for ${resolve(dataDir)}, but ${Math.ceil(room.leastBytes / MB)} MB must stay free, so crawls are waiting.`,
      "Free some space, or lower FOSSICK_MIN_FREE_MB.",
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
          "A restore is in progress or was interrupted. Nothing starts until it is finished.",
          existsSync(join(folder, PLAN))
            ? "Run fossick restore again with the same file to finish it."
            : `Run fossick restore again, or remove ${folder} to keep the previous data.`,
        ),
      aside.map((name) =>
        note(
          `${name} holds the data from before a restore.`,
          "Remove it to free its space, if nothing is missing.",
        ),
      ),
    ]
  },
})
