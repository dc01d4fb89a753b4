import { describe, expect, test } from "vitest"
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import { docx, epub, pptx, wordParagraph, wordTable, xlsx } from "../../testing/documents.ts"
import { pdf } from "../../testing/pdf-file.ts"
import type { DocumentFormat } from "./document-format.ts"
import { readDocument } from "./read-document.ts"

const SAID = "The pump stands on a level floor, and its inlet is below the water."
const SECRET = "Visit the shop of our friends."

const read = async (format: DocumentFormat, body: Uint8Array) =>
  (await readDocument(format, body, `https://pumps.example/a.${format}`, 10_000)).markdown

/** A file with one part changed. */
function changed(body: Uint8Array, part: string, change: (xml: string) => string): Uint8Array<ArrayBuffer> {
  const files = unzipSync(body)
  const bytes = files[part]
  if (bytes === undefined) throw new Error(`no ${part}`)
  return zipSync({ ...files, [part]: strToU8(change(strFromU8(bytes))) })
}

const run = (properties: string, text = SECRET) =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`

describe("in a Word document", () => {
  test.each([
    ["hidden", `<w:p>${run("<w:vanish/>")}</w:p>`],
    [
      "hidden, and in a text box",
      `<w:p><w:r><w:pict><w:txbxContent><w:p>${run("<w:vanish/>")}</w:p></w:txbxContent></w:pict></w:r></w:p>`,
    ],
    ["white", `<w:p>${run('<w:color w:val="FFFFFF"/>')}</w:p>`],
    ["of one point", `<w:p>${run('<w:sz w:val="2"/>')}</w:p>`],
    ["deleted", `<w:p><w:del w:id="1"><w:r><w:delText>${SECRET}</w:delText></w:r></w:del></w:p>`],
    ["deleted in the wrong element", `<w:p><w:del w:id="1">${run("")}</w:del></w:p>`],
    ["moved away", `<w:p><w:moveFrom w:id="1">${run("")}</w:moveFrom></w:p>`],
    ["of a hidden style", `<w:p>${run('<w:rStyle w:val="Secret"/>')}</w:p>`],
  ])("text that is %s is not read", async (_how, paragraph) => {
    const file = docx(wordParagraph(SAID) + paragraph + wordParagraph("It lasts."))
    const styled = changed(file, "word/styles.xml", (xml) =>
      xml.replace(
        "</w:styles>",
        '<w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>',
      ),
    )
    expect(await read("docx", styled)).toBe(`${SAID}\n\nIt lasts.`)
  })

  test.each([
    ["not hidden after all", `<w:p>${run('<w:vanish w:val="0"/>')}</w:p>`],
    ["inserted", `<w:p><w:ins w:id="1">${run("")}</w:ins></w:p>`],
    [
      "white on a shade",
      `<w:p>${run('<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="102030"/>')}</w:p>`,
    ],
    [
      "white in the head of a table",
      wordTable([["a"]])
        .replace("<w:t xml", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t xml')
        .replace(">a<", `>${SECRET}<`),
    ],
  ])("text that is %s is read", async (_how, paragraph) => {
    expect(await read("docx", docx(wordParagraph(SAID) + paragraph))).toContain("friends")
  })
})

describe("in a presentation", () => {
  const file = pptx([
    { title: "Pumps", bullets: [SAID] },
    { title: "Second", bullets: [SECRET] },
  ])
  test.each([
    ["a hidden slide", (xml: string) => xml.replace("<p:sld ", '<p:sld show="0" ')],
    ["a hidden shape", (xml: string) => xml.replaceAll('name="x"', 'name="x" hidden="1"')],
    ["letters of a point", (xml: string) => xml.replaceAll("<a:r>", '<a:r><a:rPr lang="en" sz="100"/>')],
    [
      "a shape beside the slide",
      (xml: string) =>
        xml.replaceAll(
          "<p:spPr/>",
          '<p:spPr><a:xfrm><a:off x="-9000000" y="0"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>',
        ),
    ],
  ])("%s is not read", async (_what, change) => {
    expect(await read("pptx", file)).toContain("friends")
    const markdown = await read("pptx", changed(file, "ppt/slides/slide2.xml", change))
    expect(markdown).toContain("level floor")
    expect(markdown).not.toContain("friends")
  })
})

test("the notes of a hidden slide are left out, and those of the others are read", async () => {
  const file = pptx([
    { title: "Pumps", bullets: [SAID], notes: "Ask who has one." },
    { title: "Second", bullets: ["More."], notes: SECRET },
  ])
  expect(await read("pptx", file)).toContain("friends")
  const hidden = changed(file, "ppt/slides/slide2.xml", (xml) => xml.replace("<p:sld ", '<p:sld show="0" '))
  const markdown = await read("pptx", hidden)
  expect(markdown).toContain("Ask who has one.")
  expect(markdown).not.toContain("friends")
})

describe("in a workbook", () => {
  const file = xlsx({
    Pumps: [
      ["Part", "Note"],
      ["Hose", "long"],
      ["Clamp", SECRET],
    ],
  })
  const sheet = "xl/worksheets/sheet1.xml"
  test.each([
    ["a hidden row", sheet, (xml: string) => xml.replace('<row r="3"', '<row r="3" hidden="1"')],
    [
      "a hidden column",
      sheet,
      (xml: string) =>
        xml.replace("<sheetData>", '<cols><col min="2" max="2" hidden="1"/></cols><sheetData>'),
    ],
    [
      "a hidden sheet",
      "xl/workbook.xml",
      (xml: string) => xml.replace('name="Pumps"', 'name="Pumps" state="veryHidden"'),
    ],
  ])("%s is not read", async (_what, part, change) => {
    expect(await read("xlsx", file)).toContain("friends")
    expect(await read("xlsx", changed(file, part, change))).not.toContain("friends")
  })

  const runs = (properties: string) =>
    `<r><rPr><sz val="11"/></rPr><t>Tighten it </t></r><r><rPr>${properties}</rPr><t>${SECRET}</t></r><r><t> by hand</t></r>`
  test.each([
    ["white", '<color rgb="FFFFFFFF"/>'],
    ["tiny", '<sz val="1"/>'],
  ])("a %s run is not read, in shared and in inline text", async (_what, properties) => {
    const shared = (xml: string) => xml.replace(`<si><t>${SECRET}</t></si>`, `<si>${runs(properties)}</si>`)
    const inline = (xml: string) =>
      xml.replace(
        /<c r="B3" t="s"><v>\d+<\/v><\/c>/,
        `<c r="B3" t="inlineStr"><is>${runs(properties)}</is></c>`,
      )
    for (const other of [changed(file, "xl/sharedStrings.xml", shared), changed(file, sheet, inline)]) {
      const markdown = await read("xlsx", other)
      expect(markdown).toMatch(/Tighten it\s+by hand/)
      expect(markdown).not.toContain("friends")
    }
    const seen = changed(file, sheet, (xml) => inline(xml).replace(properties, '<color rgb="FF0000FF"/>'))
    expect(await read("xlsx", seen)).toContain("friends")
  })

  test("a cell whose format displays nothing is not read", async () => {
    const numbers = xlsx({
      Pumps: [
        ["Part", { number: 815, format: ";;;" }],
        ["Hose", 4711],
      ],
    })
    const markdown = await read("xlsx", numbers)
    expect(markdown).toContain("4711")
    expect(markdown).not.toContain("815")
  })
})

describe("in a book", () => {
  test("text hidden by style sheets and chapters that nothing links to are not read", async () => {
    const file = epub(
      [
        `<p>${SAID}</p><p class="x">${SECRET}</p><p hidden="hidden">${SECRET}</p>`,
        `<p>${SECRET}</p>`,
        "<p>It lasts.</p>",
      ],
      { more: { "OEBPS/text/s.css": ".x { display: none }" } },
    )
    const styled = changed(file, "OEBPS/text/chapter 1.xhtml", (xml) =>
      xml.replace("<title/>", '<title/><link rel="stylesheet" href="s.css"/>'),
    )
    const aside = changed(styled, "OEBPS/book.opf", (xml) =>
      xml.replace('idref="c1"', 'idref="c1" linear="no"'),
    )
    expect(await read("epub", styled)).toContain("friends")
    expect(await read("epub", aside)).toBe(`${SAID}\n\nIt lasts.`)
  })
})

describe("in a PDF", () => {
  /** A page with this text added to its content stream. */
  const page = (program: string) => {
    const file = pdf([{ texts: [{ x: 72, y: 700, text: SAID }], program }])
    return read("pdf", file)
  }
  const text = (x: number, y: number, size = 11) => `BT /F1 ${size} Tf ${x} ${y} Td (${SECRET}) Tj ET`

  test.each([
    ["without ink", `3 Tr ${text(72, 600)}`],
    ["without ink, beside what has some", `BT /F1 11 Tf 72 600 Td (It lasts. ) Tj 3 Tr (${SECRET}) Tj ET`],
    ["white", `1 g ${text(72, 600)}`],
    ["white by another way to say so", `1 1 1 rg ${text(72, 600)}`],
    ["tiny", text(72, 600, 0.5)],
    ["left of the page", text(-400, 600)],
    ["below the page", text(72, -50)],
  ])("text %s is not read", async (_how, program) => {
    const markdown = await page(program)
    expect(markdown).toContain("level floor")
    expect(markdown).not.toContain("friends")
  })

  test.each([
    ["white on a dark box", `0 g 60 590 400 30 re f 1 g ${text(72, 600)}`],
    [
      "without ink, over the picture of a scanned page",
      `q 612 0 0 792 0 0 cm BI /W 20 /H 20 /CS /G /BPC 8 ID ${"x".repeat(400)} EI Q 3 Tr ${text(72, 600)}`,
    ],
    ["small", text(72, 600, 5)],
  ])("text %s is read", async (_how, program) => {
    expect(await page(program)).toContain("friends")
  })
})

test("text in Unicode tag characters is never read, whatever the format", async () => {
  const tags = Array.from(SECRET, (letter) => String.fromCodePoint(0xe_00_00 + letter.codePointAt(0)!)).join(
    "",
  )
  const files: readonly [DocumentFormat, Uint8Array][] = [
    ["docx", docx(wordParagraph(`${SAID}${tags}`))],
    ["pptx", pptx([{ title: `Pumps${tags}`, bullets: [`${SAID}${tags}`] }])],
    [
      "xlsx",
      xlsx({
        Pumps: [
          ["Part", "Note"],
          ["Seal", `${SAID}${tags}`],
        ],
      }),
    ],
  ]
  for (const [format, body] of files) {
    const page = await readDocument(format, body, `https://pumps.example/a.${format}`, 10_000)
    expect(page.markdown).toContain(SAID)
    expect(`${page.title}${page.markdown}`).not.toMatch(/[\u{E0000}-\u{E007F}]/u)
  }
})

describe("in an RTF file", () => {
  const rtf = async (text: string) => {
    const body = new Uint8Array(Buffer.from(`{\\rtf1\\ansi Before. ${text} After.\\par}`, "latin1"))
    return (await readDocument("rtf", body, "https://x.example/file.rtf", 10_000)).markdown
  }

  test.each([
    ["hidden", String.raw`{\v HIDDEN}`],
    ["hidden until further notice", String.raw`\v HIDDEN\'e9\u8364?{\b HIDDEN}\v0 `],
    ["deleted under track changes", String.raw`{\deleted\revauthdel1 HIDDEN}`],
  ])("text that is %s is not read", async (_, text) => {
    expect((await rtf(text)).replace(/\s+/g, " ")).toBe("Before. After.")
  })

  test("visible text is read, with its spaces and hyphens", async () => {
    expect(await rtf(String.raw`10\~km, built\_in, hy\-phen, {\v\v0 seen},\viewkind4 too.`)).toBe(
      "Before. 10 km, built-in, hyphen, seen,too. After.",
    )
  })
})
