import { PUBLIC_ADDRESS } from "#crawler/testing/fake-internet.ts"
import { redirect } from "#crawler/testing/test-site.ts"
import { type Arena, type Attack, type Kind, unless } from "./attack.ts"

/** Addresses that lead where nobody may go, however they are spelt. `PORT` is that of a service which listens there. */
const FORBIDDEN: readonly string[] = [
  "http://127.0.0.1:PORT/",
  "http://localhost:PORT/",
  "http://LOCALHOST.:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.0.0.1:PORT/",
  "http://0x7f.1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://017700000001:PORT/",
  "http://0177.0x0.0.01:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127.255.255.254:PORT/",
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://１２７.０.０.１:PORT/",
  "http://127。0。0。1:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
  "http://ｌｏｃａｌｈｏｓｔ:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://local%68ost:PORT/",
  "http://[::1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::127.0.0.1]:PORT/",
  "http://[64:ff9b:1::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2001:0:7f00:1::]:PORT/",
  "http://[fe80::1]:PORT/",
  "http://[fe80::1%25lo]:PORT/",
  "http://[fe80::1%lo]:PORT/",
  "http://[fc00::1]:PORT/",
  "http://[fd12:3456::1]:PORT/",
  "http://[ff02::1]:PORT/",
  "http://[2001:db8::1]:PORT/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://192.0.2.1/",
  "http://224.0.0.1/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/latest/meta-data/",
  "http://0xA9FEA9FE/latest/meta-data/",
  "http://0251.0376.0251.0376/latest/meta-data/",
  "http://[::ffff:a9fe:a9fe]/latest/meta-data/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://169.254.170.2/v2/credentials",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/machine",
  "http://192.0.0.192/latest/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://METADATA.google.internal./computeMetadata/v1/",
  "http://evil.example@127.0.0.1:PORT/",
  "http://evil.example:80@127.0.0.1:PORT/",
  "http://evil.example%00@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT\\@evil.example/",
  "http:127.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "ht\ntp://127.0.0.1:PORT/",
  " http://127.0.0.1:PORT/ ",
]

/** Schemes that no page is read by. */
const SCHEMES: readonly string[] = [
  "file:///etc/passwd",
  "FILE://localhost/etc/passwd",
  "file:/etc/passwd",
  "gopher://127.0.0.1:PORT/_GET%20/",
  "ftp://127.0.0.1:PORT/",
  "data:text/html,<p>in the address</p>",
  "blob:http://127.0.0.1:PORT/0f",
  "javascript:fetch('http://127.0.0.1:PORT/')",
  "view-source:http://127.0.0.1:PORT/",
  "jar:http://127.0.0.1:PORT/!/",
  "dict://127.0.0.1:PORT/",
  "ldap://127.0.0.1:PORT/",
  "unix:/var/run/docker.sock",
  "about:blank",
  "chrome://settings",
]

const told = (address: string, { inner }: Arena): string =>
  address.replaceAll("PORT", inner.authority.split(":")[1]!)

/** Reads an address; whatever comes of it, it is not read. */
async function refused(address: string, arena: Arena): Promise<string | null> {
  const result = await arena.reader.read(address)
  return unless(result.kind !== "read", () => `it was read: ${JSON.stringify(result).slice(0, 200)}`)
}

const direct = (address: string): Attack => ({
  name: JSON.stringify(address),
  play: (arena) => refused(told(address, arena), arena),
})

let served = 0
/** A path of the attacker's site that redirects there. */
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
        (await refused(arena.at("/endless"), arena)) ?? unless(asked <= 21, () => `${asked} hops were gone`)
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
    name: "of a sitemap, of its index and of a feed",
    play: async (arena) => {
      const { evil, inner } = arena
      evil.serve({
        "/robots.txt": `User-agent: *\nSitemap: ${inner.url("/sitemap.xml")}\nSitemap: ${arena.at("/moved.xml")}\nSitemap: file:///etc/passwd`,
        "/moved.xml": redirect(inner.url("/sitemap.xml")),
        "/sitemap.xml": `<sitemapindex><sitemap><loc>${inner.url("/inner.xml")}</loc></sitemap></sitemapindex>`,
      })
      const pages = await arena.reader.sitemap(arena.at("/") as never, { limit: 10 })
      return unless(pages.length === 0, () => `${pages.length} pages were listed`)
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

/** Names whose answers change or mix: first answer, later answers. */
const REBINDING: readonly (readonly [name: string, answers: readonly (readonly string[])[]])[] = [
  ["public, then loopback", [[PUBLIC_ADDRESS], ["127.0.0.1"]]],
  ["loopback at once", [["127.0.0.1"]]],
  ["public, then the metadata service", [[PUBLIC_ADDRESS], ["169.254.169.254"]]],
  ["public, then IPv6 loopback", [[PUBLIC_ADDRESS], ["::1"]]],
  ["mapped IPv4 in IPv6", [["::ffff:127.0.0.1"]]],
  ["NAT64 of loopback", [["64:ff9b::7f00:1"]]],
  ["6to4 of loopback", [["2002:7f00:1::"]]],
  ["a private address among public ones", [["127.0.0.1", PUBLIC_ADDRESS], ["127.0.0.1"]]],
  ["the metadata service among public ones", [["169.254.169.254", PUBLIC_ADDRESS], ["169.254.169.254"]]],
  ["private addresses in turns", [["10.0.0.1"], [PUBLIC_ADDRESS], ["127.0.0.1"]]],
  ["any address", [["0.0.0.0"]]],
  ["link-local", [["fe80::1"]]],
]

const rebinding = REBINDING.map(([name, answers], at): Attack => ({
  name,
  play: async (arena) => {
    const host = `rebind${at}.example`
    const port = arena.inner.authority.split(":")[1]!
    for (const addresses of [...answers, answers.at(-1)!, answers.at(-1)!]) {
      arena.internet.lead(host, addresses)
      // Public answers lead to this machine too, so the port tells who may be asked: none listens there for the public.
      await arena.reader.read(
        `http://${host}:${addresses.includes(PUBLIC_ADDRESS) ? arena.evil.authority.split(":")[1]! : port}/x`,
      )
    }
    return null
  },
}))

export const ADDRESSES: readonly Kind[] = [
  { kind: "spellings of forbidden addresses", must: "are refused", attacks: FORBIDDEN.map(direct) },
  { kind: "other schemes", must: "are refused", attacks: SCHEMES.map(direct) },
  {
    kind: "redirects",
    must: "are refused at the hop that leads there",
    attacks: [
      ...[
        "http://127.0.0.1:PORT/",
        "http://localhost:PORT/",
        "http://0x7f.1:PORT/",
        "//127.0.0.1:PORT/",
        "http://[::1]:PORT/",
        "http://[::ffff:7f00:1]:PORT/",
        "http://169.254.169.254/",
        "http://evil.example@127.0.0.1:PORT/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:PORT/_x",
        "data:text/html,x",
        "javascript:alert(1)",
      ].map(redirected),
      ...chains,
    ],
  },
  {
    kind: "names whose address changes",
    must: "are connected to at the address that was checked",
    attacks: rebinding,
  },
  {
    kind: "live calls over the API",
    must: "are refused, and say no more of a private host than of an unknown name",
    attacks: [
      "http://127.0.0.1:PORT/",
      "http://localhost:PORT/",
      "http://[::1]:PORT/",
      "http://169.254.169.254/",
      "http://2130706433:PORT/",
      "file:///etc/passwd",
      "http://user:pass@127.0.0.1:PORT/",
    ].flatMap((address) =>
      ["/extract", "/crawl", "/map"].map((call) => ({
        name: `${call} ${address}`,
        play: async (arena: Arena) => {
          const url = told(address, arena)
          const { status, body } = await arena.app.post(call, call === "/extract" ? { urls: url } : { url })
          const results = (body.results ?? []) as readonly unknown[]
          const text = JSON.stringify(body)
          return unless(
            status < 500 && results.length === 0 && !/not a public address|ECONNREFUSED|private/.test(text),
            () => `${status} ${text.slice(0, 200)}`,
          )
        },
      })),
    ),
  },
]
