import type { StateStore } from "./state-port.ts"

/** What is opened over a state, once for each, for those who ask for it often. */
export function oncePerState<T extends object>(open: (db: StateStore) => T): (db: StateStore) => T {
  const opened = new WeakMap<StateStore, T>()
  return (db) => {
    const known = opened.get(db) ?? open(db)
    opened.set(db, known)
    return known
  }
}
