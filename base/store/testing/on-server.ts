import { inject } from "vitest"

/** Before each file of the project postgres: puts the state on the server that own-server.ts started. */
process.env["FOSSICK_STATE"] = inject("stateServer")
