import { type Cookie, CookieJar } from "tough-cookie"

/** More names than a site needs. Further names are ignored: some sites set a new one on every page. */
const MAX_COOKIES = 300
const MAX_COOKIE_CHARS = 8192

/** Cookies according to the rules of browsers: each for its host or domain, path and scheme. Bounded, and in memory only. */
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

  /** Keeps the cookies of an answer's Set-Cookie headers, within the bounds. */
  note(url: URL, header: string | readonly string[] | undefined): void {
    for (const line of typeof header === "string" ? [header] : (header ?? [])) {
      const name = line.split("=", 1)[0]?.trim() ?? ""
      if (line.length > MAX_COOKIE_CHARS) continue
      if (!this.#names.has(name) && this.#names.size >= MAX_COOKIES) continue
      this.#names.add(name)
      this.give(url.href, line)
    }
  }

  /** Keeps one cookie regardless of the limits, toward which the operator's own do not count. */
  give(url: string, line: string): void {
    this.#jar.setCookieSync(line, url, { ignoreError: true })
  }
}
