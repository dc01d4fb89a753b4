import { AsyncLocalStorage } from "node:async_hooks"

/** Work without a caller, such as a crawl, shares this identity. */
export const APPLIANCE = "appliance"

// Kept in async context: dozens of functions between an entry point and a browser or a model have no other use for the
// caller.
const callers = new AsyncLocalStorage<string>()

/** Runs `work`, and whatever it starts, on behalf of a caller; if the caller has a key, this is the key's id. */
export const actingFor = <T>(caller: string, work: () => T): T => callers.run(caller, work)

/** The caller on whose behalf this code runs; undefined for the appliance's own work. */
export const callerHere = (): string | undefined => callers.getStore()

// Waits are added up, because on its way to the engine a call waits in one queue at the entry point and in another
// before the index.
const waits = new AsyncLocalStorage<number>()

/** Milliseconds that the current work has waited for its turn, in all queues so far. */
export const waitedHere = (): number => waits.getStore() ?? 0

/** Runs `work` as if it had waited this long. */
export const havingWaited = <T>(ms: number, work: () => T): T => waits.run(ms, work)
