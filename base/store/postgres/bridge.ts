import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from "node:worker_threads"
import { moduleBeside } from "../../process/module-beside.ts"
import { startThread } from "../../process/threads/thread.ts"
import { type Answer, type Asked, type Failure, type Rows, SCRIPT_MS, type ServerLocation } from "./asked.ts"

// A thread of the program waits for its answer as it waits for SQLite: in the call. The connections are in a thread beside it, since
// sockets need a loop that turns.

/** PostgreSQL said no, or nothing. */
export class PostgresError extends Error {
  override readonly name = "PostgresError"
  /** Of PostgreSQL, or of a socket. */
  readonly code: string
  /** As SQLite has it, where callers tell errors apart: 5, others write for too long. */
  readonly errcode: number | undefined
  /** Whether the server cannot be reached, which may pass. */
  readonly isUnreachable: boolean

  constructor({ message, code }: Failure) {
    const isUnreachable = UNREACHABLE.test(code) || (code === "" && GONE.test(message))
    super(
      isUnreachable ? `The PostgreSQL server of the state cannot be reached (${message || code}).` : message,
    )
    this.code = code
    this.errcode = code === "55P03" ? 5 : undefined
    this.isUnreachable = isUnreachable
  }
}

/** Connection exceptions, the operator's intervention (but for a statement that was cancelled), too many connections; sockets'. */
const UNREACHABLE = /^(?:08...|57P..|53300|E[A-Z_]+)$/
const GONE = /timeout|terminated|closed|ended|not queryable|connection/i

interface Known {
  readonly location: ServerLocation
  /** What was asked of the connection for good. */
  readonly settings: Map<string, Asked>
}

export interface BridgeOptions {
  /** Of the thread with the connections. */
  readonly program?: URL
  /** Beyond all bounds that the other thread keeps to itself: then something is wrong with it. */
  readonly answerMs?: number
  /** As `answerMs`, of statements that change tables. */
  readonly scriptMs?: number
}

/** The thread with the connections, seen from this side. */
interface Beside {
  readonly worker: Worker
  readonly port: MessagePort
  /** Counts its answers. */
  readonly signal: Int32Array
}

export class Bridge {
  readonly #program: URL
  readonly #answerMs: number
  readonly #scriptMs: number
  #beside: Beside | null = null
  #last = 0
  readonly #known = new Map<number, Known>()
  readonly #open = new Set<number>()

  constructor({
    program = moduleBeside(import.meta.url, "./connections-thread"),
    answerMs = 45_000,
    scriptMs = SCRIPT_MS,
  }: BridgeOptions = {}) {
    this.#program = program
    this.#answerMs = answerMs
    this.#scriptMs = scriptMs
  }

  /** @throws PostgresError */
  open(location: ServerLocation): number {
    const connection = ++this.#last
    this.#known.set(connection, { location, settings: new Map() })
    try {
      this.#ensure(connection)
    } catch (error) {
      this.#known.delete(connection)
      throw error
    }
    return connection
  }

  close(connection: number): void {
    this.#known.delete(connection)
    if (this.#open.delete(connection)) this.#send({ kind: "close", connection })
  }

  /** @throws PostgresError */
  ask(asked: Asked): Rows | null {
    if (asked.kind === "patience" || asked.kind === "durable")
      this.#known.get(asked.connection)?.settings.set(asked.kind, asked)
    this.#ensure(asked.connection)
    return this.#send(asked)
  }

  cursor(): number {
    return ++this.#last
  }

  #ensure(connection: number): void {
    const known = this.#known.get(connection)
    if (known === undefined) throw new Error("The state store is not open.")
    if (this.#open.has(connection)) return
    this.#send({ kind: "open", connection, location: known.location })
    for (const setting of known.settings.values()) this.#send(setting)
    this.#open.add(connection)
  }

  #send(asked: Asked): Rows | null {
    const { worker, port, signal } = (this.#beside ??= this.#start())
    const late = performance.now() + (asked.kind === "script" ? this.#scriptMs : this.#answerMs)
    let seen = Atomics.load(signal, 0)
    port.postMessage(asked)
    for (;;) {
      const said = receiveMessageOnPort(port)
      if (said !== undefined) return valueOf(said.message as Answer)
      if (Atomics.wait(signal, 0, seen, late - performance.now()) === "timed-out") {
        void worker.terminate()
        this.#beside = null
        this.#open.clear()
        throw new PostgresError({ message: "no answer", code: "08000" })
      }
      seen = Atomics.load(signal, 0)
    }
  }

  #start(): Beside {
    const { port1, port2 } = new MessageChannel()
    const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = startThread(this.#program, {
      workerData: { port: port2, signal },
      transferList: [port2],
    })
    worker.unref()
    return { worker, port: port1, signal }
  }
}

function valueOf(answer: Answer): Rows | null {
  if ("failure" in answer) throw new PostgresError(answer.failure)
  return answer.value
}

/** One for each thread of the program. */
export const bridge = new Bridge()
