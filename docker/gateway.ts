import { once } from "node:events"

import { stopSignal } from "../api/server/shutdown.ts"
import { forwardPort } from "./forward-port.ts"

// The entry point when the appliance is on a network without internet access. `node docker/gateway.ts 8080 api`: the
// port to listen on, and the host to forward to on the same port.

const [port = "", host = ""] = process.argv.slice(2)
const stopped = stopSignal()
forwardPort({ host: "0.0.0.0", port: Number(port) }, { host, port: Number(port) }).ref()
await once(stopped, "abort")
process.exit(0)
