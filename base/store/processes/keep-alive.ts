import type { StateStore } from "../state-port.ts"
import { OwnProcess, SIGN_MS } from "./own-process.ts"

/** As {@link OwnProcess}. */
export type LivingProcess = Pick<OwnProcess, "id" | "take">

/**
 * Has this process be one of those that work on a state, until it is disposed of.
 *
 * @param onProblem told once when signs of life cannot be given, and again after they could
 */
export function keepAlive(
  db: StateStore,
  kind: string,
  onProblem: (error: unknown) => void,
): LivingProcess & Disposable {
  const own = new OwnProcess(db, kind)
  own.bury()
  let fails = false
  const timer = setInterval(() => {
    try {
      own.sign()
      own.bury()
      fails = false
    } catch (error) {
      if (!fails) onProblem(error)
      fails = true
    }
  }, SIGN_MS)
  timer.unref()
  return {
    id: own.id,
    take: (role) => own.take(role),
    [Symbol.dispose]() {
      clearInterval(timer)
      try {
        own[Symbol.dispose]()
      } catch (error) {
        // Others find it lost.
        onProblem(error)
      }
    },
  }
}
