import { gzipSync } from "node:zlib"

/** One way to write a sitemap. It lists `/one` and `/two` unless `wanted` is set. */
export interface Form {
  readonly name: string
  readonly file: Uint8Array
  /** Files that a sitemap index names, by their path. */
  readonly others?: Readonly<Record<string, Uint8Array>>
  readonly wanted?: readonly string[]
}

export const SITE = "https://forms.example"
const ADDRESSES = [`${SITE}/one`, `${SITE}/two`]
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

const urls = (addresses: readonly string[]) =>
  addresses.map((one) => `  <url>\n    <loc>${one}</loc>\n  </url>\n`).join("")
const urlset = (inside: string, encoding = "UTF-8") =>
  `<?xml version="1.0" encoding="${encoding}"?>\n<urlset xmlns="${NAMESPACE}">\n${inside}</urlset>\n`

const utf8 = (text: string) => new TextEncoder().encode(text)
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
const utf16le = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))
const utf16be = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le").swap16())

const plain = urlset(urls(ADDRESSES))

/** Forms that hosts, shops and generators send; each was written for this bench. */
export const FORMS: readonly Form[] = [
  { name: "plain XML", file: utf8(plain) },
  {
    name: "an index of two files",
    file: utf8(
      `<?xml version="1.0"?><sitemapindex xmlns="${NAMESPACE}"><sitemap><loc>${SITE}/a.xml</loc></sitemap>` +
        `<sitemap><loc>${SITE}/b.xml.gz</loc></sitemap></sitemapindex>`,
    ),
    others: {
      "/a.xml": utf8(urlset(urls([ADDRESSES[0]!]))),
      "/b.xml.gz": gzipSync(urlset(urls([ADDRESSES[1]!]))),
    },
  },
  { name: "gzip", file: gzipSync(plain) },
  { name: "text, an address on each line", file: utf8(`${ADDRESSES.join("\r\n")}\r\n`) },
  { name: "text with a byte order mark", file: utf8(`\ufeff${ADDRESSES.join("\n")}`) },
  {
    name: "RSS 2.0",
    file: utf8(
      `<?xml version="1.0"?><rss version="2.0"><channel><title>Shop</title><link>${SITE}/</link>` +
        `${ADDRESSES.map((one) => `<item><title>Item</title><link>${one}</link></item>`).join("")}</channel></rss>`,
    ),
  },
  {
    name: "Atom",
    file: utf8(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="${SITE}/"/>` +
        `${ADDRESSES.map((one) => `<entry><id>${one}#id</id><link rel="alternate" href="${one}"/></entry>`).join("")}</feed>`,
    ),
  },
  { name: "UTF-16, little end first", file: utf16le(urlset(urls(ADDRESSES), "UTF-16")) },
  { name: "UTF-16, big end first", file: utf16be(urlset(urls(ADDRESSES), "UTF-16")) },
  {
    name: "Latin-1 by its declaration",
    file: latin1(urlset(urls([`${SITE}/größe`, `${SITE}/two`]), "ISO-8859-1")),
    wanted: [`${SITE}/gr%C3%B6%C3%9Fe`, `${SITE}/two`],
  },
  { name: "UTF-8 with a byte order mark", file: utf8(`\ufeff${plain}`) },
  {
    name: "a warning printed before <?xml",
    file: utf8(`\nDeprecated: Function strftime() is deprecated in /srv/shop/map.php on line 12\n${plain}`),
  },
  {
    name: "a prefix for the namespace",
    file: utf8(
      `<sm:urlset xmlns:sm="${NAMESPACE}">` +
        `${ADDRESSES.map((one) => `<sm:url><sm:loc>${one}</sm:loc></sm:url>`).join("")}</sm:urlset>`,
    ),
  },
  {
    name: "CDATA and blanks around the address",
    file: utf8(urlset(urls(ADDRESSES.map((one) => `\n      <![CDATA[ ${one} ]]>\n    `)))),
  },
  {
    name: "cut off within an address",
    file: utf8(plain.slice(0, plain.indexOf("/two") + 2)),
    wanted: [ADDRESSES[0]!],
  },
  {
    name: "pictures and escaped characters",
    file: utf8(
      urlset(
        `<url><loc>${SITE}/one?a=1&amp;b=2</loc><image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">` +
          `<image:loc>${SITE}/picture.jpg</image:loc></image:image></url>${urls([ADDRESSES[1]!])}`,
      ),
    ),
    wanted: [`${SITE}/one?a=1&b=2`, ADDRESSES[1]!],
  },
]

export const wantedOf = ({ wanted = ADDRESSES }: Form): readonly string[] => wanted
