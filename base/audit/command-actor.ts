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

/** Adds to the entry for the running command something that its arguments do not contain, such as a key that the command created. */
export const tellChange = (change: FieldChange): void => void changed.push(change)

/** The changes recorded by the command that has just run: all those since the last call of this function. */
export const toldChanges = (): readonly FieldChange[] => changed.splice(0)
