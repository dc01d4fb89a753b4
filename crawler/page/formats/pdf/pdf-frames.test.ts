import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import {
  eastAsianFont,
  lines,
  pdf,
  pdfOfFont,
  pdfOfObjects,
  streamObject,
} from "../../../testing/pdf-file.ts"
import { readDocument } from "../read-document.ts"

const read = async (body: Uint8Array) =>
  (await readDocument("pdf", body, "https://x.example/file.pdf", 10_000)).markdown

const PROSE = [
  "The gauge at the lower gate is read every morning at six, and the",
  "reading is written into the book that hangs beside the door.",
]

describe("text that does not run from left to right", () => {
  it.each([
    ["up the page", "0 1 -1 0 40 300"],
    ["down the page", "0 -1 1 0 40 600"],
    ["upside down", "-1 0 0 -1 500 400"],
    ["askew, as a stamp", ".87 .5 -.5 .87 100 300"],
  ])("%s, is read after the normal text on its page", async (_, matrix) => {
    const program = `BT /F1 11 Tf ${matrix} Tm (Level in metres) Tj ET`
    expect(await read(pdf([{ texts: lines(PROSE, 72, 700), program }]))).toBe(
      `${PROSE.join(" ")}\n\nLevel in metres`,
    )
  })

  it("on a rotated page is read line by line", async () => {
    const turned = PROSE.map((text, at) => `BT /F1 11 Tf 0 1 -1 0 ${100 + 13 * at} 60 Tm (${text}) Tj ET`)
    expect(await read(pdf([{ texts: [], program: turned.join("\n") }]))).toBe(PROSE.join(" "))
  })

  it("in vertical columns is read from right to left, including rotated letters in a column", async () => {
    const hex = (text: string) => iconv.encode(text, "utf16-be").toString("hex")
    const font = eastAsianFont("Japan1", "UniJIS-UTF16-V")
    const columns = ["港の船は毎朝六時に", "灯台の前を通り過ぎる。"]
    const program = columns.map((text, at) => `BT /F1 12 Tf ${400 - 20 * at} 760 Td <${hex(text)}> Tj ET`)
    expect(await read(pdfOfFont(font, program.join("\n")))).toBe(columns.join(""))
    // Spaces also separate Korean words in vertical columns.
    const korean = `BT /F1 12 Tf 400 760 Td <${iconv.encode("연락선은 겨울에 쉽니다", "euc-kr").toString("hex")}> Tj ET`
    expect(await read(pdfOfFont(eastAsianFont("Korea1", "KSC-EUC-V"), korean))).toBe("연락선은 겨울에 쉽니다")
  })
})

it("text drawn twice in one place, as an outline or shadow, is read once", async () => {
  const twice = [...lines(PROSE, 72, 700), ...lines(PROSE, 72.4, 700.3)]
  expect(await read(pdf([{ texts: twice }]))).toBe(PROSE.join(" "))
})

describe("annotations on a page", () => {
  const page = (annotations: readonly string[], more: readonly string[] = [], form = "") =>
    pdfOfObjects(
      [
        `<< /Type /Catalog /Pages 2 0 R ${form} >>`,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [${annotations.join(" ")}] >>`,
        streamObject("BT /F1 12 Tf 60 700 Td (Name of the boat:) Tj ET"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        ...more,
      ],
      "/Root 1 0 R",
    )
  const drawn = (text: string) =>
    streamObject(
      `/Tx BMC BT /F1 12 Tf 2 4 Td (${text}) Tj ET EMC`,
      "/Type /XObject /Subtype /Form /BBox [0 0 120 20] /Resources << /Font << /F1 5 0 R >> >>",
    )
  const field = (rest: string) =>
    `<< /Type /Annot /Subtype /Widget /Rect [170 696 290 716] /T (boat) /F 4 /DA (/F1 12 Tf 0 g) ${rest} >>`

  it.each([
    ["a field's value, as it is drawn", [field("/FT /Tx /V (Sea Holly) /AP << /N 6 0 R >>")]],
    ["a field's value that the viewer has to draw", [field("/FT /Tx /V (Sea Holly)")]],
    [
      "a choice, by what it is called",
      [field("/FT /Ch /Ff 131072 /Opt [[(1) (Sea Holly)] [(2) (Thrift)]] /V (1)")],
    ],
    ["a stamp", ["<< /Type /Annot /Subtype /Stamp /Rect [170 696 290 716] /F 4 /AP << /N 6 0 R >> >>"]],
    [
      "a note written on it",
      [
        "<< /Type /Annot /Subtype /FreeText /Rect [170 696 290 716] /F 4 /DA (/F1 12 Tf 0 g) /Contents (Sea Holly) /AP << /N 6 0 R >> >>",
      ],
    ],
  ])("%s is read", async (_, annotations) => {
    const form = "/AcroForm << /Fields [] /DR << /Font << /F1 5 0 R >> >> >>"
    expect(await read(page(annotations, [drawn("Sea Holly")], form))).toBe("Name of the boat: Sea Holly")
  })

  it.each([
    ["a field that is hidden", field("/FT /Tx /V (Sea Holly) /AP << /N 6 0 R >>").replace("/F 4", "/F 2")],
    ["a password", field("/FT /Tx /Ff 8192 /V (Sea Holly)")],
    [
      "a note that opens when it is clicked",
      "<< /Type /Annot /Subtype /Text /Rect [170 696 190 716] /F 4 /Contents (Sea Holly) >>",
    ],
  ])("%s is not read", async (_, annotation) => {
    expect(await read(page([annotation], [drawn("Sea Holly")]))).toBe("Name of the boat:")
  })
})
