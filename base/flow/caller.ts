import { AsyncLocalStorage } from "node:async_hooks"

/** Work without a caller, such as a crawl, shares this identity. */
export const APPLIANCE = "appliance"

// Between an entry point and a browser or a model there are dozens of function signatures that have no other use for
// the caller.
const callers = new AsyncLocalStorage<string>()

/** Runs `work`, and whatever it starts, on behalf of a caller; for a key, this is its id. */
export const actingFor = <T>(caller: string, work: () => T): T => callers.run(caller, work)

/** The caller on whose behalf this runs; undefined for the appliance's own work. */
export const callerHere = (): string | undefined => callers.getStore()

// On the way to the engine there is one queue at the entry point and another before the index.
const waits = new AsyncLocalStorage<number>()

/** Milliseconds that the current work has waited for its turns, in all queues on its way. */
export const waitedHere = (): number => waits.getStore() ?? 0

/** Runs `work` as if it had waited this long. */
export const havingWaited = <T>(ms: number, work: () => T): T => waits.run(ms, work)
