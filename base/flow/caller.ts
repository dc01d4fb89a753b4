import { AsyncLocalStorage } from "node:async_hooks"

/** Work without a caller, such as a crawl, shares this identity. */
export const APPLIANCE = "appliance"

// Between a door and a browser or a model lie dozens of signatures that have no other use for the caller.
const callers = new AsyncLocalStorage<string>()

/** Does `work`, and whatever it starts, in the name of a caller: of a key, its id. */
export const actingFor = <T>(caller: string, work: () => T): T => callers.run(caller, work)

/** The caller that this runs for; undefined for the appliance's own work. */
export const callerHere = (): string | undefined => callers.getStore()

// The same way to the engine has a line at the door and another one before the index.
const waits = new AsyncLocalStorage<number>()

/** Milliseconds that what runs here has waited for its turns, in all lines on its way. */
export const waitedHere = (): number => waits.getStore() ?? 0

/** Runs `work` as if it had waited this long. */
export const havingWaited = <T>(ms: number, work: () => T): T => waits.run(ms, work)
