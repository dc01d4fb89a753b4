/**
 * The result of `work`, or null as soon as the signal is aborted; `work` itself keeps running.
 *
 * Leaves nothing behind on a signal that outlives many calls, unlike `Promise.race`.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      resolve(null)
    }
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", abort)
    })
  })
}
