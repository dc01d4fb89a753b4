import { userInfo } from "node:os"

import type { Actor, FieldChange } from "./audit-log.ts"

/** The machine's user as the person who runs a command. */
export function commandActor(): Actor {
  return { kind: "command", id: userName(), name: "" }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may be a number without an entry in any file.
    return `user ${process.getuid?.() ?? "?"}`
  }
}

const changed: FieldChange[] = []

/** Adds to the running command's entry something that its arguments do not show, such as a key that it created. */
export const tellChange = (change: FieldChange): void => void changed.push(change)

/** Changes recorded by the command that has just run: all since the last call of this function. */
export const toldChanges = (): readonly FieldChange[] => changed.splice(0)
