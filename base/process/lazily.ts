/** A value that is made when it is first asked for: what takes long to make and is seldom needed shouldn't slow every start. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
