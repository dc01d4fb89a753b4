/** A call that all who ask share while it is under way; whoever asks later begins a new one. */
export function sharing<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= call().finally(() => (running = undefined)))
}
