import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import type { ListingKind } from "../frontier/frontier-schema.ts"
import { type ListFile, readList } from "./read-list.ts"

const BASE = "https://lamp.example"
const ADDRESSES = [`${BASE}/one`, `${BASE}/two`]
const PLAIN = `<urlset>${ADDRESSES.map((one) => `<url><loc>${one}</loc><lastmod>2026-03-04</lastmod></url>`).join("")}</urlset>`
const RSS = `<rss version="2.0"><channel><link>${BASE}/</link>${ADDRESSES.map((one) => `<item><link>${one}</link></item>`).join("")}</channel></rss>`

const utf16 = (text: string) => Buffer.from(text, "utf16le")
const cutAt = (text: string, at: string) => text.slice(0, text.indexOf(at) + at.length)

async function read(
  body: string | Uint8Array,
  more: Partial<ListFile["fetched"]> & { readonly kind?: ListingKind } = {},
) {
  const { kind = "sitemap", ...answer } = more
  const fetched = { body: Buffer.from(body), headers: {}, ...answer }
  const found: { pages: string[]; sitemaps: string[]; trouble: string | null } = {
    pages: [],
    sitemaps: [],
    trouble: null,
  }
  for await (const part of readList({ url: `${BASE}/list` as PageUrl, kind, fetched }, 10_000_000)) {
    found.pages.push(...part.pages.map(({ url }) => url))
    found.sitemaps.push(...part.sitemaps.map(({ url }) => url))
    found.trouble ??= part.trouble
  }
  return found
}

const headers = (type: string) => ({ headers: { "content-type": type } })

test.each<[string, string | Uint8Array, Parameters<typeof read>[1]?]>([
  ["RSS", RSS],
  [
    "RSS behind a warning",
    `<br />\n<b>Warning</b>: Undefined variable $i in <b>/srv/map.php</b><br>\n${RSS}`,
  ],
  [
    "RSS 1.0",
    `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${ADDRESSES.map((one) => `<item rdf:about="${one}"><title>X</title></item>`).join("")}</rdf:RDF>`,
  ],
  [
    "Atom behind a comment",
    `\n\n<!-- made by lamp 1.2 -->\n<feed xmlns="http://www.w3.org/2005/Atom">${ADDRESSES.map((one) => `<entry><link href="${one}"/></entry>`).join("")}</feed>`,
  ],
  ["UTF-16, little end first", utf16(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${PLAIN}`)],
  ["UTF-16, big end first", utf16(`\ufeff${PLAIN}`).swap16()],
  ["UTF-16 without a mark", utf16(PLAIN)],
  ["text in UTF-16", utf16(`\ufeff${ADDRESSES.join("\r\n")}\r\n`)],
  ["text with a mark and blanks", `\ufeff  ${ADDRESSES.join("  \n\n  ")}\n`],
  [
    "a warning before the declaration",
    `Notice: Undefined index in map.php on line 4\n<?xml version="1.0"?>${PLAIN}`,
  ],
  ["gzip called text", gzipSync(PLAIN), headers("text/plain")],
  ["XML called HTML", PLAIN, headers("text/html; charset=utf-8")],
  ["a prefix", PLAIN.replaceAll(/<(\/?)(?=[a-z])/g, "<$1sm:")],
  ["tags in capital letters", PLAIN.replaceAll(/<\/?[a-z]+/g, (tag) => tag.toUpperCase())],
  ["capital letters", `<?XML version="1.0"?>\n${PLAIN}`],
])("a sitemap may be %s", async (_, body, more) => {
  expect(await read(body, more)).toEqual({ pages: ADDRESSES, sitemaps: [], trouble: null })
})

test("a sitemap named as a feed is read as a sitemap", async () => {
  expect(await read(PLAIN, { kind: "feed" })).toEqual({ pages: ADDRESSES, sitemaps: [], trouble: null })
})

test.each<[string, string, string, string | undefined, string]>([
  ["Latin-1 by its declaration", "latin1", '<?xml version="1.0" encoding="ISO-8859-1"?>', undefined, "größe"],
  ["Latin-1 by its header", "latin1", "", "application/xml; charset=iso-8859-1", "größe"],
  ["Latin-1 and does not say so", "latin1", "", undefined, "größe"],
  ["UTF-8 declared as Latin-1", "utf8", "", "text/xml; charset=iso-8859-1", "größe"],
])("letters in an address are kept if a file is %s", async (_, encoding, start, type, word) => {
  const body = Buffer.from(`${start}${PLAIN.replace("/one", `/${word}`)}`, encoding as BufferEncoding)
  expect((await read(body, type === undefined ? {} : headers(type))).pages[0]).toBe(new URL(word, BASE).href)
})

test.each<[string, string | Uint8Array, Parameters<typeof read>[1], string[]]>([
  ["in an address", cutAt(PLAIN, "/tw"), {}, ["/one"]],
  ["in a tag", cutAt(PLAIN, "/two</lo"), {}, ["/one"]],
  ["in a date, whose address is whole", cutAt(PLAIN, "/two</loc><lastmod>2026"), {}, ["/one", "/two"]],
  ["between two entries", cutAt(PLAIN, "</url>"), {}, ["/one"]],
  ["in a feed's link", cutAt(RSS, "/tw"), {}, ["/one"]],
  [
    "in a line, as its answer says",
    `${BASE}/one\n${BASE}/tw`,
    { cutOff: "the answer was cut off" },
    ["/one"],
  ],
  ["in its archive", gzipSync(PLAIN.repeat(1)).subarray(0, -12), {}, ["/one"]],
])(
  "a list that is cut off %s is read up to its last whole entry, and reported",
  async (_, body, more, paths) => {
    const { pages, trouble } = await read(body, more)
    expect(trouble).toBe("cut-off")
    expect(pages).toEqual(paths.map((path) => BASE + path))
  },
)

test("an index that is cut off yields no partial address", async () => {
  const index = `<sitemapindex><sitemap><loc>${BASE}/a.xml</loc></sitemap><sitemap><loc>${BASE}/b.x`
  expect(await read(index)).toEqual({ pages: [], sitemaps: [`${BASE}/a.xml`], trouble: "cut-off" })
})

test.each<[string, string | Uint8Array, string]>([
  ["a web page", `<!DOCTYPE html><html><body><a href="/one">One</a></body></html>`, "web-page"],
  [
    "one behind an XML declaration",
    `<?xml version="1.0"?><html xmlns="x"><loc>${BASE}/one</loc></html>`,
    "web-page",
  ],
  ["nothing", "", "no-list"],
  ["JSON", `{"urls": ["/one"]}`, "no-list"],
  ["another XML", `<?xml version="1.0"?><error>No such map</error>`, "no-list"],
  ["a broken archive", Buffer.concat([gzipSync(PLAIN).subarray(0, 12), Buffer.alloc(40, 7)]), "damaged"],
  ["no end of addresses", `${BASE}/x\n`.repeat(50_001), "too-long"],
])("reports a list that is %s", async (_, body, trouble) => {
  expect((await read(body)).trouble).toBe(trouble)
})

const LLMS = `# Lamp

> A lamp. See [the shop](https://shop.example/) and <${BASE}/about>.

- [Guide](/guide): how it is lit
- [Wicks](${BASE}/wicks.md "in short"), [parts](/parts/index.html.md), [oil](./oil/index.md)
- [Here](#here), ![Lamp](/lamp.png), [mail](mailto:a@lamp.example)
- [All](/llms-full.txt), [others' list](https://shop.example/llms.txt)

Source: ${BASE}/bare.
`

test("an llms.txt lists linked pages, the pages of linked markdown copies, and further lists of the site", async () => {
  const found = await read(LLMS, { kind: "llms" })
  expect(found.pages).toEqual([
    "https://shop.example/",
    `${BASE}/about`,
    `${BASE}/guide`,
    `${BASE}/wicks`,
    `${BASE}/parts/index.html`,
    `${BASE}/oil/`,
    "https://shop.example/llms.txt",
    `${BASE}/bare`,
  ])
  expect(found.sitemaps).toEqual([`${BASE}/llms-full.txt`])
  // Many sites answer a request for any address with a web page.
  expect(await read('<p><a href="/x">[x](/x)</a>', { kind: "llms" })).toMatchObject({ pages: [] })
  const long = `[a](/a) ${"[x](".repeat(200_000)}\n[b](/b)`
  expect((await read(long, { kind: "llms" })).pages).toEqual([`${BASE}/a`, `${BASE}/b`])
})

test.each([
  ["brackets in titles", `- [Sub [x]](/sub), [![Logo](/l.png) Home](/home)`, ["/sub", "/home"]],
  [
    "parentheses in addresses",
    `- [Wick](/wick_(oil)): about [that](/b "it (in short)").`,
    ["/wick_(oil)", "/b"],
  ],
  [
    "addresses defined below",
    `See [it][g] and [wick].\n\n[g]: /guide "Guide"\n[wick]: </wick>`,
    ["/guide", "/wick"],
  ],
  ["examples in code", "[a](/a)\n```md\n[no](/no)\n~~~\n[no](/no2)\n```\n[b](/b)", ["/a", "/b"]],
  ["stars and numbers", `\ufeff* ${BASE}/one\r\n1. ${BASE}/two\r\n`, ["/one", "/two"]],
])("an llms.txt with %s is read", async (_, text, paths) => {
  expect((await read(text, { kind: "llms" })).pages).toEqual(paths.map((path) => BASE + path))
})

test("an empty list still counts as a list", async () => {
  expect(await read("<urlset></urlset>")).toEqual({ pages: [], sitemaps: [], trouble: null })
})
