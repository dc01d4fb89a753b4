import { inject } from "vitest"

/** Runs before each test file of the project postgres, and puts the state on the server that own-server.ts started. */
process.env["FOSSICK_STATE"] = inject("stateServer")
