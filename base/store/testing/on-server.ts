import { inject } from "vitest"

/** Before each file of the project postgres: the state is on the server that own-server.ts started. */
process.env["FOSSICK_STATE"] = inject("stateServer")
