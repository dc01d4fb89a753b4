import { describe, expect, it } from "vitest"
import { isReadableType, sniff } from "./content-type.ts"
import { docx, epub, openDocument, pptx, wordParagraph, xlsx, zip } from "../testing/documents.ts"
import { pdf } from "../testing/pdf-file.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
const NAMELESS = "https://x.example/download?id=7"

/** A compound file with one sector that lists at most three names in its root; the sector table comes first. */
function compoundFile(names: readonly string[]): Uint8Array {
  const file = Buffer.alloc(3 * 512, 0xff)
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(1, 48)
  file.writeUInt32LE(0, 76)
  file.writeUInt32LE(0xfffffffe, 512 + 4)
  for (const [id, name] of ["Root Entry", ...names].entries()) {
    const at = 1024 + id * 128
    file.write(name, at, "utf16le")
    file.writeUInt16LE((name.length + 1) * 2, at + 64)
    if (id === 0) file.writeUInt32LE(1, at + 76)
    else if (id < names.length) file.writeUInt32LE(id + 1, at + 72)
  }
  return file
}

describe("the format of a body", () => {
  it.each([
    ["pdf", pdf([{ texts: [] }])],
    ["docx", docx(wordParagraph("x"))],
    ["pptx", pptx([{ title: "x", bullets: [] }])],
    ["xlsx", xlsx({ Sheet1: [["x"]] })],
    ["odt", openDocument("text", "")],
    ["ods", openDocument("spreadsheet", "")],
    ["odp", openDocument("presentation", "")],
    ["epub", epub(["<p>x</p>"])],
    ["rtf", bytes("{\\rtf1 x}")],
  ])("is %s by its bytes, whatever the header says", (format, body) => {
    for (const type of ["application/octet-stream", "text/html", "application/zip", ""])
      expect(sniff(type, body, NAMELESS)).toEqual({ kind: "document", format })
  })

  it("of a broken archive comes from its header or its address", () => {
    const broken = docx(wordParagraph("x".repeat(5000))).slice(0, 600)
    const address = "https://x.example/a.docx"
    expect(sniff("application/octet-stream", broken, address)).toEqual({ kind: "document", format: "docx" })
    expect(sniff("application/epub+zip", broken, NAMELESS)).toEqual({ kind: "document", format: "epub" })
    expect(sniff("application/octet-stream", broken, NAMELESS)).toMatchObject({ kind: "unsupported" })
  })

  it("is unsupported for any other archive", () => {
    expect(sniff("application/zip", zip({ "a.txt": "x" }), "https://x.example/a.docx")).toEqual({
      kind: "unsupported",
      detail: "a zip archive sent as application/zip",
    })
  })

  it("is an image document only when images are read", () => {
    const starts = [
      ["\x89PNG\r\n\x1a\n", "a PNG image"],
      ["\xff\xd8\xff\xe0", "a JPEG image"],
      ["II*\0", "an image"],
      ["MM\0*", "an image"],
      ["RIFF\x10\0\0\0WEBPVP8 ", "an image"],
    ] as const
    for (const [start, name] of starts) {
      expect(sniff("", bytes(start), NAMELESS, true)).toEqual({ kind: "document", format: "picture" })
      expect(sniff("image/x", bytes(start), NAMELESS)).toEqual({
        kind: "unsupported",
        detail: `${name} sent as image/x`,
      })
    }
    for (const sound of ["RIFF\x10\0\0\0WAVEfmt ", "GIF89a"])
      expect(sniff("", bytes(sound), NAMELESS, true)).toMatchObject({ kind: "unsupported" })
  })

  it("distinguishes legacy Office files and locked ones", () => {
    expect(sniff("application/zip", compoundFile(["Workbook", "WordDocument?"]), NAMELESS)).toEqual({
      kind: "legacy",
      format: "xls",
    })
    expect(sniff("application/msword", compoundFile(["EncryptedPackage"]), NAMELESS)).toMatchObject({
      detail: "the file is password protected",
    })
    expect(sniff("application/msword", compoundFile(["__properties_version1.0"]), NAMELESS)).toMatchObject({
      detail: "a compound file that isn't a Word, Excel or PowerPoint document",
    })
  })

  it("is a page for XML with an html root, and plain XML otherwise", () => {
    const xhtml = `\xef\xbb\xbf<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml">`
    expect(sniff("application/xml", bytes(xhtml), NAMELESS)).toEqual({ kind: "html" })
    expect(sniff("application/xml", bytes("<feed/>"), NAMELESS)).toEqual({ kind: "xml" })
  })
})

describe("a type worth downloading", () => {
  it.each([
    ["application/pdf", NAMELESS, true],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", NAMELESS, true],
    ["application/zip", "https://x.example/report.DOCX", true],
    ["application/zip", "https://x.example/sources.zip", false],
    ["application/msword", NAMELESS, true],
    ["application/zip", "https://x.example/letter.doc", true],
    ["image/png", "https://x.example/report.pdf", false],
    ["text/html", NAMELESS, true],
  ])("%s at %s: %s", (type, url, wanted) => {
    expect(isReadableType(type, url)).toBe(wanted)
  })
})
