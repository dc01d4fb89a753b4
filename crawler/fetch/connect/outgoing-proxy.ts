import { readFileSync } from "node:fs"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { isIP, isIPv6, type Socket } from "node:net"
import { noteOutbound } from "#base/outbound/outbound.ts"
import { AllowedNetworks, bareHost } from "../guard/allowed-networks.ts"

/** A failure of the proxy. The message names its host and port, never its user or password. */
export class ProxyError extends Error {
  /** Whether another try may succeed. */
  readonly transient: boolean

  constructor(message: string, transient: boolean, options?: ErrorOptions) {
    super(message, options)
    this.name = "ProxyError"
    this.transient = transient
  }
}

/** The settings of the proxy; see `crawler/settings.ts`. */
export interface ProxySettings {
  /** `http://user:password@host:port`; empty if there is no proxy. */
  readonly proxy: string
  /** File that contains the password if the address does not; empty if there is no such file. */
  readonly proxyPasswordFile: string
  /** Hosts that are reached without the proxy: entries as in `FOSSICK_ALLOWED_NETWORKS`. */
  readonly proxyExcept: readonly string[]
  /** Where names are resolved: in this process, which checks their addresses, or in the proxy, which knows more names. */
  readonly proxyLookup: "here" | "proxy"
}

/** The HTTP proxy through which the internet is reached: a tunnel (CONNECT, RFC 9110 §9.3.6) for each connection. */
export class OutgoingProxy {
  readonly lookup: "here" | "proxy"
  readonly #url: URL
  readonly #authorization: string | null
  readonly #except: AllowedNetworks

  /** The proxy that the settings configure, or `null` if there is none. */
  static of(settings?: ProxySettings): OutgoingProxy | null {
    return settings === undefined || settings.proxy === "" ? null : new OutgoingProxy(settings)
  }

  private constructor(settings: ProxySettings) {
    this.#url = new URL(settings.proxy)
    this.#except = new AllowedNetworks(settings.proxyExcept)
    this.lookup = settings.proxyLookup
    const user = decodeURIComponent(this.#url.username)
    const password =
      settings.proxyPasswordFile === ""
        ? decodeURIComponent(this.#url.password)
        : readFileSync(settings.proxyPasswordFile, "utf8").replace(/\r?\n$/, "")
    // Credentials are sent as Proxy-Authorization; if they stayed in the address, requests would turn them into
    // Authorization.
    this.#url.username = this.#url.password = ""
    this.#authorization =
      user === "" && password === "" ? null : `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  }

  /** Whether `url` is reached without the proxy. */
  excepts(url: URL): boolean {
    return this.#except.name(url)
  }

  /**
   * Opens a connection to `host`, an address or a name.
   * @throws ProxyError
   */
  open(host: string, port: number, timeoutMs: number): Promise<Socket> {
    const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`
    const { host: place, protocol } = this.#url
    const name = bareHost(this.#url)
    const send = protocol === "https:" ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const asked = send(this.#url, {
        method: "CONNECT",
        path: target,
        agent: false,
        // Needed for a secure proxy: otherwise Node.js would use the name in the Host header, which is the site's.
        servername: isIP(name) > 0 ? "" : name,
        headers: {
          host: target,
          ...(this.#authorization !== null && { "proxy-authorization": this.#authorization }),
        },
      })
      asked.setTimeout(timeoutMs, () => {
        asked.destroy(new ProxyError(`the connection through the proxy ${place} timed out`, true))
      })
      // Also emitted if the proxy refuses the request.
      asked.once("connect", ({ statusCode = 0 }, socket, head) => {
        socket.setTimeout(0)
        noteOutbound("proxy", place)
        if (statusCode === 200) {
          socket.unshift(head)
          resolve(socket)
          return
        }
        socket.destroy()
        reject(refusal(place, statusCode, target))
      })
      asked.on("error", (error) => {
        if (error instanceof ProxyError) reject(error)
        else {
          const { code = error.message } = error as NodeJS.ErrnoException
          reject(new ProxyError(`the proxy ${place} cannot be reached (${code})`, true, { cause: error }))
        }
      })
      asked.end()
    })
  }
}

function refusal(place: string, status: number, target: string): ProxyError {
  if (status === 407)
    return new ProxyError(
      `the proxy ${place} rejected the user name or password in FOSSICK_PROXY (407)`,
      false,
    )
  return new ProxyError(
    `the proxy ${place} answered ${status} when asked to connect to ${target}`,
    status >= 500,
  )
}
