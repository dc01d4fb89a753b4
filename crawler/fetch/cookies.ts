import { type Cookie, CookieJar } from "tough-cookie"

/** Maximum number of cookie names, more than any site needs. Further names are ignored: some sites set a new one on every page. */
const MAX_COOKIES = 300
const MAX_COOKIE_CHARS = 8192

/** Stores cookies as browsers do: each for its host or domain, path and scheme. Their number is limited, and they are kept in memory only. */
export class Cookies {
  readonly #jar = new CookieJar()
  readonly #names = new Set<string>()

  /** The Cookie header of a request to `url`; empty if there is none. */
  headerFor(url: URL): string {
    return this.#jar.getCookieStringSync(url.href)
  }

  for(url: URL): readonly Cookie[] {
    return this.#jar.getCookiesSync(url.href)
  }

  /** Keeps the cookies in a response's Set-Cookie headers, within the limits. */
  note(url: URL, header: string | readonly string[] | undefined): void {
    for (const line of typeof header === "string" ? [header] : (header ?? [])) {
      const name = line.split("=", 1)[0]?.trim() ?? ""
      if (line.length > MAX_COOKIE_CHARS) continue
      if (!this.#names.has(name) && this.#names.size >= MAX_COOKIES) continue
      this.#names.add(name)
      this.give(url.href, line)
    }
  }

  /** Stores one cookie regardless of the limits. Used for the operator's cookies, which do not count toward them. */
  give(url: string, line: string): void {
    this.#jar.setCookieSync(line, url, { ignoreError: true })
  }
}
