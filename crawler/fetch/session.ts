import type { Login } from "../source.ts"
import { Cookies } from "./cookies.ts"
import { resolveValue, resolveValues } from "./secrets.ts"

/** A cookie in the form that a browser context accepts. */
export interface SessionCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
}

/**
 * The headers and cookies of a logged-in source's requests. It is consulted on each hop of each request, and returns
 * nothing for sites other than the source's own.
 */
export interface Session {
  /** Whether `url` is on one of the session's sites. */
  covers(url: URL): boolean
  /** The Authorization header, cookies and other headers for a request to `url`; empty for an address on another site. Names are in lower case. */
  headersFor(url: URL): Readonly<Record<string, string>>
  /** Stores the cookies that a response set; those of other sites are dropped. */
  noteSetCookie(url: URL, header: string | readonly string[] | undefined): void
  /** The cookies in {@link headersFor}, as separate objects. */
  cookiesFor(url: URL): readonly SessionCookie[]
}

/** Credentials and cookies of one run of one source. They live in memory only. */
export class CredentialSession implements Session {
  readonly #origins: ReadonlySet<string>
  readonly #headers: Readonly<Record<string, string>>
  readonly #cookies: Readonly<Record<string, string>>
  #jar = new Cookies()

  /**
   * @param addresses the seeds and the page with the form; the session is used for their sites
   * @throws Error naming a missing secret, if there is one
   */
  constructor(login: Login, addresses: readonly string[], env: NodeJS.ProcessEnv) {
    this.#origins = new Set(addresses.flatMap((address) => originsOf(new URL(address))))
    this.#headers = headersOf(login, env)
    this.#cookies = login.kind === "cookies" ? resolveValues(login.cookies, env) : {}
    this.clear()
  }

  covers(url: URL): boolean {
    return this.#origins.has(url.origin)
  }

  headersFor(url: URL): Readonly<Record<string, string>> {
    if (!this.covers(url)) return {}
    const cookie = this.#jar.headerFor(url)
    return cookie === "" ? this.#headers : { ...this.#headers, cookie }
  }

  noteSetCookie(url: URL, header: string | readonly string[] | undefined): void {
    if (this.covers(url)) this.#jar.note(url, header)
  }

  cookiesFor(url: URL): readonly SessionCookie[] {
    if (!this.covers(url)) return []
    return this.#jar.for(url).map((cookie) => ({
      name: cookie.key,
      value: cookie.value,
      domain: cookie.domain ?? url.hostname,
      path: cookie.path ?? "/",
      secure: cookie.secure,
      httpOnly: cookie.httpOnly,
    }))
  }

  /** Forgets everything that the site has set, so that the session is like a newly opened browser. */
  clear(): void {
    this.#jar = new Cookies()
    for (const [name, value] of Object.entries(this.#cookies)) {
      for (const origin of this.#origins) this.#jar.give(origin, `${name}=${value}; Path=/`)
    }
  }
}

/** The origins of the site of an address. An http site may redirect to https, where the values are even safer, but an https site may not redirect to http. */
function originsOf(url: URL): string[] {
  return url.port === "" ? [url.origin, `https://${url.hostname}`] : [url.origin]
}

function headersOf(login: Login, env: NodeJS.ProcessEnv): Record<string, string> {
  if (login.kind === "headers") {
    return Object.fromEntries(
      Object.entries(resolveValues(login.headers, env)).map(([name, value]) => [name.toLowerCase(), value]),
    )
  }
  if (login.kind !== "basic") return {}
  const user = resolveValue(login.user, env)
  const password = resolveValue(login.password, env)
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }
}
