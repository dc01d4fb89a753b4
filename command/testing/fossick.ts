import { fileURLToPath } from "node:url"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { readCommandLine } from "../program.ts"

export { Fossick } from "#base/testing/fossick.ts"

/** The program, run by tests as its own process, by Node. */
export const FOSSICK = fileURLToPath(new URL("../fossick.js", import.meta.url))

/** Why a command line is refused, in this process. @throws Error when it is not */
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
