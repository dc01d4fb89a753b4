/** Aborted when this child process is told to stop, or its parent is gone: nobody would start the next one. */
export function stopSignal(child: Pick<NodeJS.Process, "on" | "connected"> = process): AbortSignal {
  const stop = new AbortController()
  const abort = () => {
    stop.abort()
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) child.on(signal, abort)
  child.on("disconnect", abort)
  if (!child.connected) abort()
  return stop.signal
}
