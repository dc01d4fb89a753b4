import { fileURLToPath } from "node:url"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { readCommandLine } from "../program.ts"

export { Fossick } from "#base/testing/fossick.ts"

/** The program, run by tests in a separate process, with Node. */
export const FOSSICK = fileURLToPath(new URL("../fossick.js", import.meta.url))

/** Why a command line is refused, checked in this process. @throws Error if it is not refused */
export async function refusalOf(...args: readonly string[]): Promise<string> {
  const line = await readCommandLine(args)
  if ("code" in line) {
    if (line.code === EXIT.usage) return line.err
    throw new Error(`answered: ${line.out}`)
  }
  try {
    await line.spec.run(line.given)
  } catch (error) {
    if (error instanceof ArgumentsError) return error.message
    throw error
  }
  throw new Error("not refused")
}
