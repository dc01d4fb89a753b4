import { type IncomingMessage, type ServerResponse } from "node:http"
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib"
import { docx, epub, pptx, wordParagraph, zip } from "#crawler/testing/documents.ts"
import { pdf } from "#crawler/testing/pdf-file.ts"
import { inflatingZip, poisonPdfs } from "#crawler/testing/poison.ts"
import { type Answer, bytes } from "#crawler/testing/test-site.ts"
import { peakGrowth } from "../../bench/measure.ts"
import { type Attack, type Kind, unless } from "./attack.ts"
import { isShort } from "../proof.ts"

const MB = 1 << 20
/**
 * Memory that one attack may use in this process and the ones it starts: the limit of a process that reads documents
 * ({@link DOCUMENT_MEMORY_MB}), the amount it uses before it checks itself, and the size of bodies here.
 */
const MOST_GROWN = 400 * MB
/** Limit of a process that reads documents: the lowest that the settings allow. */
export const DOCUMENT_MEMORY_MB = 200
/** Milliseconds that a visit may take: an endless response uses them all. */
const timeoutOf = (scale: number): number => (isShort(scale) ? 1500 : 30_000)

type Made = (scale: number) => Answer

/** Serves the body, reads it as often as needed, and checks the cost. */
const sent = (
  name: string,
  made: Made,
  wants: (kind: string, text: string) => boolean = () => true,
): Attack => ({
  name,
  play: async (arena) => {
    const path = `/b/${encodeURIComponent(name)}`
    arena.evil.serve({ [path]: made(arena.scale) })
    const { result, grown } = await peakGrowth(() =>
      arena.reader.read(arena.at(path), { timeoutMs: timeoutOf(arena.scale) }),
    )
    const text = result.kind === "read" ? result.reading.extracted.markdown : ""
    return (
      unless(grown < MOST_GROWN, () => `${Math.round(grown / MB)} MB of memory were used`) ??
      unless(wants(result.kind, text), () => `the result was ${JSON.stringify(result).slice(0, 200)}`)
    )
  },
})

const isRefused = (kind: string) => kind !== "read"
const HTML = { "content-type": "text/html" }
const zeros = (scale: number) => Buffer.alloc(Math.round(1000 * MB * Math.max(scale, 0.03)), "<p>words ")
const encoded = (name: string, encoding: string, pack: (body: Uint8Array) => Uint8Array) =>
  sent(name, (scale) => bytes(pack(zeros(scale)), { ...HTML, "content-encoding": encoding }), isRefused)
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Writes as long as the other side reads. */
const endless =
  (chunk: () => string | Buffer, pauseMs = 0, headers: Record<string, string> = HTML) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, headers)
    const write = (): void => {
      if (response.destroyed) return
      const isTaken = response.write(chunk())
      if (pauseMs > 0) setTimeout(write, pauseMs)
      else if (isTaken) setImmediate(write)
      else response.once("drain", write)
    }
    write()
  }

/** Written directly to the socket, bypassing HTTP's rules. */
const raw = (text: string) => (request: IncomingMessage) => {
  request.socket.end(text)
}

const document = (body: Uint8Array, type: string) => bytes(body, { "content-type": type })
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
const EPUB = "application/epub+zip"
const ENTITIES = `<!DOCTYPE x [<!ENTITY a "ha ha ha ha ha ha "><!ENTITY b "${"&a;".repeat(50)}"><!ENTITY c "${"&b;".repeat(50)}"><!ENTITY d "${"&c;".repeat(50)}"><!ENTITY e SYSTEM "file:///etc/passwd">]>`
const unexpanded = (_: string, text: string) => !text.includes("ha ha ha") && !text.includes("root:")
const wordFile = (xml: string) => zip({ "[Content_Types].xml": "<Types/>", "word/document.xml": xml })
const word = (body: string) =>
  `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`

/** Megabytes. */
const gigabyte = (scale: number) => Math.round(1000 * Math.max(scale, 0.15))
/** Makes the archive's directory claim sizes of a few bytes (APPNOTE 4.3.12). */
function saidToBeSmall(archive: Buffer): Buffer {
  for (let at = archive.indexOf("PK\x01\x02"); at !== -1; at = archive.indexOf("PK\x01\x02", at + 4))
    archive.writeUInt32LE(9, at + 24)
  return archive
}

const encodings: readonly Attack[] = [
  encoded("gzip", "gzip", (body) => gzipSync(body, { level: 1 })),
  encoded("brotli", "br", (body) => brotliCompressSync(body, fast)),
  encoded("zstd", "zstd", (body) => zstdCompressSync(body)),
  encoded("gzip in gzip", "gzip, gzip", (body) => gzipSync(gzipSync(body, { level: 1 }))),
  encoded("zstd in brotli", "zstd, br", (body) => brotliCompressSync(zstdCompressSync(body), fast)),
  sent(
    "fifty encodings",
    () => bytes("x", { ...HTML, "content-encoding": Array(50).fill("gzip").join(", ") }),
    isRefused,
  ),
  sent(
    "truncated gzip",
    () => bytes(gzipSync("x".repeat(10_000)).subarray(0, 40), { ...HTML, "content-encoding": "gzip" }),
    isRefused,
  ),
]

const streams: readonly Attack[] = [
  sent(
    "a body of a gigabyte",
    (scale) => {
      let left = Math.round(1000 * MB * scale)
      return endless(() => ((left -= MB) > 0 ? Buffer.alloc(MB, "x ") : ""))
    },
    isRefused,
  ),
  sent(
    "a body that claims to have a terabyte",
    () => (_, response) =>
      void response.writeHead(200, { ...HTML, "content-length": String(2 ** 40) }).write("x"),
    isRefused,
  ),
  sent("an endless stream", () => endless(() => "<p>more</p>".repeat(1000)), isRefused),
  sent(
    "endless attributes",
    () => {
      let written = 0
      return endless(() =>
        written++ === 0 ? "<p " : Array.from({ length: 1000 }, (_, n) => `a${n}x${written}=1 `).join(""),
      )
    },
    isRefused,
  ),
  sent("one drop at a time", () => endless(() => " ", 50), isRefused),
  sent("silence", () => () => undefined, isRefused),
  sent("a flood of headers", () => raw(`HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(100_000)}\r\n`), isRefused),
  sent("one header of a megabyte", () => raw(`HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(MB)}\r\n\r\n`), isRefused),
  sent("endless headers", () => endlessHeaders, isRefused),
  sent(
    "two lengths",
    () => raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
    isRefused,
  ),
  sent("a response that is not HTTP", () => raw("SSH-2.0-OpenSSH_9.2\r\n"), isRefused),
  sent("a status of a thousand", () => raw("HTTP/1.1 1000 OK\r\n\r\n"), isRefused),
  sent("a response before the request", () => raw("HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000)), isRefused),
]

function endlessHeaders({ socket }: IncomingMessage): void {
  socket.write("HTTP/1.1 200 OK\r\n")
  const timer = setInterval(() => socket.write("X-A: b\r\n"), 20)
  socket.once("close", () => clearInterval(timer))
  socket.once("error", () => clearInterval(timer))
}

const size = (scale: number, most: number) => Math.round(most * Math.max(scale, 0.1))
const page = (name: string, made: (scale: number) => string) =>
  sent(name, (scale) => bytes(made(scale), HTML))

const pages: readonly Attack[] = [
  page(
    "a tag with a million attributes",
    (scale) => `<p ${Array.from({ length: size(scale, 1e6) }, (_, n) => `a${n}=1`).join(" ")}>x`,
  ),
  page("an attribute of nine megabytes", () => `<a href="/${"x".repeat(9 * MB)}">y</a>`),
  page("a million nested boxes", (scale) => "<div>".repeat(size(scale, 1e6))),
  page("half a million nested tables", (scale) => "<table><tr><td>".repeat(size(scale, 5e5))),
  page("half a million links", (scale) => "<a href=x>y</a>".repeat(size(scale, 5e5))),
  page("a million entities", (scale) => "&amp;&#x1F600;".repeat(size(scale, 5e5))),
  page("a million comments", (scale) => "<!--".repeat(size(scale, 1e6))),
  page(
    "a hundred thousand lines of code in quotations",
    (scale) => `${"<blockquote>".repeat(300)}<pre>${"x\n".repeat(size(scale, 1e5))}`,
  ),
  page(
    "a style sheet of chains",
    () =>
      `<style>${`${".a ".repeat(11)}.a { color: red }`.repeat(2000)}</style>${"<div class=a>".repeat(300)}${"<p class=a>x</p>".repeat(20_000)}`,
  ),
  page(
    "nested structured data",
    (scale) => `<script type="application/ld+json">${'{"a":'.repeat(size(scale, 5e5))}</script>`,
  ),
  page(
    "an SVG that refers to itself",
    () => `<svg><defs><g id="a"><use href="#a"/><use href="#a"/></g></defs><use href="#a"/></svg>`,
  ),
  page(
    "a long base address for ten thousand links",
    () => `<base href="https://x.example/${"far".repeat(5000)}/">${"<a href=x>y</a>".repeat(10_000)}`,
  ),
  sent(
    "an SVG with nested entities",
    () =>
      bytes(
        `<?xml version="1.0"?>${ENTITIES}<svg xmlns="http://www.w3.org/2000/svg"><text>&d;&e;</text></svg>`,
        { "content-type": "image/svg+xml" },
      ),
    unexpanded,
  ),
  sent(
    "XML with nested entities",
    () => bytes(`<?xml version="1.0"?>${ENTITIES}<p>&d;&e;</p>`, { "content-type": "application/xhtml+xml" }),
    unexpanded,
  ),
  sent("a page in UTF-7", () => bytes("+ADw-script+AD4-", { "content-type": "text/html; charset=utf-7" })),
  sent("an unknown charset", () =>
    bytes("x", { "content-type": `text/html; charset=${"a".repeat(10_000)}` }),
  ),
]

const archives: readonly Attack[] = [
  sent(
    "a Word document that unpacks to a gigabyte and claims to be small",
    (scale) =>
      document(
        saidToBeSmall(
          inflatingZip("word/document.xml", "x ", gigabyte(scale), {
            before: "<w:document><w:body><w:p><w:r><w:t>",
            beside: { "[Content_Types].xml": "<Types/>" },
          }),
        ),
        DOCX,
      ),
    isRefused,
  ),
  sent(
    "a Word document that unpacks to a gigabyte",
    (scale) =>
      document(
        inflatingZip("word/document.xml", "x ", gigabyte(scale), {
          before: "<w:document><w:body><w:p><w:r><w:t>",
          beside: { "[Content_Types].xml": "<Types/>" },
        }),
        DOCX,
      ),
    isRefused,
  ),
  sent(
    "a book whose chapter unpacks to a gigabyte",
    (scale) =>
      document(
        inflatingZip("OEBPS/a.xhtml", "x ", gigabyte(scale), {
          before: "<html><body><p>",
          beside: {
            mimetype: EPUB,
            "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>`,
            "OEBPS/b.opf": `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
          },
        }),
        EPUB,
      ),
    isRefused,
  ),
  sent(
    "a workbook whose texts unpack to a gigabyte",
    (scale) =>
      document(
        inflatingZip("xl/sharedStrings.xml", "x ", gigabyte(scale), {
          before: "<sst><si><t>",
          beside: {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": `<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>`,
          },
        }),
        XLSX,
      ),
    isRefused,
  ),
  sent("an archive inside an archive inside an archive", () =>
    document(zip({ "a.zip": zip({ "b.zip": zip({ "c.txt": "x".repeat(10 * MB) }) }) }), "application/zip"),
  ),
  sent(
    "twenty thousand files",
    () =>
      document(
        zip({
          ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`word/${n}.xml`, ""])),
          "word/document.xml": word(""),
        }),
        DOCX,
      ),
    isRefused,
  ),
  sent("files above its folder", () =>
    document(
      zip({
        "../../../../tmp/fossick-escaped": "x",
        "/tmp/fossick-escaped": "x",
        "word/document.xml": word(wordParagraph("x")),
      }),
      DOCX,
    ),
  ),
  sent("a book whose chapters are elsewhere", () => document(epub(["<p>x</p>"], { more: {} }).slice(), EPUB)),
  sent(
    "a book whose parts are local files",
    () =>
      document(
        zip({
          mimetype: EPUB,
          "META-INF/container.xml": `<container><rootfile full-path="b.opf"/></container>`,
          "b.opf": `<package><manifest><item id="a" href="file:///etc/passwd"/><item id="b" href="../../../../../etc/passwd"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
        }),
        EPUB,
      ),
    (_, text) => !text.includes("root:"),
  ),
  sent(
    "links of files outside in a Word document",
    () => document(docx(wordParagraph("x"), { links: { r9: "file:///etc/passwd" } }), DOCX),
    (_, text) => !text.includes("root:"),
  ),
  sent(
    "a Word document with nested entities",
    () => document(wordFile(`<?xml version="1.0"?>${ENTITIES}${word(wordParagraph("&d;&e;"))}`), DOCX),
    unexpanded,
  ),
  sent(
    "a workbook with nested entities",
    () =>
      document(
        zip({
          "[Content_Types].xml": "<Types/>",
          "xl/workbook.xml": `${ENTITIES}<workbook><sheets><sheet name="&d;&e;" r:id="a"/></sheets></workbook>`,
        }),
        XLSX,
      ),
    unexpanded,
  ),
  sent("nested tables in a Word document", () => document(docx("<w:tbl><w:tr><w:tc>".repeat(3000)), DOCX)),
  sent("a presentation that shows one slide a thousand times", () =>
    document(pptx(Array.from({ length: 1000 }, () => ({ title: "x", bullets: ["y"] }))), PPTX),
  ),
  sent("a truncated archive", () => document(epub(["<p>x</p>"]).subarray(0, 200), EPUB), isRefused),
]

const pdfs: readonly Attack[] = [
  sent("a PDF that runs a script", () =>
    document(
      pdf([{ texts: [{ x: 72, y: 700, text: "words" }] }], {
        catalogue: "/OpenAction << /S /JavaScript /JS (app.launchURL\\(\\)) >>",
      }),
      "application/pdf",
    ),
  ),
  sent("a PDF that opens an address", () =>
    document(
      pdf([{ texts: [{ x: 72, y: 700, text: "words" }] }], {
        catalogue: "/OpenAction << /S /URI /URI (http://127.0.0.1/) >>",
      }),
      "application/pdf",
    ),
  ),
  sent("a PDF whose pages contain each other", () =>
    document(
      Buffer.from(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF",
      ),
      "application/pdf",
    ),
  ),
  sent("a PDF that claims to have a million pages", () =>
    document(
      Buffer.from(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1000000 /Kids [] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF",
      ),
      "application/pdf",
    ),
  ),
  sent("a PDF of a hundred thousand pieces of text", (scale) =>
    document(
      pdf([
        {
          texts: Array.from({ length: size(scale, 1e5) }, (_, n) => ({ x: n % 600, y: n % 700, text: "w" })),
        },
      ]),
      "application/pdf",
    ),
  ),
  sent("a PDF with nested graphics states", (scale) =>
    document(
      pdf([{ texts: [{ x: 72, y: 700, text: "words" }], program: "q ".repeat(size(scale, 1e6)) }]),
      "application/pdf",
    ),
  ),
  sent("a truncated PDF", () =>
    document(pdf([{ texts: [{ x: 72, y: 700, text: "words" }] }]).subarray(0, 120), "application/pdf"),
  ),
]

let hosts = 0
/** Lists of addresses, which are read as a stream. */
const list = (
  name: string,
  body: (scale: number, own: string) => string | Uint8Array,
  headers = { "content-type": "application/xml" },
): Attack => ({
  name,
  play: async (arena) => {
    const path = `/l/${encodeURIComponent(name)}.xml`
    // A site's robots.txt is requested only once, so each list has its own host.
    const host = `list${(hosts += 1)}.example`
    const own = arena.at(path, host)
    arena.evil.serve({ "/robots.txt": `Sitemap: ${own}`, [path]: bytes(body(arena.scale, own), headers) })
    const { result: pages, grown } = await peakGrowth(() =>
      arena.reader.sitemap(arena.at("/", host) as never, { limit: 1000 }),
    )
    return (
      unless(arena.evil.requests.includes(path), () => "it was not read") ??
      unless(grown < MOST_GROWN, () => `${Math.round(grown / MB)} MB of memory were used`) ??
      unless(
        pages.length <= 1000 && !pages.some((one) => /passwd|ha ha/.test(one)),
        () => `it listed ${pages.slice(0, 3).join(" ")}`,
      )
    )
  },
})

const lists: readonly Attack[] = [
  list(
    "a sitemap with nested entities",
    () => `${ENTITIES}<urlset><url><loc>http://evil.example/&d;&e;</loc></url></urlset>`,
  ),
  list("a sitemap compressed a thousandfold", (scale) => gzipSync(Buffer.alloc(size(scale, 5e8), "<url>")), {
    "content-type": "application/gzip",
  }),
  list("a sitemap whose elements never end", (scale) => `<urlset>${"<url><loc>".repeat(size(scale, 1e6))}`),
  list(
    "a sitemap index that lists itself",
    (_, own) => `<sitemapindex>${`<sitemap><loc>${own}</loc></sitemap>`.repeat(1000)}</sitemapindex>`,
  ),
]

/** PDF files of a few megabytes that unpack to half a gigabyte or more; in a short run, to just more than a process that reads them may use. */
const poison = (scale: number): readonly Attack[] =>
  Object.entries(poisonPdfs(Math.round(500 * Math.max(scale, 0.32))))
    // These attacks can't be made shorter, and crawler/page/formats/poison.test.ts tests each of them.
    .slice(0, isShort(scale) ? 1 : undefined)
    .map(([filters, made]) =>
      sent(`a PDF whose page is ${filters}`, () => document(made(), "application/pdf"), isRefused),
    )

export const bodies = (scale: number): readonly Kind[] => [
  {
    kind: "compressed bodies",
    must: "refused before they are fully unpacked",
    attacks: encodings,
    shortly: 3,
  },
  {
    kind: "endless and malformed responses",
    must: "handled in time and in bounded memory",
    attacks: streams,
    shortly: 6,
  },
  { kind: "oversized pages", must: "handled in time and in bounded memory", attacks: pages, shortly: 8 },
  {
    kind: "archives and documents",
    must: "read or refused in bounded memory; nothing is written",
    attacks: archives,
    shortly: 6,
  },
  { kind: "PDF files", must: "read or refused; nothing runs", attacks: pdfs, shortly: 8 },
  { kind: "PDF files that unpack to huge sizes", must: "refused in bounded memory", attacks: poison(scale) },
  { kind: "sitemaps", must: "read up to the limits", attacks: lists, shortly: 3 },
]
