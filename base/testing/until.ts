import { pause } from "../flow/pause.ts"

/**
 * Waits until a condition holds. The test's time-out, which suits a slow and busy machine, ends the wait. Where a value is to be
 * shown when it does not come, use `expect.poll`.
 */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await isSo())) await pause(everyMs)
}
