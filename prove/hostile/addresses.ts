import type { SourceSpec } from "#crawler/source.ts"
import { type Answer, bytes, redirect } from "#crawler/testing/test-site.ts"
import { type Arena, type Attack, CASES, type Kind, unless } from "./attack.ts"

const told = (address: string, { inner }: Arena): string =>
  address.replaceAll("PORT", inner.authority.split(":")[1]!)

/** Tries to make the appliance read an address that must not be read, and returns how it was refused. */
async function refused(address: string, arena: Arena): Promise<string | null> {
  const result = await arena.reader.read(address)
  return unless(result.kind !== "read", () => `it was read: ${JSON.stringify(result).slice(0, 200)}`)
}

const direct = (address: string): Attack => ({
  name: JSON.stringify(address),
  play: (arena) => refused(told(address, arena), arena),
})

let served = 0
/** A path on the attacker's site that redirects to this address. */
function leading(to: string, { evil }: Arena, code = 302): string {
  const path = `/r${(served += 1)}`
  evil.serve({ [path]: redirect(encodeURI(to).replaceAll("%25", "%"), code) })
  return path
}

const redirected = (address: string): Attack => ({
  name: `to ${JSON.stringify(address)}`,
  play: (arena) => refused(arena.at(leading(told(address, arena), arena)), arena),
})

const chains: readonly Attack[] = [
  ...[301, 303, 307, 308].map((code) => ({
    name: `with ${code}`,
    play: (arena: Arena) => refused(arena.at(leading(arena.inner.origin, arena, code)), arena),
  })),
  {
    name: "after three public hops",
    play: (arena) => {
      let to = arena.inner.url("/")
      for (let hop = 0; hop < 3; hop++) to = arena.at(leading(to, arena))
      return refused(to, arena)
    },
  },
  {
    name: "in a circle",
    play: (arena) => {
      arena.evil.serve({ "/circle": redirect("/circle2"), "/circle2": redirect("/circle") })
      return refused(arena.at("/circle"), arena)
    },
  },
  {
    name: "without end",
    play: async (arena) => {
      let asked = 0
      arena.evil.serve({
        "/endless": (_, response) =>
          void response.writeHead(302, { location: `/endless?${(asked += 1)}` }).end(),
      })
      return (
        (await refused(arena.at("/endless"), arena)) ??
        unless(asked <= 21, () => `${asked} hops were followed`)
      )
    },
  },
  {
    name: "of robots.txt",
    play: async (arena) => {
      arena.evil.serve({ "/robots.txt": redirect(arena.inner.url("/robots.txt")), "/page": "<p>public</p>" })
      await arena.reader.read(arena.at("/page"), { robots: true })
      return null
    },
  },
  {
    name: "of a sitemap, in a live call",
    play: async (arena) => {
      const { evil, inner } = arena
      const at = (path: string) => arena.at(path, "maps.example")
      evil.serve({
        "/robots.txt": `User-agent: *\nSitemap: ${inner.url("/sitemap.xml")}\nSitemap: ${at("/moved.xml")}\nSitemap: ${at("/index.xml")}\nSitemap: file:///etc/passwd`,
        "/moved.xml": redirect(inner.url("/sitemap.xml")),
        "/index.xml": `<sitemapindex><sitemap><loc>${inner.url("/inner.xml")}</loc></sitemap><sitemap><loc>${at("/moved.xml?again")}</loc></sitemap></sitemapindex>`,
      })
      const pages = await arena.reader.sitemap(at("/") as never, { limit: 10 })
      return (
        unless(pages.length === 0, () => `${pages.length} pages were listed`) ??
        unless(evil.requests.includes("/moved.xml?again"), () => "the index was not read")
      )
    },
  },
  {
    name: "by a meta refresh",
    play: async (arena) => {
      arena.evil.serve({
        "/refresh": `<meta http-equiv="refresh" content="0;url=${arena.inner.url("/")}"><p>Wait.</p>`,
      })
      await arena.reader.read(arena.at("/refresh"))
      return null
    },
  },
]

/** The files that a source's site serves in addition to its page, and the source's own settings. `at`: the first part of each path. */
interface Listing {
  /** HTML for the head of the site's page. */
  readonly head?: string
  readonly robots?: string
  readonly files?: Readonly<Record<string, Answer>>
  readonly source?: Partial<SourceSpec>
  /** A file of the site that points to a private address; the test fails if it isn't requested. */
  readonly asked?: string
}
type Listed = (own: { readonly at: (path: string) => string; readonly inner: string }) => Listing

const RSS = "application/rss+xml"
const ATOM = "application/atom+xml"
const alternate = (type: string, href: string): string =>
  `<link rel="alternate" type="${type}" href="${href}">`
const movedFeed =
  (type: string, code: number): Listed =>
  ({ at, inner }) => ({
    head: alternate(type, at("/feed")),
    files: { "/feed": redirect(`${inner}/feed`, code) },
    asked: "/feed",
  })
const index = (...files: readonly string[]): Answer =>
  bytes(
    `<sitemapindex>${files.map((file) => `<sitemap><loc>${file}</loc></sitemap>`).join("")}</sitemapindex>`,
    { "content-type": "application/xml" },
  )
const robotsOf = (sitemap: string): string => `User-agent: *\nSitemap: ${sitemap}\n`

/** Files that a run of a source reads because a page, robots.txt, another file or the source names them. */
const LISTINGS: Readonly<Record<string, Listed>> = {
  "an RSS feed that redirects with 301": movedFeed(RSS, 301),
  "an RSS feed that redirects with 302": movedFeed(RSS, 302),
  "an RSS feed that redirects with 303": movedFeed(RSS, 303),
  "an Atom feed that redirects with 307": movedFeed(ATOM, 307),
  "an Atom feed that redirects with 308": movedFeed(ATOM, 308),
  "an RSS feed that redirects twice": ({ at, inner }) => ({
    head: alternate(RSS, at("/feed")),
    files: { "/feed": redirect(at("/feed2")), "/feed2": redirect(`${inner}/feed`) },
    asked: "/feed2",
  }),
  "an RSS feed at a private address": ({ inner }) => ({ head: alternate(RSS, `${inner}/feed`) }),
  "an Atom feed at a private address": ({ inner }) => ({ head: alternate(ATOM, `${inner}/feed`) }),
  "a feed of the source that redirects": ({ at, inner }) => ({
    source: { feeds: [at("/feed")] },
    files: { "/feed": redirect(`${inner}/feed`) },
    asked: "/feed",
  }),
  "an RSS feed whose entry redirects": ({ at, inner }) => ({
    head: alternate(RSS, at("/feed")),
    files: {
      "/feed": bytes(`<rss><channel><item><link>${at("/entry")}</link></item></channel></rss>`, {
        "content-type": RSS,
      }),
      "/entry": redirect(`${inner}/entry`),
    },
    asked: "/entry",
  }),
  "a sitemap from robots.txt at a private address": ({ inner }) => ({ robots: robotsOf(`${inner}/sitemap`) }),
  "a sitemap from robots.txt that redirects": ({ at, inner }) => ({
    robots: robotsOf(at("/map")),
    files: { "/map": redirect(`${inner}/sitemap`) },
    asked: "/map",
  }),
  "an index of sitemaps that redirects": ({ at, inner }) => ({
    robots: robotsOf(at("/index")),
    files: { "/index": index(at("/map")), "/map": redirect(`${inner}/sitemap`, 308) },
    asked: "/map",
  }),
  "an index that names a private sitemap": ({ at, inner }) => ({
    robots: robotsOf(at("/index")),
    files: { "/index": index(`${inner}/sitemap`) },
    asked: "/index",
  }),
  "a sitemap of the source that redirects": ({ at, inner }) => ({
    source: { sitemaps: [at("/map")] },
    files: { "/map": redirect(`${inner}/sitemap`) },
    asked: "/map",
  }),
}

const listings: readonly Attack[] = Object.entries(LISTINGS).map(([name, listed], nth) => ({
  name,
  play: async (arena) => {
    const { evil } = arena
    const path = (file: string) => `/listing${nth}${file}`
    const own = { at: (file: string) => arena.at(path(file)), inner: arena.inner.origin }
    const { head = "", robots = "User-agent: *\n", files = {}, source, asked } = listed(own)
    evil.serve({
      "/robots.txt": bytes(robots, { "content-type": "text/plain" }),
      [path("/")]: `<title>Listed</title>${head}<p>Words that are here to be read by all who come.</p>`,
      ...Object.fromEntries(Object.entries(files).map(([file, answer]) => [path(file), answer])),
    })
    const name = `listing ${nth}`
    await arena.crawl({ name, seeds: [own.at("/")], politeness: { delayMs: 0 }, ...source })
    return unless(
      asked === undefined || evil.requests.includes(path(asked)),
      () => `${asked} was not requested`,
    )
  },
}))

export const ADDRESSES: readonly Kind[] = [
  {
    kind: "spellings of forbidden addresses",
    must: "refused",
    attacks: CASES.forbiddenAddresses.map(direct),
  },
  { kind: "other schemes", must: "refused", attacks: CASES.otherSchemes.map(direct) },
  {
    kind: "redirects",
    must: "refused at the forbidden hop",
    attacks: [...CASES.redirects.map(redirected), ...chains],
  },
  {
    kind: "feeds and sitemaps that lead to private addresses",
    must: "refused at the forbidden hop",
    attacks: listings,
  },
  {
    kind: "live calls over the API",
    must: "refused like an unknown name, without revealing a private host",
    attacks: CASES.liveAddresses.flatMap((address) =>
      ["/extract", "/crawl", "/map"].map((call) => ({
        name: `${call} ${address}`,
        play: async (arena: Arena) => {
          const url = told(address, arena)
          const { status, body } = await arena.app.post(call, call === "/extract" ? { urls: url } : { url })
          const results = (body.results ?? []) as readonly unknown[]
          const text = JSON.stringify(body)
          return unless(
            status < 500 && results.length === 0 && !/a public address|ECONNREFUSED|private/.test(text),
            () => `${status} ${text.slice(0, 200)}`,
          )
        },
      })),
    ),
  },
]
