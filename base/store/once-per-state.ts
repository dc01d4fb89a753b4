import type { StateStore } from "./state-port.ts"

/** Opens an object for a state on the first call, and returns the same object on later calls for that state. */
export function oncePerState<T extends object>(open: (db: StateStore) => T): (db: StateStore) => T {
  const opened = new WeakMap<StateStore, T>()
  return (db) => {
    const known = opened.get(db) ?? open(db)
    opened.set(db, known)
    return known
  }
}
