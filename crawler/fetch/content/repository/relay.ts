import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream/promises"
import { KnownError } from "#base/errors.ts"
import type { AddressGuard } from "../../guard/address-guard.ts"
import { codeOf } from "../../network-error.ts"

export interface RelayTarget {
  /** The address of the repository, in the form that `git clone` accepts. */
  readonly url: URL
  /** The Authorization header, or `null`. */
  readonly authorization: string | null
  readonly guard: AddressGuard
}

const REFS = "/info/refs"
const PACK = "/git-upload-pack"
const QUERY = "?service=git-upload-pack"
const ADVERTISEMENT = "application/x-git-upload-pack-advertisement"
const MAX_REDIRECTS = 3
/** Headers that are passed on to the repository. */
const UP = [
  "accept",
  "accept-encoding",
  "content-type",
  "content-encoding",
  "content-length",
  "git-protocol",
  "user-agent",
]
const DOWN = ["content-type", "content-encoding", "content-length", "cache-control"]

/**
 * Serves one remote repository on loopback while git reads it. Git resolves no names, connects to no other host,
 * follows no redirects, checks no certificates and gets no secrets: all requests go through the {@link AddressGuard}.
 * The relay allows only the two requests of smart HTTP that read data (https://git-scm.com/docs/http-protocol), and
 * only at its secret address.
 */
export class Relay implements AsyncDisposable {
  /** The address at which git reaches the repository. It is secret, because anyone who knows it can read the repository with the token. */
  readonly address: string
  /** The first request that failed; `null` if all succeeded. */
  failure: KnownError | null = null
  readonly #server: Server
  readonly #path: string
  readonly #guard: AddressGuard
  readonly #authorization: string | null
  /** The repository's address, without a trailing slash. */
  #base: URL

  static async start(target: RelayTarget): Promise<Relay> {
    const server = createServer({ requestTimeout: 0 })
    await new Promise<void>((listening, failed) => {
      server.once("error", failed)
      server.listen(0, "127.0.0.1", listening)
    })
    return new Relay(server, target)
  }

  private constructor(server: Server, { url, authorization, guard }: RelayTarget) {
    this.#server = server
    this.#guard = guard
    this.#authorization = authorization
    this.#base = new URL(url.href.replace(/\/+$/, ""))
    this.#path = `/${randomBytes(24).toString("base64url")}`
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${this.#path}`
    server.on("request", (incoming, response) => {
      void this.#answer(incoming, response)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = incoming
    try {
      if (method === "GET" && url === this.#path + REFS + QUERY) await this.#refs(incoming, response)
      else if (method === "POST" && url === this.#path + PACK) await this.#pack(incoming, response)
      else response.writeHead(404).end()
    } catch (error) {
      // If git closed the connection early, that isn't the repository's failure.
      if (!response.destroyed || error instanceof KnownError)
        this.failure ??=
          error instanceof KnownError ? error : new KnownError(this.#unreachable(error as Error))
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  }

  /** Handles the first request, and follows redirects to find the repository. */
  async #refs(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#ask(incoming, REFS + QUERY)
      const { statusCode: status, headers, body } = answer
      const location = headers["location"]
      if (status >= 300 && status < 400 && typeof location === "string") {
        await body.dump()
        if (hops === MAX_REDIRECTS) throw new KnownError(`${this.#base.href} redirects in a loop.`)
        this.#base = this.#moved(location)
        continue
      }
      const type = String(headers["content-type"] ?? "")
      if (status !== 200 || !type.startsWith(ADVERTISEMENT)) {
        await body.dump()
        throw new KnownError(this.#refusal(status))
      }
      await passOn(answer, response)
      return
    }
  }

  async #pack(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#ask(incoming, PACK)
    if (answer.statusCode !== 200) {
      await answer.body.dump()
      throw new KnownError(this.#refusal(answer.statusCode))
    }
    await passOn(answer, response)
  }

  async #ask(incoming: IncomingMessage, path: string) {
    const target = new URL(this.#base.href + path)
    return await this.#guard.dispatcherFor(target).request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: incoming.method as "GET" | "POST",
      headers: {
        ...some(incoming.headers, UP),
        ...(this.#authorization !== null && { authorization: this.#authorization }),
      },
      body: incoming.method === "POST" ? incoming : null,
    })
  }

  /** The repository's new address after a redirect, which must stay on this host: only the host that the operator chose may receive the token. */
  #moved(location: string): URL {
    const to = URL.parse(location, this.#base.href + REFS)
    const isSame =
      to?.host === this.#base.host && (to.protocol === this.#base.protocol || isUpgrade(this.#base, to))
    if (!isSame || !to.href.endsWith(REFS + QUERY)) {
      const where = to === null ? location : to.origin + to.pathname.replace(/\/info\/refs$/, "")
      throw new KnownError(
        `${this.#base.href} redirects to ${where}. If that is the repository, use its address in the source.`,
      )
    }
    return new URL(to.href.slice(0, -(REFS + QUERY).length))
  }

  #refusal(status: number): string {
    const { href } = this.#base
    const hasToken = this.#authorization !== null
    switch (status) {
      case 401:
      case 403:
        return hasToken
          ? `${href} rejected the token (${status}). It may be wrong or expired, or not allowed to read the repository.`
          : `${href} can't be read without a token (${status}), or there is no such repository.`
      case 404:
        return `There is no repository at ${href} (404)${hasToken ? ", or the token gives no access to it" : ", or you need a token to see it"}.`
      case 200:
        return `${href} isn't a Git repository. Use the address that you give to git clone.`
      default:
        return `${href} answered ${status}.`
    }
  }

  #unreachable(error: Error): string {
    const why = codeOf(error)
    return `${this.#base.href} cannot be read: ${why === "" ? error.message : `${error.message || "no connection"} (${why})`}`
  }
}

type Answer = Awaited<ReturnType<ReturnType<AddressGuard["dispatcherFor"]>["request"]>>

async function passOn({ headers, body }: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(200, some(headers, DOWN))
  await pipeline(body, response)
}

function some(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string | string[]> {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  )
}

const isUpgrade = (from: URL, to: URL): boolean => from.protocol === "http:" && to.protocol === "https:"
