import { sharing } from "./sharing.ts"

/**
 * Does `work` every so many milliseconds, unless its last round is still under way. Disposing of it waits for that round.
 *
 * @param work never rejects
 * @param options.keepsAlive whether the process goes on for its sake; default true
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
