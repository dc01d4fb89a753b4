import { type Cookie, CookieJar } from "tough-cookie"

/** More than a site has use for; one that sets a new name on every page stops being listened to. */
const MAX_COOKIES = 300
const MAX_COOKIE_CHARS = 8192

/** Cookies by the rules of browsers: each for its host or domain, path and scheme. Bounded, and in memory only. */
export class Cookies {
  readonly #jar = new CookieJar()
  readonly #names = new Set<string>()

  /** The Cookie header of a request to `url`; empty without one. */
  headerFor(url: URL): string {
    return this.#jar.getCookieStringSync(url.href)
  }

  for(url: URL): readonly Cookie[] {
    return this.#jar.getCookiesSync(url.href)
  }

  /** Keeps what the Set-Cookie headers of an answer from `url` may set. */
  note(url: URL, header: string | readonly string[] | undefined): void {
    for (const line of typeof header === "string" ? [header] : (header ?? [])) {
      const name = line.split("=", 1)[0]?.trim() ?? ""
      if (line.length > MAX_COOKIE_CHARS) continue
      if (!this.#names.has(name) && this.#names.size >= MAX_COOKIES) continue
      this.#names.add(name)
      this.give(url.href, line)
    }
  }

  /** Keeps a cookie that the operator wrote, whatever the bounds of sites. */
  give(url: string, line: string): void {
    this.#jar.setCookieSync(line, url, { ignoreError: true })
  }
}
