const SIGNALS = ["SIGINT", "SIGTERM"] as const

const stops = new Set<() => void>()
let canStop = false

/**
 * Calls `stop` when a command should end early: on Ctrl-C, on SIGTERM, and when its output is no longer read.
 * @returns an object to dispose of when there is nothing left to stop
 */
export function onInterrupt(stop: () => void): Disposable {
  canStop = true
  stops.add(stop)
  for (const signal of SIGNALS) process.on(signal, stop)
  return {
    [Symbol.dispose]() {
      stops.delete(stop)
      for (const signal of SIGNALS) process.off(signal, stop)
    },
  }
}

/** Aborted by the first interrupt; a second one then ends the process at once. */
export function interruptSignal(): AbortSignal {
  const abort = new AbortController()
  const heard = onInterrupt(() => {
    heard[Symbol.dispose]()
    abort.abort()
  })
  return abort.signal
}

/**
 * Stops the work of this process, as Ctrl-C would. No signal is emitted, because a library that listens for one, such
 * as signal-exit, would kill the process.
 * @returns false when none of its work can be stopped
 */
export function interrupt(): boolean {
  for (const stop of stops) stop()
  return canStop
}
