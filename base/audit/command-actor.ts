import { userInfo } from "node:os"

import type { Actor, FieldChange } from "./audit-log.ts"

/** The user of the machine, as the one who runs a command. */
export function commandActor(): Actor {
  return { kind: "command", id: userName(), name: "" }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may be a number that no file names.
    return `user ${process.getuid?.() ?? "?"}`
  }
}

const changed: FieldChange[] = []

/** Names in the entry of the command that runs what its arguments do not, such as a key that it made. */
export const tellChange = (change: FieldChange): void => void changed.push(change)

/** Notes of the command that has just run: everything since the last call of this function. */
export const toldChanges = (): readonly FieldChange[] => changed.splice(0)
