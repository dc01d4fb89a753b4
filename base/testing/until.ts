import { pause } from "../flow/pause.ts"

/**
 * Waits until a condition holds. The test's timeout, which suits a slow and busy machine, ends the wait. To show a
 * value if the wait fails, use `expect.poll`.
 */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await isSo())) await pause(everyMs)
}
