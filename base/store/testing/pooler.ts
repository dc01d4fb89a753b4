import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** How a pooler refuses connections. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** A proxy between a PostgreSQL server and its clients: forwards everything until told to do otherwise. */
export class Pooler implements Disposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #port = 0
  /** Number of incoming connections. */
  calls = 0
  /** Whether everything that the server sends is dropped. A connection that has lost data stays silent. */
  isMute = false
  /** How all new connections are refused; null if they are accepted. */
  refusal: Refusal | null = null
  /** Called with everything that clients send. */
  onWord: (word: string) => void = () => undefined

  private constructor(port: number, delayMs: number) {
    this.#server = createServer((near) => {
      this.calls += 1
      this.#keep(near)
      if (this.refusal !== null) {
        near.once("data", () => near.end(errorMessage(this.refusal!)))
        return
      }
      const far = connect(port, "127.0.0.1")
      this.#keep(far)
      far.on("close", () => near.destroy())
      near.on("close", () => far.destroy())
      const pass = (to: Socket, bytes: Buffer) =>
        delayMs === 0 ? to.write(bytes) : setTimeout(() => to.write(bytes), delayMs)
      near.on("data", (bytes) => {
        this.onWord(String(bytes))
        pass(far, bytes)
      })
      let isMute = false
      far.on("data", (bytes) => {
        isMute ||= this.isMute
        if (!isMute) pass(near, bytes)
      })
    })
  }

  /**
   * Forwards to the server on `port` of this machine.
   *
   * @param delayMs delay added in each direction
   */
  static async before(port: number, delayMs = 0): Promise<Pooler> {
    const pooler = new Pooler(port, delayMs)
    await pooler.mend()
    return pooler
  }

  /** Address of the server's database through this pooler. */
  url(schema = "pooled"): string {
    return `postgres://fossick@127.0.0.1:${this.#port}/fossick?schema=${schema}`
  }

  /** Ends all connections and refuses new ones, like a server that is down. */
  cut(): void {
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
  }

  /** Accepts connections again, on the same port. */
  async mend(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1")
    await once(this.#server, "listening")
    this.#port = (this.#server.address() as AddressInfo).port
  }

  [Symbol.dispose](): void {
    this.cut()
  }

  #keep(socket: Socket): void {
    this.#open.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => this.#open.delete(socket))
  }
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, ErrorResponse. */
function errorMessage({ code, message }: Refusal): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from("E....")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
