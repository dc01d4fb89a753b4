import { pause } from "../flow/pause.ts"

/**
 * Waits until something is so. It has no time-out of its own: that of the test, which suits a slow and busy machine, ends it. Where
 * a value is to be shown when it does not come, use `expect.poll`.
 */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await isSo())) await pause(everyMs)
}
