/** A value that is created on first use: values that take long to create and are seldom needed shouldn't slow down every start. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
