import { inject } from "vitest"

// Runs before each file of tests, and switches off the mutant of the last run: in a thread that is kept, it would still
// be active while the file is being loaded.

const stryker = Reflect.get(globalThis, "__stryker__") as { activeMutant?: string | undefined } | undefined
if (stryker && inject("mutantActivation" as never) !== "static") stryker.activeMutant = undefined
