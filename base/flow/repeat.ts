import { sharing } from "./sharing.ts"

/**
 * Runs `work` at an interval, and skips a round while the previous one is still running. Disposing waits for the
 * running round.
 *
 * @param work never rejects
 * @param options.keepsAlive whether the interval keeps the process running; default true
 */
export function repeat(
  work: () => Promise<unknown>,
  everyMs: number,
  { keepsAlive = true }: { readonly keepsAlive?: boolean } = {},
): AsyncDisposable {
  const round = sharing(work)
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    last = round()
  }, everyMs)
  if (!keepsAlive) timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await last
    },
  }
}
