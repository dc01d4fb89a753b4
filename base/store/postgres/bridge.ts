import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from "node:worker_threads"
import { moduleBeside } from "../../process/module-beside.ts"
import { startThread } from "../../process/threads/thread.ts"
import type { Answer, Asked, Failure, Rows, ServerLocation } from "./asked.ts"

// A thread of the program waits for its answer as it waits for SQLite: in the call. The connections are in a thread beside it, since
// sockets need a loop that turns.

/** Beyond all bounds that the other thread keeps to itself: then something is wrong with it. */
const ANSWER_MS = 45_000
/** Statements that change tables of any size. */
const SCRIPT_MS = 3_600_000

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

class Bridge {
  #worker: Worker | null = null
  #port: MessagePort | null = null
  #signal = new Int32Array(new SharedArrayBuffer(4))
  #last = 0
  readonly #known = new Map<number, Known>()
  readonly #open = new Set<number>()

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
    if (!this.#known.delete(connection)) return
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
    this.#open.add(connection)
    try {
      this.#send({ kind: "open", connection, location: known.location })
      for (const setting of known.settings.values()) this.#send(setting)
    } catch (error) {
      this.#open.delete(connection)
      throw error
    }
  }

  #send(asked: Asked): Rows | null {
    const port = this.#port ?? this.#start()
    const late = performance.now() + (asked.kind === "script" ? SCRIPT_MS : ANSWER_MS)
    let seen = Atomics.load(this.#signal, 0)
    port.postMessage(asked)
    for (;;) {
      const said = receiveMessageOnPort(port)
      if (said !== undefined) return valueOf(said.message as Answer)
      const left = late - performance.now()
      if (left <= 0 || Atomics.wait(this.#signal, 0, seen, left) === "timed-out") {
        this.#giveUp()
        throw new PostgresError({ message: "no answer", code: "08000", isLost: true })
      }
      seen = Atomics.load(this.#signal, 0)
    }
  }

  #start(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#signal = new Int32Array(new SharedArrayBuffer(4))
    this.#worker = startThread(moduleBeside(import.meta.url, "./connections-worker"), {
      execArgv: [],
      workerData: { port: port2, signal: this.#signal },
      transferList: [port2],
    })
    this.#worker.unref()
    port1.unref()
    this.#port = port1
    return port1
  }

  #giveUp(): void {
    void this.#worker?.terminate()
    this.#port?.close()
    this.#worker = null
    this.#port = null
    this.#open.clear()
  }
}

function valueOf(answer: Answer): Rows | null {
  if ("failure" in answer) throw new PostgresError(answer.failure)
  return answer.value
}

/** One for each thread of the program. */
export const bridge = new Bridge()
