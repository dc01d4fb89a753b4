import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Environment, ExpectedPage, Question, RealSite, Served } from "./programs/site.ts"

/** A site of the week: the program, and whether and how it is being served. */
export class Stand implements AsyncDisposable {
  readonly site: RealSite
  #port: number
  readonly #env: Environment
  #served: Served | null = null
  #url: string
  #movedTo: string | null = null

  /** @param port 0 for any free port, which is then kept. */
  constructor(site: RealSite, port: number, env: Environment = {}) {
    this.#url = `http://127.0.0.1:${port}`
    this.site = site
    this.#port = port
    this.#env = env
  }

  get port(): number {
    return this.#port
  }

  get name(): string {
    return this.site.name
  }

  /** Address without a slash at the end. */
  get url(): string {
    return this.#movedTo ?? this.#url
  }

  /** Changes the site's address; `url` has no slash at the end. */
  moveTo(url: string): void {
    this.#movedTo = url
  }

  get start(): string {
    return this.url + this.site.start
  }

  /** Serves the site itself again, instead of its replacement. */
  async up(): Promise<void> {
    await this.serve(() => this.site.serve(this.#port, this.#env))
  }

  /** Stops the site, so that nothing listens on its port from now on. */
  async down(): Promise<void> {
    await this.#served?.[Symbol.asyncDispose]()
    this.#served = null
  }

  /** Starts another server at the same address. */
  async serve(make: (port: number, env: Environment) => Promise<Served>): Promise<void> {
    await this.down()
    this.#served = await make(this.#port, this.#env)
    this.#url = this.#served.url
    this.#port = Number(new URL(this.#url).port)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }
}

/** A site of our own, without a program from a registry: one that is sick, or plain pages for a short week. */
export function ownSite(
  name: string,
  program: string,
  listener: RequestListener,
  pages: readonly ExpectedPage[] = [],
  question: Question = { text: "", path: "" },
): RealSite {
  return {
    name,
    program,
    start: "/",
    pages,
    junk: null,
    question,
    serve: (port) => serveOwn(port, listener),
  }
}

async function serveOwn(port: number, listener: RequestListener): Promise<Served> {
  const server = createServer(listener)
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

/** Accepts connections and never answers. */
export const silent: RequestListener = () => {}

/** Always too busy: asks clients to wait for that many seconds. */
export function busyFor(seconds: number): RequestListener {
  return (_, response) => {
    response.writeHead(503, { "retry-after": String(seconds) }).end("Too busy.\n")
  }
}
