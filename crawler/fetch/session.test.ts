import { describe, expect, test } from "vitest"
import { CredentialSession } from "./session.ts"

const HEADERS = { kind: "headers", headers: { "X-Token": "${TOKEN}" } } as const
const env = { TOKEN: "abc", PASSWORD: "pässword" }
const headersOf = (session: CredentialSession, url: string) => session.headersFor(new URL(url))

describe("a login is sent only to its own site", () => {
  test("by scheme, host and port; also from http without a port to https, and never the other way", () => {
    const session = new CredentialSession(HEADERS, ["http://wiki.example/", "https://docs.example:444/"], env)
    const own = { "x-token": "abc" }
    for (const [url, headers] of [
      ["http://wiki.example/a", own],
      ["https://wiki.example/a", own],
      ["https://docs.example:444/", own],
      ["http://wiki.example:81/", {}],
      ["https://docs.example/", {}],
      ["http://docs.example:444/", {}],
      ["https://sub.wiki.example/", {}],
      ["https://wiki.example.evil.example/", {}],
    ] as const)
      expect([url, headersOf(session, url)]).toEqual([url, headers])
    const secure = new CredentialSession(HEADERS, ["https://wiki.example/"], env)
    expect(headersOf(secure, "http://wiki.example/")).toEqual({})
    const ported = new CredentialSession(HEADERS, ["http://wiki.example:81/"], env)
    expect(ported.covers(new URL("https://wiki.example/"))).toBe(false)
  })

  test("as a user name and password (RFC 7617), in UTF-8", () => {
    const login = { kind: "basic", user: "ada", password: "${PASSWORD}" } as const
    const session = new CredentialSession(login, ["https://wiki.example/"], env)
    expect(headersOf(session, "https://wiki.example/")).toEqual({
      authorization: `Basic ${Buffer.from("ada:pässword").toString("base64")}`,
    })
  })

  test("not at all when a secret is missing", () => {
    expect(() => new CredentialSession(HEADERS, ["https://wiki.example/"], {})).toThrow("${TOKEN}")
  })
})

describe("cookies", () => {
  const login = { kind: "cookies", cookies: { session: "${TOKEN}", lang: "en" } } as const
  const begin = () => new CredentialSession(login, ["https://wiki.example/"], env)
  const at = (path: string) => new URL(path, "https://wiki.example/")

  test("from the login are sent to the whole site, and in a browser behave the same", () => {
    const session = begin()
    expect(session.headersFor(at("/any/page"))).toEqual({ cookie: "session=abc; lang=en" })
    expect(session.headersFor(new URL("https://other.example/"))).toEqual({})
    expect(session.cookiesFor(new URL("https://other.example/"))).toEqual([])
    // Cookies of the same host are not sent without TLS either, although a cookie jar would send them.
    expect(session.cookiesFor(new URL("http://wiki.example/"))).toEqual([])
    expect(session.cookiesFor(at("/"))).toEqual([
      { name: "session", value: "abc", domain: "wiki.example", path: "/", secure: false, httpOnly: false },
      { name: "lang", value: "en", domain: "wiki.example", path: "/", secure: false, httpOnly: false },
    ])
  })

  test("from the site are kept until cleared, and those of other sites never", () => {
    const session = begin()
    session.noteSetCookie(at("/"), ["session=new; Path=/; Secure; HttpOnly", "x=1; Path=/deep"])
    session.noteSetCookie(at("/"), "y=2")
    session.noteSetCookie(at("/"), undefined)
    session.noteSetCookie(new URL("https://other.example/"), "evil=1; Domain=wiki.example")
    session.noteSetCookie(at("/"), "foreign=1; Domain=other.example")
    expect(session.headersFor(at("/deep/a"))).toEqual({ cookie: "x=1; session=new; lang=en; y=2" })
    expect(session.headersFor(at("/"))).toEqual({ cookie: "session=new; lang=en; y=2" })
    expect(session.cookiesFor(at("/"))[0]).toMatchObject({ value: "new", secure: true, httpOnly: true })
    session.clear()
    expect(session.headersFor(at("/deep/a"))).toEqual({ cookie: "session=abc; lang=en" })
  })

  test("have the site's domain and path in a browser", () => {
    const session = new CredentialSession(
      HEADERS,
      ["https://wiki.example/", "https://docs.wiki.example/"],
      env,
    )
    session.noteSetCookie(at("/"), ["all=1; Domain=wiki.example; Path=/", "deep=2; Path=/deep"])
    expect(session.cookiesFor(new URL("https://docs.wiki.example/"))).toMatchObject([
      { name: "all", domain: "wiki.example", path: "/" },
    ])
    expect(session.cookiesFor(at("/deep/a"))).toMatchObject([
      { name: "deep", domain: "wiki.example", path: "/deep" },
      { name: "all" },
    ])
  })

  test("that are invalid are left out, and the others are sent", () => {
    const session = new CredentialSession(login, ["https://wiki.example/"], { TOKEN: "a\u0007bell" })
    expect(session.headersFor(at("/"))).toEqual({ cookie: "lang=en" })
  })

  test("are no longer stored when a site sets a new one on every page, or very long ones", () => {
    const session = begin()
    session.noteSetCookie(at("/"), `long=${"x".repeat(8192)}; Path=/`)
    const most = "; Path=/".padStart(8192 - "most=".length, "x")
    session.noteSetCookie(at("/"), `most=${most}`)
    expect(session.cookiesFor(at("/")).map(({ name }) => name)).toContain("most")
    for (let page = 0; page < 310; page++) session.noteSetCookie(at("/"), `c${page}=1; Path=/`)
    const names = session.cookiesFor(at("/")).map(({ name }) => name)
    expect(names).toHaveLength(2 + 300)
    expect(names).not.toContain("long")
    expect(names).not.toContain("c299")
    // Known cookies can still change their values.
    session.noteSetCookie(at("/"), " c7=2; Path=/")
    expect(session.headersFor(at("/"))["cookie"]).toContain("c7=2")
    session.clear()
    session.noteSetCookie(at("/"), "c300=1; Path=/")
    expect(session.headersFor(at("/"))["cookie"]).toContain("c300=1")
  })
})
