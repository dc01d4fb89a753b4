import type { PageUrl } from "#engine"
import { Cookies } from "./cookies.ts"
import type { Session } from "./session.ts"

/**
 * The requests of one visit through redirects, with the cookies set along the way, as in a browser opened for this
 * visit. The cookies of a login's sites are kept in its session instead.
 */
export class RedirectChain {
  readonly #requests: Set<string>
  readonly #addresses: Set<PageUrl>
  readonly #cookies: Cookies

  private constructor(requests: Set<string>, addresses: Set<PageUrl>, cookies: Cookies) {
    this.#requests = requests
    this.#addresses = addresses
    this.#cookies = cookies
  }

  /** Starts a chain, or continues a copy of `before` that shares its cookies. */
  static from(before: RedirectChain | undefined): RedirectChain {
    if (before === undefined) return new RedirectChain(new Set(), new Set(), new Cookies())
    return new RedirectChain(new Set(before.#requests), new Set(before.#addresses), before.#cookies)
  }

  /** Number of requests so far. */
  get length(): number {
    return this.#requests.size
  }

  has(url: PageUrl): boolean {
    return this.#addresses.has(url)
  }

  /** Records a request. @returns false if the same one was made before, since its response would be the same */
  add(url: PageUrl, headers: Readonly<Record<string, string>>): boolean {
    const request = keyOf(url, headers)
    if (this.#requests.has(request)) return false
    this.#requests.add(request)
    this.#addresses.add(url)
    return true
  }

  /** Whether the next request to `url` would repeat an earlier one. */
  hasMade(url: PageUrl, session: Session | undefined): boolean {
    return this.#requests.has(keyOf(url, this.headersFor(new URL(url), session)))
  }

  /** Credentials and cookies for the next request. */
  headersFor(url: URL, session: Session | undefined): Readonly<Record<string, string>> {
    if (session?.covers(url) === true) return session.headersFor(url)
    const cookie = this.#cookies.headerFor(url)
    return cookie === "" ? {} : { cookie }
  }

  noteSetCookie(
    url: URL,
    header: string | readonly string[] | undefined,
    session: Session | undefined,
  ): void {
    if (session?.covers(url) === true) session.noteSetCookie(url, header)
    else this.#cookies.note(url, header)
  }
}

const keyOf = (url: PageUrl, { cookie = "" }: Readonly<Record<string, string>>): string => `${cookie}\n${url}`
