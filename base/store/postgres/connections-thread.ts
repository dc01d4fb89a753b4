import { type MessagePort, workerData } from "node:worker_threads"
import { answerAsked } from "./connections-worker.ts"

// The program of the thread with the sockets; see bridge.ts.
const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array }
answerAsked(port, signal)
