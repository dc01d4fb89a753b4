/** Aborted when this child process receives a stop request, or when its parent is gone and could start no further child. */
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
