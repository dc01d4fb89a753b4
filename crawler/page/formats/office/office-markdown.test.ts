import { strFromU8, unzipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { docx, pptx, wordParagraph, xlsx, zip } from "../../../testing/documents.ts"
import { readDocument } from "../read-document.ts"
import type { DocumentFormat } from "../document-format.ts"

const read = async (format: DocumentFormat, body: Uint8Array) =>
  (await readDocument(format, body, `https://x.example/file.${format}`, 10_000)).markdown

const run = (text: string, properties = "") =>
  `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`
const MATH = `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
const one = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`

describe("equations become TeX", () => {
  it.each([
    [
      "within a line",
      `<w:p>${run("Energy ")}<m:oMath ${MATH}>${one("E=m")}<m:sSup><m:e>${one("c")}</m:e><m:sup>${one("2")}</m:sup></m:sSup></m:oMath>${run(" costs $5 or $6.")}</w:p>`,
      "Energy $E=mc^2$ costs \\$5 or \\$6.",
    ],
    [
      "on a line of their own",
      `<w:p><m:oMathPara ${MATH}><m:oMath><m:f><m:num>${one("a")}</m:num><m:den><m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${one("x")}</m:e></m:rad></m:den></m:f></m:oMath></m:oMathPara></w:p>`,
      "$$\\frac a{\\sqrt x}$$",
    ],
  ])("%s", async (_, body, markdown) => {
    expect(await read("docx", docx(body))).toBe(markdown)
  })
})

it("a word with ruby text above it is read as the word", async () => {
  const word = `<w:p>${run("In ")}<w:r><w:ruby><w:rubyPr/><w:rt>${run("かんじ")}</w:rt><w:rubyBase>${run("漢字")}</w:rubyBase></w:ruby></w:r>${run(" only.")}</w:p>`
  expect(await read("docx", docx(word))).toBe("In 漢字 only.")
})

describe("code is recognised", () => {
  it("by paragraph style, line by line as it is set", async () => {
    const code = ["int main() {", "  return 0;", "}"].map((text) =>
      wordParagraph(text, { style: "SourceCode" }),
    )
    expect(await read("docx", docx(wordParagraph("Before.") + code.join("") + wordParagraph("After.")))).toBe(
      "Before.\n\n```\nint main() {\n  return 0;\n}\n```\n\nAfter.",
    )
  })

  it("by a monospaced font, in a paragraph or within a line", async () => {
    const letters = `<w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/></w:rPr>`
    const body = `<w:p>${run("Call ")}${run("free()", letters)}${run(" first.")}</w:p><w:p>${run("free(p);", letters)}</w:p>`
    expect(await read("docx", docx(body))).toBe("Call `free()` first.\n\n```\nfree(p);\n```")
  })
})

const A = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
const C = `xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"`
const REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const title = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`
const CHART = `<c:chartSpace ${C} ${A}><c:chart>${title("Catch by month")}<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Herring</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4711</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart><c:valAx>${title("Tonnes")}</c:valAx></c:plotArea></c:chart></c:chartSpace>`
const WORDS = "Catch by month: Tonnes, Herring, May"
const relationships = (...targets: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${REL}/${type}" Target="${target}"/>`).join("")}</Relationships>`
const changed = (body: Uint8Array, change: (files: Record<string, string>) => void) => {
  const files = Object.fromEntries(
    Object.entries(unzipSync(body)).map(([name, bytes]) => [name, strFromU8(bytes)]),
  )
  change(files)
  return zip(files)
}

describe("words in drawings made by an office program", () => {
  const frame = (properties: string) =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="5" name="c" ${properties}/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="100000" cy="100000"/></p:xfrm><a:graphic><a:graphicData><c:chart ${C} r:id="rId9"/></a:graphicData></a:graphic></p:graphicFrame>`
  const deck = (properties = "") =>
    changed(pptx([{ title: "Fish", bullets: ["Caught here"] }]), (files) => {
      const slide = "ppt/slides/slide1.xml"
      files[slide] = files[slide]!.replace("</p:spTree>", `${frame(properties)}</p:spTree>`)
      files["ppt/slides/_rels/slide1.xml.rels"] = relationships(["rId9", "chart", "../charts/chart1.xml"])
      files["ppt/charts/chart1.xml"] = CHART
    })

  it("of a chart on a slide are read, unless it is hidden", async () => {
    expect(await read("pptx", deck())).toBe(`- Caught here\n\n${WORDS}`)
    expect(await read("pptx", deck(`hidden="1"`))).toBe("- Caught here")
  })

  it("of a chart in a document are read", async () => {
    const drawing = `<w:p><w:r><w:drawing><c:chart ${C} r:id="rId9"/></w:drawing></w:r></w:p>`
    const body = changed(docx(wordParagraph("Before.") + drawing + wordParagraph("After.")), (files) => {
      const rels = "word/_rels/document.xml.rels"
      files[rels] = files[rels]!.replace(
        "</Relationships>",
        `<Relationship Id="rId9" Type="${REL}/chart" Target="charts/chart1.xml"/></Relationships>`,
      )
      files["word/charts/chart1.xml"] = CHART
    })
    expect(await read("docx", body)).toBe(`Before.\n\n${WORDS}\n\nAfter.`)
  })

  it("of charts and text boxes on a sheet are read, unless they are hidden or white on nothing", async () => {
    const box = (text: string, properties = "", color = "") =>
      `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="b" ${properties}/></xdr:nvSpPr><xdr:spPr/><xdr:txBody><a:p><a:r><a:rPr>${color}</a:rPr><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`
    const white = `<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>`
    const body = changed(xlsx({ Fish: [["Herring", 3]] }), (files) => {
      files["xl/worksheets/_rels/sheet1.xml.rels"] = relationships([
        "rId1",
        "drawing",
        "../drawings/drawing1.xml",
      ])
      files["xl/drawings/drawing1.xml"] =
        `<xdr:wsDr xmlns:xdr="x" ${A}>${box("Figures are of last year")}${box("HIDDEN", `hidden="1"`)}${box("WHITE", "", white)}</xdr:wsDr>`
      files["xl/drawings/_rels/drawing1.xml.rels"] = relationships(["rId1", "chart", "../charts/chart1.xml"])
      files["xl/charts/chart1.xml"] = CHART
    })
    expect(await read("xlsx", body)).toBe(
      `## Fish\n\n| Herring | 3 |\n| --- | --- |\n\nFigures are of last year\n\n${WORDS}`,
    )
  })
})
