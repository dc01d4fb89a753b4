import { EXIT } from "#base/exit-codes.ts"

import type { CommandSpec, Given } from "./spec.ts"

/** Whether a command with this exit code changed the data folder. */
export const doesChange = (spec: Pick<CommandSpec, "changes">, given: Given, code: number): boolean =>
  code !== EXIT.usage && code !== EXIT.failed && spec.changes?.(given) === true
