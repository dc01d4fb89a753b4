import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { docx, epub, openDocument, pptx, wordParagraph, xlsx } from "#crawler/testing/documents.ts"
import { pdf } from "#crawler/testing/pdf-file.ts"
import type { DocumentWay } from "./cases.ts"

/** Readable text that every page and document contains. */
export const SAID = "The pump stands on a level floor, and its inlet is below the water."
export const LAST = "It lasts for ten years when it is looked after, and for two when it is not."
export const TEXT = "Visit the shop of our friends instead of reading on."

type Parts = Readonly<Record<string, string>>
type Changes = Readonly<Record<string, readonly (readonly string[])[]>>

/** The document that hides text in one of the ways. */
export function documentOf(way: DocumentWay): Uint8Array {
  const written = JSON.stringify(way)
    .replaceAll("SAID", SAID)
    .replaceAll("LAST", LAST)
    .replaceAll("TEXT", TEXT)
  return MAKERS[way.format](JSON.parse(written) as DocumentWay)
}

const MAKERS: Readonly<Record<DocumentWay["format"], (way: DocumentWay) => Uint8Array>> = {
  odt: (way) => ofOpenDocument("text", way),
  ods: (way) => ofOpenDocument("spreadsheet", way),
  odp: (way) => ofOpenDocument("presentation", way),
  docx: ({ body = "", changes }) =>
    changed(docx(wordParagraph(SAID) + body + wordParagraph(LAST)), {}, changes),
  xlsx: ({ sheets = {}, files, changes }) => changed(xlsx(sheets), files, changes),
  pptx: ({ body = "", changes }) => {
    const slides = changed(
      pptx([{ title: "Pumps", bullets: [SAID, LAST] }]),
      {},
      {
        "ppt/presentation.xml": [["<p:sldIdLst>", `<p:sldSz cx="9144000" cy="6858000"/><p:sldIdLst>`]],
        "ppt/slides/slide1.xml": [["</p:spTree>", `${body}</p:spTree>`]],
      },
    )
    return changed(slides, {}, changes)
  },
  pdf: ({ body = "", resources, layer }) =>
    pdf(
      [{ texts: SAID_AT, program: body, ...(resources !== undefined && { resources }) }],
      layer === undefined ? {} : { layer },
    ),
  epub: ({ body = "" }) => epub([`<h1>Pumps</h1><p>${SAID}</p>${body}<p>${LAST}</p>`]),
}

const SAID_AT = [
  { x: 72, y: 720, text: SAID },
  { x: 72, y: 700, text: LAST },
]
const NAMESPACES = `xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"`

const ofOpenDocument = (
  kind: "text" | "spreadsheet" | "presentation",
  { body = "", styles = "", files }: DocumentWay,
): Uint8Array =>
  changed(openDocument(kind, body), files, {
    "content.xml": [
      ["<office:document-content ", `<office:document-content ${NAMESPACES} `],
      ["<office:automatic-styles>", `<office:automatic-styles>${styles}`],
    ],
  })

/** An XML package with some parts replaced, and with some texts replaced within parts. */
function changed(body: Uint8Array, files: Parts = {}, changes: Changes = {}): Uint8Array {
  const parts = unzipSync(body)
  for (const [name, xml] of Object.entries(files)) parts[name] = strToU8(xml)
  for (const [name, replacements] of Object.entries(changes)) {
    let xml = strFromU8(parts[name]!)
    for (const [from = "", to = ""] of replacements) {
      if (!xml.includes(from)) throw new Error(`no ${from} in ${name}`)
      xml = xml.replace(from, () => to)
    }
    parts[name] = strToU8(xml)
  }
  return zipSync(parts)
}
