import { once } from "node:events"

import { stopSignal } from "../api/server/shutdown.ts"
import { forwardPort } from "./forward-port.ts"

// The way in when the appliance is on a network without a way out. `node docker/gateway.ts 8080 api`: the port it
// listens on, and the host whose same port it leads to.

const [port = "", host = ""] = process.argv.slice(2)
const stopped = stopSignal()
forwardPort({ host: "0.0.0.0", port: Number(port) }, { host, port: Number(port) }).ref()
await once(stopped, "abort")
process.exit(0)
