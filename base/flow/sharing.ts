/** A call that all callers share while it is in progress; the next caller after that starts a new one. */
export function sharing<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= call().finally(() => (running = undefined)))
}
