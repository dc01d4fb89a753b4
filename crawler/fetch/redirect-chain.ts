import type { PageUrl } from "#engine"
import { Cookies } from "./cookies.ts"
import type { Session } from "./session.ts"

/**
 * The way of one visit from address to address: where it has been, and the cookies that were set on the way, as a
 * browser would have them that was opened for it. What belongs to the site of a login is the session's.
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

  /** A way that begins here, or goes on from one that keeps its own end; its cookies are the same. */
  static from(before: RedirectChain | undefined): RedirectChain {
    if (before === undefined) return new RedirectChain(new Set(), new Set(), new Cookies())
    return new RedirectChain(new Set(before.#requests), new Set(before.#addresses), before.#cookies)
  }

  /** Requests so far. */
  get length(): number {
    return this.#requests.size
  }

  has(url: PageUrl): boolean {
    return this.#addresses.has(url)
  }

  /** Notes a request. @returns false where it is one that was made before: then its answer would be as well */
  add(url: PageUrl, headers: Readonly<Record<string, string>>): boolean {
    const request = keyOf(url, headers)
    if (this.#requests.has(request)) return false
    this.#requests.add(request)
    this.#addresses.add(url)
    return true
  }

  /** Whether a request to `url` would be one that was made already. */
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
