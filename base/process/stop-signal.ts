/** Aborted when this child process is told to stop, or its parent is gone: nobody would start the next one. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const abort = () => {
    stop.abort()
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, abort)
  process.on("disconnect", abort)
  if (!process.connected) abort()
  return stop.signal
}
