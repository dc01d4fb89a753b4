import { inject } from "vitest"

// Runs before each file of tests. In a thread that is kept, the mutant of the last run is still switched on while the file is loaded.

const stryker = Reflect.get(globalThis, "__stryker__") as { activeMutant?: string | undefined } | undefined
if (stryker && inject("mutantActivation" as never) !== "static") stryker.activeMutant = undefined
