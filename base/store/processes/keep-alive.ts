import { repeat } from "../../flow/repeat.ts"
import type { StateStore } from "../state-port.ts"
import { OwnProcess, SIGN_MS } from "./own-process.ts"

/** The part of {@link OwnProcess} that callers need. */
export type LivingProcess = Pick<OwnProcess, "id" | "take">

/**
 * Registers this process among those that work on a state, until the returned object is disposed of.
 *
 * @param onProblem called once when signs of life fail, and again if they fail after having worked
 */
export async function keepAlive(
  db: StateStore,
  kind: string,
  onProblem: (error: unknown) => void,
): Promise<LivingProcess & AsyncDisposable> {
  const own = await OwnProcess.begin(db, kind)
  await own.bury()
  let fails = false
  const round = async () => {
    try {
      await own.sign()
      await own.bury()
      fails = false
    } catch (error) {
      if (!fails) onProblem(error)
      fails = true
    }
  }
  const rounds = repeat(round, SIGN_MS, { keepsAlive: false })
  return {
    id: own.id,
    take: (role) => own.take(role),
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      try {
        await own[Symbol.asyncDispose]()
      } catch (error) {
        // Other processes will find that this process is lost.
        onProblem(error)
      }
    },
  }
}
