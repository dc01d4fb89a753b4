import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pdf, lines } from "#crawler/testing/pdf-file.ts"
import { docx, epub, openDocument, pptx, wordParagraph, wordTable, xlsx } from "#crawler/testing/documents.ts"
import { renderPage } from "../../api/faces/handbook/render-markdown.ts"

const ROOT = join(import.meta.dirname, "../..")
/** Pages of manuals, and the handbook as the appliance shows it. */
const MANUALS = join(ROOT, "bench/testing/pages")
const HANDBOOK = join(ROOT, "docs")
/** The environment variable with a folder of more files, such as the unpacked documentation of a distribution. */
const MORE = "FOSSICK_FUZZ_PAGES"
/** Maximum size: larger files are left out, because the pages made from them are larger still, and a crawler accepts no page of more than 10 MB. */
const MOST_BYTES = 2_000_000

/** A file as its author wrote it. */
export interface RealFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

/** Web pages. */
export function realPages(): readonly RealFile[] {
  const handbook = filesBelow(HANDBOOK, /^[^/]+\.md$/).map((path) => {
    const { html } = renderPage(readFileSync(path, "utf8"))
    return page(path, `<!doctype html><html lang="en"><head><meta charset="utf-8"></head>${html}</html>`)
  })
  const manuals = filesBelow(MANUALS, /\.html$/).map((path) => page(path, readFileSync(path)))
  const more = process.env[MORE]
  const given = more === undefined ? [] : filesBelow(more, /\.x?html?$/)
  return [...manuals, ...handbook, ...given.map((path) => page(path, readFileSync(path)))].filter(
    ({ bytes }) => bytes.length > 0 && bytes.length <= MOST_BYTES,
  )
}

const page = (path: string, text: string | Buffer): RealFile => ({
  name: path.replace(`${ROOT}/`, ""),
  type: "text/html",
  bytes: Buffer.from(text),
})

/** PDF files: files made from real text, and files from the named folder. */
export function realPdfs(): readonly RealFile[] {
  const texts = filesBelow(HANDBOOK, /^[^/]+\.md$/)
    .slice(0, 20)
    .map((path) => readFileSync(path, "latin1").split("\n"))
  const made = texts.map((text, at): RealFile => {
    const pages = [0, 45, 90].map((from) => ({
      texts: lines(text.slice(from, from + 45), 40, 750, 15),
      links: [{ url: "https://example.com/linked", rect: [40, 700, 200, 740] }],
    }))
    const options = {
      title: text[0] ?? "",
      author: "Somebody",
      outline: text.filter((one) => one.startsWith("#")),
    }
    return { name: `made ${at}.pdf`, type: "application/pdf", bytes: Buffer.from(pdf(pages, options)) }
  })
  return [...made, ...further(/\.pdf$/, "application/pdf")]
}

/** Office files and books. */
export function realArchives(): readonly RealFile[] {
  const text = readFileSync(join(HANDBOOK, "crawl-a-site.md"), "utf8")
    .replaceAll(/[<>&]/g, " ")
    .split("\n")
    .slice(0, 80)
  const words = text.map((line) => wordParagraph(line)).join("")
  const table = wordTable([text.slice(0, 3), text.slice(3, 6)])
  const office = "application/vnd.openxmlformats-officedocument"
  const made: readonly (readonly [string, string, Uint8Array])[] = [
    [
      "made.docx",
      `${office}.wordprocessingml.document`,
      docx(words + table, { title: "Made", author: "Somebody" }),
    ],
    [
      "made.pptx",
      `${office}.presentationml.presentation`,
      pptx([{ title: "One", bullets: text.slice(0, 9), notes: "n" }]),
    ],
    [
      "made.xlsx",
      `${office}.spreadsheetml.sheet`,
      xlsx({ First: [text.slice(0, 5), [1, 2.5, null, "x"]], Second: [["a"]] }),
    ],
    [
      "made.odt",
      "application/vnd.oasis.opendocument.text",
      openDocument("text", text.map((line) => `<text:p>${line}</text:p>`).join("")),
    ],
    [
      "made.ods",
      "application/vnd.oasis.opendocument.spreadsheet",
      openDocument(
        "spreadsheet",
        `<table:table table:name="a"><table:table-row><table:table-cell><text:p>${text[0]}</text:p></table:table-cell></table:table-row></table:table>`,
      ),
    ],
    [
      "made.epub",
      "application/epub+zip",
      epub([`<h1>${text[0]}</h1>`, text.map((line) => `<p>${line}</p>`).join("")], { title: "Book" }),
    ],
  ]
  return [
    ...made.map(([name, type, bytes]) => ({ name, type, bytes: Buffer.from(bytes) })),
    ...further(/\.docx$/, `${office}.wordprocessingml.document`),
    ...further(/\.epub$/, "application/epub+zip"),
  ]
}

function further(pattern: RegExp, type: string): readonly RealFile[] {
  const more = process.env[MORE]
  if (more === undefined) return []
  return filesBelow(more, pattern)
    .map((path) => ({ name: path, type, bytes: readFileSync(path) }))
    .filter(({ bytes }) => bytes.length > 0 && bytes.length <= MOST_BYTES)
}

/** Sorted, so that the order is the same on every machine. */
const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => pattern.test(path))
    .sort()
    .map((path) => join(folder, path))
