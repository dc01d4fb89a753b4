import { onInterrupt as onStop } from "#base/process/interrupt.ts"

/** The exit code that shells use for Ctrl-C. */
const INTERRUPTED = 130

/**
 * Runs work that Ctrl-C or SIGTERM ends at the next safe moment; a second signal ends it at once.
 * @returns its exit code, or 130 after `onInterrupt`
 */
export async function interruptible(
  work: (signal: AbortSignal) => Promise<number>,
  onInterrupt: () => void,
): Promise<number> {
  const stop = new AbortController()
  const abort = () => {
    if (stop.signal.aborted) process.exit(INTERRUPTED)
    stop.abort()
  }
  using _ = onStop(abort)
  try {
    return await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted || error !== stop.signal.reason) throw error
    onInterrupt()
    return INTERRUPTED
  }
}
