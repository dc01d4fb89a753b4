import { describe, expect, it } from "vitest"
import { pdfInFont, pdfOfFont, streamObject, type TestFont } from "../../../testing/pdf-file.ts"
import { readDocument } from "../read-document.ts"

const read = (body: Uint8Array) => readDocument("pdf", body, "https://x.example/file.pdf", 10_000)
const outcomeOf = (body: Uint8Array) =>
  read(body).then(
    ({ markdown, note }) => ({ markdown, note }),
    ({ kind, message }: { kind: string; message: string }) => ({ kind, message }),
  )

const UNDECODABLE = {
  kind: "undecodable",
  message: "none of its fonts maps to letters",
}
/** All letters in these fonts have the same width, so their text is read as code. */
const plain = (markdown: string) => markdown.replaceAll(/```/g, "").replaceAll(/\s+/g, " ").trim()
const SENTENCE = "The valve of the upper basin is closed before the storm and opened after it."

/** A composite font whose codes are glyph numbers, optionally with a table to Unicode as object 11. */
const glyphFont = (toUnicode?: string): TestFont => ({
  font: `/Subtype /Type0 /BaseFont /AAAAAA+Own /Encoding /Identity-H /DescendantFonts [10 0 R] ${toUnicode === undefined ? "" : "/ToUnicode 11 0 R"}`,
  objects: [
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /CIDToGIDMap /Identity /FontDescriptor 12 0 R >>",
    toUnicode === undefined ? "null" : streamObject(toUnicode),
    "<< /Type /FontDescriptor /FontName /AAAAAA+Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
  ],
})

/** A font whose glyphs are drawing programs (ISO 32000-1 §9.6.5), with these names for the codes from `first` on. */
const drawnFont = (names: readonly string[], first: number): TestFont => ({
  font: `/Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar ${first} /LastChar ${first + names.length - 1} /Widths [${names.map(() => 500).join(" ")}] /Encoding << /Type /Encoding /Differences [${first} ${names.map((name) => `/${name}`).join(" ")}] >> /CharProcs << ${[...new Set(names)].map((name) => `/${name} 10 0 R`).join(" ")} >> /Resources << >>`,
  objects: [streamObject("500 0 0 0 400 700 d1 0 0 400 700 re f")],
})

const four = (code: number) => code.toString(16).padStart(4, "0")
const two = (code: number) => code.toString(16).padStart(2, "0")
const lettersOf = (text: string) => Array.from(new Set(text))
const toUnicode = (pairs: readonly (readonly [number, number])[]) =>
  `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange ${pairs.length} beginbfchar\n${pairs
    .map(([code, unicode]) => `<${four(code)}> <${four(unicode)}>`)
    .join("\n")}\nendbfchar endcmap end end`
/** The codes of a text, numbered in the order in which its letters first appear. */
const numbered = (text: string, from: number, digits: (code: number) => string) =>
  Array.from(text)
    .map((letter) => digits(from + lettersOf(text).indexOf(letter)))
    .join("")

describe("a file whose glyphs have no characters", () => {
  it.each<[string, TestFont, string]>([
    [
      "by the numbers that they have in a common font",
      glyphFont(),
      Array.from(SENTENCE)
        .map((one) => four(one.charCodeAt(0) - 29))
        .join(""),
    ],
    ["in the order of their first use", glyphFont(), numbered(SENTENCE, 1, four)],
    [
      "as small programs",
      drawnFont(
        lettersOf(SENTENCE).map((_, at) => `g${at}`),
        1,
      ),
      numbered(SENTENCE, 1, two),
    ],
    [
      "with a table to private letters",
      glyphFont(toUnicode(lettersOf(SENTENCE).map((_, at) => [at + 40, 0xe000 + at]))),
      numbered(SENTENCE, 40, four),
    ],
    [
      "with a table that knows none of them",
      glyphFont(toUnicode(lettersOf(SENTENCE).map((_, at) => [at + 40, 0xfffd]))),
      numbered(SENTENCE, 40, four),
    ],
    [
      "small programs, whose codes are signs and capitals",
      drawnFont(
        lettersOf(SENTENCE).map((_, at) => `a${at}`),
        0x21,
      ),
      numbered(SENTENCE, 0x21, two),
    ],
    [
      "numbers of glyphs of a large Chinese font",
      glyphFont(),
      Array.from(SENTENCE)
        .map((one, at) => four(((one.charCodeAt(0) * 977 + at * 3571) % 50000) + 600))
        .join(""),
    ],
    [
      "a simple font without an encoding",
      {
        font:
          "/Subtype /TrueType /BaseFont /BBBBBB+Own /FirstChar 1 /LastChar 40 /Widths [" +
          "500 ".repeat(40) +
          "] /FontDescriptor 10 0 R",
        objects: [
          "<< /Type /FontDescriptor /FontName /BBBBBB+Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
        ],
      },
      numbered(SENTENCE, 1, two),
    ],
    [
      "a table to the private letters of a font of signs",
      glyphFont(toUnicode(lettersOf(SENTENCE).map((_, at) => [at + 3, 0xf020 + at]))),
      numbered(SENTENCE, 3, four),
    ],
    [
      "capitals alone by their numbers",
      glyphFont(),
      Array.from("emergency stop behind the second door".replaceAll(" ", ""))
        .map((one) => four(one.charCodeAt(0) - 29))
        .join(""),
    ],
  ])("%s", async (_, font, codes) => {
    expect(await outcomeOf(pdfInFont(font, [codes, codes]))).toEqual(UNDECODABLE)
  })

  it("keeps what can be read, and says how much cannot be", async () => {
    const font = drawnFont(
      lettersOf(SENTENCE).map((_, at) => `g${at}`),
      1,
    )
    const page = await read(
      pdfOfFont(
        font,
        `BT /F2 12 Tf 60 700 Td (${SENTENCE}) Tj 0 -40 Td (${SENTENCE}) Tj /F1 12 Tf 0 -40 Td <${numbered(SENTENCE, 1, two)}> Tj ET`,
      ),
    )
    expect(page.markdown).toBe(`${SENTENCE}\n\n${SENTENCE}`)
    expect(page.note).toBe("33% of its letters can't be decoded: their fonts don't map to letters")
  })
})

describe("a similar file that can be read", () => {
  it("has glyph numbers that are Unicode", async () => {
    const codes = ["Zawór zamyka się przed burzą", "ŁÓDŹ I GDAŃSK, NABRZEŻE"].map((text) =>
      Array.from(text)
        .map((one) => four(one.charCodeAt(0)))
        .join(""),
    )
    const { markdown } = await read(pdfInFont(glyphFont(), codes))
    expect(plain(markdown)).toBe("Zawór zamyka się przed burzą ŁÓDŹ I GDAŃSK, NABRZEŻE")
  })

  it("has glyph numbers that are Unicode, in Russian and digits", async () => {
    const codes = ["Насос стоит на ровном полу", "1 250,00"].map((text) =>
      Array.from(text)
        .map((one) => four(one.charCodeAt(0)))
        .join(""),
    )
    expect(plain((await read(pdfInFont(glyphFont(), codes))).markdown)).toBe(
      "Насос стоит на ровном полу 1 250,00",
    )
  })

  it("has glyphs named after letters", async () => {
    const names = Array.from(SENTENCE).map((one) => (one === " " ? "space" : one === "." ? "period" : one))
    const font = drawnFont([...new Set(names)], 1)
    expect(plain((await read(pdfInFont(font, [numbered(SENTENCE, 1, two)]))).markdown)).toBe(SENTENCE)
  })

  it("has a few unknown symbols", async () => {
    const font = drawnFont(["g1", "g2"], 0x47)
    const program = `BT /F2 12 Tf 60 700 Td (The gauge reads) Tj /F1 12 Tf 100 0 Td (G) Tj /F2 12 Tf 20 0 Td (in the morning.) Tj ET`
    expect(await outcomeOf(pdfOfFont(font, program))).toEqual({
      markdown: "The gauge reads G in the morning.",
    })
  })

  it("has bullets from a symbol font", async () => {
    const font = glyphFont(toUnicode([[3, 0xf0b7]]))
    const item = (at: number) =>
      `BT /F1 12 Tf 60 ${700 - 20 * at} Td <0003> Tj /F2 12 Tf 20 0 Td (${SENTENCE}) Tj ET`
    const { markdown, note } = (await outcomeOf(pdfOfFont(font, [0, 1, 2, 3].map(item).join("\n")))) as {
      markdown: string
      note?: string
    }
    expect(note).toBeUndefined()
    expect(markdown.match(/The valve/g)).toHaveLength(4)
  })
})
