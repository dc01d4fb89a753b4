import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { Environment, ExpectedPage, Question, RealSite, Served } from "./programs/site.ts"

/** A site of the week at its place: what it is, and whether and how it is served just now. */
export class Stand implements AsyncDisposable {
  readonly site: RealSite
  readonly port: number
  readonly #env: Environment
  #served: Served | null = null
  #url: string
  #movedTo: string | null = null

  constructor(site: RealSite, port: number, env: Environment) {
    this.#url = `http://127.0.0.1:${port}`
    this.site = site
    this.port = port
    this.#env = env
  }

  get name(): string {
    return this.site.name
  }

  /** Address without a slash at the end. */
  get url(): string {
    return this.#movedTo ?? this.#url
  }

  /** The site has another address from now on: without a slash at the end. */
  moveTo(url: string): void {
    this.#movedTo = url
  }

  get start(): string {
    return this.url + this.site.start
  }

  pages(): readonly (ExpectedPage & { url: string })[] {
    return this.site.pages.map((page) => ({ ...page, url: this.url + page.path }))
  }

  /** Serves the site itself, instead of what stood there. */
  async up(): Promise<void> {
    await this.serve(() => this.site.serve(this.port, this.#env))
  }

  /** Nobody listens there from now on. */
  async down(): Promise<void> {
    await this.#served?.[Symbol.asyncDispose]()
    this.#served = null
  }

  /** Puts another server at the same place. */
  async serve(make: (port: number, env: Environment) => Promise<Served>): Promise<void> {
    await this.down()
    this.#served = await make(this.port, this.#env)
    this.#url = this.#served.url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }
}

/** A site that has been sick for as long as anyone remembers. */
export function sickSite(name: string, program: string, listener: RequestListener): RealSite {
  return {
    name,
    program,
    start: "/",
    pages: [],
    junk: null,
    question: { text: "", path: "" } satisfies Question,
    serve: (port) => serveOwn(port, listener),
  }
}

async function serveOwn(port: number, listener: RequestListener): Promise<Served> {
  const server = createServer(listener)
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

/** Takes connections and never answers. */
export const silent: RequestListener = () => {}

/** Always too busy, for two minutes more. */
export const busy: RequestListener = (_, response) => {
  response.writeHead(503, { "retry-after": "120" }).end("Too busy.\n")
}
