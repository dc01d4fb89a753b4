import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import type { DocumentFormat } from "#crawler/page/formats/document-format.ts"
import { docx, epub, openDocument, pptx, wordParagraph, xlsx } from "#crawler/testing/documents.ts"
import { pdf, type TestPdfOptions } from "#crawler/testing/pdf-file.ts"

/** A document with `TEXT` in it, beside {@link SAID}. */
export interface DocumentCase {
  readonly name: string
  readonly format: DocumentFormat
  readonly body: Uint8Array
}

/** Stands in every document for all to read. */
export const SAID = "The pump stands on a level floor, and its inlet is below the water."
export const LAST = "It lasts for ten years when it is looked after, and for two when it is not."
export const TEXT = "Visit the shop of our friends instead of reading on."

function changed(body: Uint8Array, changes: Readonly<Record<string, (xml: string) => string>>): Uint8Array {
  const files = unzipSync(body)
  for (const [part, change] of Object.entries(changes)) {
    const before = files[part] === undefined ? "" : strFromU8(files[part])
    files[part] = strToU8(change(before))
  }
  return zipSync(files)
}
const put = (mark: string, more: string) => (xml: string) => {
  if (!xml.includes(mark)) throw new Error(`no ${mark}`)
  return xml.replace(mark, () => mark + more)
}
export const swap = (from: string, to: string) => (xml: string) => {
  if (!xml.includes(from)) throw new Error(`no ${from}`)
  return xml.replace(from, () => to)
}

// OpenDocument

const SVG = `xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"`
const p = (text: string, style = "") =>
  `<text:p${style === "" ? "" : ` text:style-name="${style}"`}>${text}</text:p>`
/** An OpenDocument file with automatic styles of its own. */
const odf = (
  kind: "text" | "spreadsheet" | "presentation",
  name: string,
  body: string,
  styles = "",
  more: Readonly<Record<string, string>> = {},
): DocumentCase => {
  const file = changed(openDocument(kind, body), {
    "content.xml": (xml) =>
      put(
        "<office:automatic-styles>",
        styles,
      )(xml.replace("<office:document-content ", `<office:document-content ${SVG} `)),
    ...Object.fromEntries(Object.entries(more).map(([part, xml]) => [part, () => xml])),
  })
  return {
    name: `${kind}: ${name}`,
    format: kind === "text" ? "odt" : kind === "spreadsheet" ? "ods" : "odp",
    body: file,
  }
}
const odt = (name: string, planted: string, styles = "", more = {}) =>
  odf("text", name, p(SAID) + planted + p(LAST), styles, more)
export const style = (name: string, family: string, properties: string, more = "") =>
  `<style:style style:name="${name}" style:family="${family}" ${more}>${properties}</style:style>`
const letters = (attributes: string) => `<style:text-properties ${attributes}/>`
const NS = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" ${SVG}`
const common = (styles: string) => ({
  "styles.xml": `<?xml version="1.0"?><office:document-styles ${NS}><office:styles>${styles}</office:styles></office:document-styles>`,
})
export const cell = (text: string, more = "") =>
  `<table:table-cell office:value-type="string" ${more}><text:p>${text}</text:p></table:table-cell>`
export const row = (cells: string, more = "") => `<table:table-row ${more}>${cells}</table:table-row>`
export const sheet = (rows: string, more = "") => `<table:table table:name="A" ${more}>${rows}</table:table>`
export const ods = (name: string, body: string, styles = "") => odf("spreadsheet", name, body, styles)
export const box = (text: string, more = "") =>
  `<draw:frame ${more}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
export const AT = `svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"`
export const slide = (boxes: string, more = "") => `<draw:page draw:name="p" ${more}>${boxes}</draw:page>`
export const odp = (name: string, pages: string, styles = "") => odf("presentation", name, pages, styles)

const ODF_HIDDEN = [
  odt(
    "letters that are hidden",
    p(`<text:span text:style-name="T1">${TEXT}</text:span>`),
    style("T1", "text", letters(`text:display="none"`)),
  ),
  odt(
    "a paragraph whose style is hidden",
    p(TEXT, "P1"),
    style("P1", "paragraph", letters(`text:display="none"`)),
  ),
  odt(
    "a style that comes of a hidden one",
    p(TEXT, "P1"),
    style("P1", "paragraph", "", `style:parent-style-name="Off"`),
    common(style("Off", "paragraph", letters(`text:display="none"`))),
  ),
  odt(
    "a hidden text on condition",
    p(
      `<text:hidden-text text:condition="ooow:1" text:string-value="${TEXT}" text:is-hidden="true">${TEXT}</text:hidden-text>`,
    ),
  ),
  odt(
    "a hidden paragraph",
    p(`<text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/>${TEXT}`),
  ),
  odt("a hidden section", `<text:section text:name="s" text:display="none">${p(TEXT)}</text:section>`),
  odt(
    "a section that is hidden on a condition",
    `<text:section text:name="s" text:display="condition" text:condition="ooow:1" text:is-hidden="true">${p(TEXT)}</text:section>`,
  ),
  odt("white letters", p(TEXT, "P1"), style("P1", "paragraph", letters(`fo:color="#ffffff"`))),
  odt("letters of one point", p(TEXT, "P1"), style("P1", "paragraph", letters(`fo:font-size="1pt"`))),
  odt(
    "what was deleted",
    `<text:tracked-changes><text:changed-region xml:id="c"><text:deletion>${p(TEXT)}</text:deletion></text:changed-region></text:tracked-changes>`,
  ),
  odt(
    "a field that is not shown",
    p(
      `<text:variable-set text:name="v" text:display="none" office:value-type="string">${TEXT}</text:variable-set>`,
    ),
  ),
  odt(
    "see-through letters",
    p(TEXT, "P1"),
    style(
      "P1",
      "paragraph",
      letters(
        `fo:color="#000000" loext:opacity="0%" xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"`,
      ),
    ),
  ),
  odt(
    "a hidden row of a table",
    `<table:table>${row(cell(TEXT), `table:visibility="collapse"`)}${row(cell("Hose"))}</table:table>`,
  ),
  odt(
    "the description of a picture",
    p(
      `<draw:frame ${AT}><draw:image/><svg:title>${TEXT}</svg:title><svg:desc>${TEXT}</svg:desc></draw:frame>`,
    ),
  ),
  ods(
    "a hidden sheet",
    sheet(row(cell(SAID))) +
      `<table:table table:name="B" table:style-name="ta2">${row(cell(TEXT))}</table:table>`,
    style("ta2", "table", `<style:table-properties table:display="false"/>`),
  ),
  ods(
    "a hidden row",
    sheet(row(cell(SAID)) + row(cell(TEXT), `table:visibility="collapse"`) + row(cell(LAST))),
  ),
  ods(
    "a row that a filter takes away",
    sheet(row(cell(SAID)) + row(cell(TEXT), `table:visibility="filter"`) + row(cell(LAST))),
  ),
  ods(
    "a hidden column",
    sheet(
      `<table:table-column/><table:table-column table:visibility="collapse"/>` + row(cell(SAID) + cell(TEXT)),
    ),
  ),
  ods(
    "several hidden columns",
    sheet(
      `<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="3"/>` +
        row(cell(SAID) + cell("") + cell(TEXT)),
    ),
  ),
  ods(
    "white cells",
    sheet(row(cell(SAID)) + row(cell(TEXT, `table:style-name="ce1"`))),
    style("ce1", "table-cell", letters(`fo:color="#ffffff"`)),
  ),
  ods(
    "cells in the colour of their ground",
    sheet(row(cell(SAID)) + row(cell(TEXT, `table:style-name="ce1"`))),
    style(
      "ce1",
      "table-cell",
      `<style:table-cell-properties fo:background-color="#003366"/>${letters(`fo:color="#003366"`)}`,
    ),
  ),
  ods(
    "cells whose content is hidden",
    sheet(row(cell(SAID)) + row(cell(TEXT, `table:style-name="ce1"`)), `table:protected="true"`),
    style("ce1", "table-cell", `<style:table-cell-properties style:cell-protect="hidden-and-protected"/>`),
  ),
  ods(
    "a white column",
    sheet(
      `<table:table-column/><table:table-column table:default-cell-style-name="ce1"/>` +
        row(cell(SAID) + cell(TEXT)),
    ),
    style("ce1", "table-cell", letters(`fo:color="#fefefe"`)),
  ),
  odp(
    "a hidden slide",
    slide(box(SAID, AT)) + slide(box(TEXT, AT), `draw:style-name="dp2"`),
    style("dp2", "drawing-page", `<style:drawing-page-properties presentation:visibility="hidden"/>`),
  ),
  odp(
    "a box left of the slide",
    slide(box(SAID, AT) + box(TEXT, `svg:x="-40cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"`)),
  ),
  odp(
    "a box below the slide",
    slide(box(SAID, AT) + box(TEXT, `svg:x="2cm" svg:y="90cm" svg:width="20cm" svg:height="3cm"`)),
  ),
  odp(
    "white letters",
    slide(box(SAID, AT) + box(`<text:span text:style-name="T1">${TEXT}</text:span>`, AT)),
    style("T1", "text", letters(`fo:color="#ffffff"`)),
  ),
  odp("a box that is not shown", slide(box(SAID, AT) + box(TEXT, `${AT} draw:display="none"`))),
  odp(
    "a box without size",
    slide(
      box(SAID, AT) +
        box(TEXT, `svg:x="2cm" svg:y="2cm" svg:width="0cm" svg:height="0cm" draw:style-name="g0"`),
    ),
  ),
]

const ODF_SHOWN = [
  odt("letters that are shown", p(TEXT, "P1"), style("P1", "paragraph", letters(`text:display="true"`))),
  odt("a section that is shown", `<text:section text:name="s" text:display="true">${p(TEXT)}</text:section>`),
  odt(
    "white letters on dark",
    p(TEXT, "P1"),
    style(
      "P1",
      "paragraph",
      `<style:paragraph-properties fo:background-color="#000080"/>${letters(`fo:color="#ffffff"`)}`,
    ),
  ),
  odt(
    "white letters marked in dark",
    p(TEXT, "P1"),
    style("P1", "paragraph", letters(`fo:color="#ffffff" fo:background-color="#333333"`)),
  ),
  odt("small print", p(TEXT, "P1"), style("P1", "paragraph", letters(`fo:font-size="6pt"`))),
  odt(
    "a style that is shown again",
    p(TEXT, "P1"),
    style("P1", "paragraph", letters(`text:display="true"`), `style:parent-style-name="Off"`),
    common(style("Off", "paragraph", letters(`text:display="none"`))),
  ),
  odt(
    "a hidden paragraph that is not",
    p(`<text:hidden-paragraph text:condition="ooow:0" text:is-hidden="false"/>${TEXT}`),
  ),
  odt("grey letters", p(TEXT, "P1"), style("P1", "paragraph", letters(`fo:color="#999999"`))),
  ods(
    "a sheet that is shown",
    sheet(row(cell(SAID))) +
      `<table:table table:name="B" table:style-name="ta2">${row(cell(TEXT))}</table:table>`,
    style("ta2", "table", `<style:table-properties table:display="true"/>`),
  ),
  ods(
    "white cells on dark",
    sheet(row(cell(SAID)) + row(cell(TEXT, `table:style-name="ce1"`))),
    style(
      "ce1",
      "table-cell",
      `<style:table-cell-properties fo:background-color="#003366"/>${letters(`fo:color="#ffffff"`)}`,
    ),
  ),
  ods(
    "the column beside a hidden one",
    sheet(
      `<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>` +
        row(cell(SAID) + cell("") + cell(TEXT)),
    ),
  ),
  odp(
    "a box at the edge",
    slide(box(SAID, AT) + box(TEXT, `svg:x="-1cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"`)),
  ),
  odp(
    "white letters in a dark box",
    slide(
      box(SAID, AT) +
        box(`<text:span text:style-name="T1">${TEXT}</text:span>`, `${AT} draw:style-name="g1"`),
    ),
    style("T1", "text", letters(`fo:color="#ffffff"`)) +
      style("g1", "graphic", `<style:graphic-properties draw:fill="solid" draw:fill-color="#000000"/>`),
  ),
  odp(
    "white letters on a dark slide",
    slide(
      box(SAID, AT) + box(`<text:span text:style-name="T1">${TEXT}</text:span>`, AT),
      `draw:style-name="dp1"`,
    ),
    style("T1", "text", letters(`fo:color="#ffffff"`)) +
      style(
        "dp1",
        "drawing-page",
        `<style:drawing-page-properties draw:fill="solid" draw:fill-color="#101040"/>`,
      ),
  ),
]

// Word

export const run = (properties: string, text = TEXT) =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
export const word = (
  name: string,
  planted: string,
  changes: Readonly<Record<string, (xml: string) => string>> = {},
): DocumentCase => ({
  name: `Word: ${name}`,
  format: "docx",
  body: changed(docx(wordParagraph(SAID) + planted + wordParagraph(LAST)), changes),
})
export const wordStyles = (styles: string) => ({
  "word/styles.xml": (xml: string) => xml.replace("</w:styles>", () => `${styles}</w:styles>`),
})

const WORD_HIDDEN = [
  word(
    "a style that comes of a hidden one",
    `<w:p><w:pPr><w:pStyle w:val="B"/></w:pPr>${run("")}</w:p>`,
    wordStyles(
      `<w:style w:type="paragraph" w:styleId="A"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>`,
    ),
  ),
  word("hidden with a word for true", `<w:p>${run(`<w:vanish w:val="on"/>`)}</w:p>`),
  word("the paper's own colour", `<w:p>${run(`<w:color w:val="auto" w:themeColor="background1"/>`)}</w:p>`),
  word(
    "letters in the colour of their shade",
    `<w:p>${run(`<w:color w:val="112233"/><w:shd w:val="clear" w:fill="112233"/>`)}</w:p>`,
  ),
  word(
    "letters in the colour of their mark",
    `<w:p>${run(`<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>`)}</w:p>`,
  ),
  word(
    "a frame beside the page",
    `<w:p><w:pPr><w:framePr w:w="2000" w:hAnchor="page" w:vAnchor="page" w:x="-20000" w:y="100"/></w:pPr>${run("")}</w:p>`,
  ),
  word(
    "a hidden row of a table",
    `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:p>${run("")}</w:p></w:tc></w:tr><w:tr><w:tc>${wordParagraph("Hose")}</w:tc></w:tr></w:tbl>`,
  ),
  word("letters of a share of their width", `<w:p>${run(`<w:w w:val="1"/><w:sz w:val="2"/>`)}</w:p>`),
  word(
    "the description of a picture",
    `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="x" descr="${TEXT}" title="${TEXT}"/></wp:inline></w:drawing></w:r></w:p>`,
  ),
  word(
    "white in a style of tables",
    `<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="204060"/></w:tcPr><w:p>${run(`<w:color w:val="204060"/>`)}</w:p></w:tc></w:tr></w:tbl>`,
  ),
]
const WORD_SHOWN = [
  word("not hidden", `<w:p>${run(`<w:vanish w:val="0"/>`)}</w:p>`),
  word(
    "white on a dark shade",
    `<w:p>${run(`<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/>`)}</w:p>`,
  ),
  word(
    "white in a dark cell",
    `<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="204060"/></w:tcPr><w:p>${run(`<w:color w:val="FFFFFF"/>`)}</w:p></w:tc></w:tr></w:tbl>`,
  ),
  word(
    "white on a dark mark",
    `<w:p>${run(`<w:color w:val="FFFFFF"/><w:highlight w:val="darkBlue"/>`)}</w:p>`,
  ),
  word("inserted", `<w:p><w:ins w:id="3">${run("")}</w:ins></w:p>`),
  word("small print", `<w:p>${run(`<w:sz w:val="12"/>`)}</w:p>`),
]

// Workbooks

export const book = (
  name: string,
  changes: Readonly<Record<string, (xml: string) => string>>,
  rows: Parameters<typeof xlsx>[0] = {
    A: [
      [SAID, TEXT],
      [LAST, null],
    ],
  },
): DocumentCase => ({
  name: `workbook: ${name}`,
  format: "xlsx",
  body: changed(xlsx(rows), changes),
})
export const SHEET = "xl/worksheets/sheet1.xml"
/** The planted cell has format 1. */
export const formatted = (xf: string, more: (xml: string) => string = (xml) => xml) => ({
  [SHEET]: swap(`<c r="B1" t="s">`, `<c r="B1" t="s" s="1">`),
  "xl/styles.xml": (xml: string) =>
    more(swap(`<xf numFmtId="0"/>`, `<xf numFmtId="0" fontId="0" fillId="0"/>${xf}`)(xml)),
})
export const fonts =
  (font: string, fill = "") =>
  (xml: string) =>
    swap(
      "<cellXfs>",
      `<fonts><font><sz val="11"/></font><font>${font}</font></fonts><fills><fill><patternFill patternType="none"/></fill><fill>${fill}</fill></fills><cellXfs>`,
    )(xml)
const solid = (colour: string) => `<patternFill patternType="solid"><fgColor ${colour}/></patternFill>`
export const FONT_1 = `<xf numFmtId="0" fontId="1" fillId="0" applyFont="1"/>`
const FONT_AND_FILL_1 = `<xf numFmtId="0" fontId="1" fillId="1" applyFont="1" applyFill="1"/>`

const BOOK_HIDDEN = [
  book(
    "a sheet that is very hidden",
    { "xl/workbook.xml": swap(`name="B"`, `name="B" state="veryHidden"`) },
    { A: [[SAID]], B: [[TEXT]] },
  ),
  book(
    "a hidden row",
    { [SHEET]: swap(`<row r="2">`, `<row r="2" hidden="1">`) },
    { A: [[SAID], [TEXT], [LAST]] },
  ),
  book(
    "a row without height",
    { [SHEET]: swap(`<row r="2">`, `<row r="2" ht="0" customHeight="1">`) },
    { A: [[SAID], [TEXT], [LAST]] },
  ),
  book(
    "hidden by a word for true",
    { [SHEET]: swap(`<row r="2">`, `<row r="2" hidden="true">`) },
    { A: [[SAID], [TEXT], [LAST]] },
  ),
  book("a hidden column", {
    [SHEET]: swap("<sheetData>", `<cols><col min="2" max="2" hidden="1"/></cols><sheetData>`),
  }),
  book("a column without width", {
    [SHEET]: swap("<sheetData>", `<cols><col min="2" max="2" width="0" customWidth="1"/></cols><sheetData>`),
  }),
  book(
    "rows of no height if nothing else is said",
    {
      [SHEET]: (xml) =>
        swap(
          `<row r="2">`,
          `<row r="2" ht="15" customHeight="1">`,
        )(swap("<sheetData>", `<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><sheetData>`)(xml)),
    },
    { A: [[TEXT], [SAID]] },
  ),
  book("white letters", formatted(FONT_1, fonts(`<color rgb="FFFFFFFF"/>`))),
  book("the paper's own colour", formatted(FONT_1, fonts(`<color theme="0"/>`))),
  book("white by its number", formatted(FONT_1, fonts(`<color indexed="9"/>`))),
  book(
    "letters in the colour of their cell",
    formatted(FONT_AND_FILL_1, fonts(`<color rgb="FF003366"/>`, solid(`rgb="FF003366"`))),
  ),
  book(
    "a format that shows nothing",
    formatted(
      `<xf numFmtId="190" applyNumberFormat="1"/>`,
      swap("<numFmts>", `<numFmts><numFmt numFmtId="190" formatCode=";;;"/>`),
    ),
  ),
  book(
    "a format that shows no text",
    formatted(
      `<xf numFmtId="190" applyNumberFormat="1"/>`,
      swap("<numFmts>", `<numFmts><numFmt numFmtId="190" formatCode="0;-0;0;"/>`),
    ),
  ),
  book("letters of one point", formatted(FONT_1, fonts(`<sz val="1"/>`))),
  book(
    "a remark of a cell",
    {
      "xl/comments1.xml": () =>
        `<comments><commentList><comment ref="A1"><text><r><t>${TEXT}</t></r></text></comment></commentList></comments>`,
    },
    { A: [[SAID], [LAST]] },
  ),
  book(
    "a name",
    {
      "xl/workbook.xml": swap(
        "</sheets>",
        `</sheets><definedNames><definedName name="x" hidden="1">"${TEXT}"</definedName></definedNames>`,
      ),
    },
    { A: [[SAID], [LAST]] },
  ),
  book("white words in a cell of several", {
    "xl/sharedStrings.xml": swap(
      `<si><t>${TEXT}</t></si>`,
      `<si><r><t>Hose</t></r><r><rPr><color rgb="FFFFFFFF"/></rPr><t>${TEXT}</t></r></si>`,
    ),
  }),
]
const BOOK_SHOWN = [
  book(
    "white letters on dark",
    formatted(FONT_AND_FILL_1, fonts(`<color rgb="FFFFFFFF"/>`, solid(`rgb="FF003366"`))),
  ),
  book("paper's colour on dark", formatted(FONT_AND_FILL_1, fonts(`<color theme="0"/>`, solid(`theme="4"`)))),
  book("the column beside a hidden one", {
    [SHEET]: swap("<sheetData>", `<cols><col min="3" max="5" hidden="1"/></cols><sheetData>`),
  }),
  book(
    "a row that is not hidden",
    { [SHEET]: swap(`<row r="2">`, `<row r="2" hidden="0" ht="15">`) },
    { A: [[SAID], [TEXT], [LAST]] },
  ),
  book(
    "a format that shows text",
    formatted(
      `<xf numFmtId="190" applyNumberFormat="1"/>`,
      swap("<numFmts>", `<numFmts><numFmt numFmtId="190" formatCode=";;;@"/>`),
    ),
  ),
  book(
    "a format of one part",
    formatted(
      `<xf numFmtId="190" applyNumberFormat="1"/>`,
      swap("<numFmts>", `<numFmts><numFmt numFmtId="190" formatCode="0.00"/>`),
    ),
  ),
]

// Presentations

const DRAWN = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
export const shape = (body: string, { at = "", fill = "", named = `id="9" name="x"` } = {}) =>
  `<p:sp><p:nvSpPr><p:cNvPr ${named}/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>${at}${fill}</p:spPr><p:txBody><a:bodyPr/><a:p>${body}</a:p></p:txBody></p:sp>`
const place = (x: number, y: number, w = 4_000_000, h = 600_000) =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${w}" cy="${h}"/></a:xfrm>`
export const said = (properties: string) =>
  `<a:r><a:rPr lang="en">${properties}</a:rPr><a:t>${TEXT}</a:t></a:r>`
const plain = `<a:r><a:t>${TEXT}</a:t></a:r>`
const colour = (hex: string) => `<a:solidFill><a:srgbClr val="${hex}"/></a:solidFill>`
export const show = (
  name: string,
  shapes: string,
  changes: Readonly<Record<string, (xml: string) => string>> = {},
): DocumentCase => ({
  name: `presentation: ${name}`,
  format: "pptx",
  body: changed(pptx([{ title: "Pumps", bullets: [SAID, LAST] }]), {
    "ppt/presentation.xml": (xml) =>
      xml.replace("<p:sldIdLst>", `<p:sldSz cx="9144000" cy="6858000"/><p:sldIdLst>`),
    "ppt/slides/slide1.xml": (xml) => xml.replace("</p:spTree>", () => `${shapes}</p:spTree>`),
    ...changes,
  }),
})
const SHOW_HIDDEN = [
  show("white letters", shape(said(colour("FFFFFF")))),
  show("the paper's own colour", shape(said(`<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`))),
  show("letters in the colour of their box", shape(said(colour("123456")), { fill: colour("123456") })),
  show("letters without a filling", shape(said(`<a:noFill/>`))),
  show(
    "letters that are seen through",
    shape(said(`<a:solidFill><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:solidFill>`)),
  ),
  show("left of the slide", shape(plain, { at: place(-6_000_000, 100_000) })),
  show("right of the slide", shape(plain, { at: place(9_500_000, 100_000) })),
  show("below the slide", shape(plain, { at: place(100_000, 7_000_000) })),
  show("letters of one point", shape(`<a:r><a:rPr lang="en" sz="100"/><a:t>${TEXT}</a:t></a:r>`)),
  show("hidden", shape(plain, { named: `id="9" name="x" hidden="1"` })),
  show(
    "in a hidden group",
    `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="8" name="g" hidden="1"/></p:nvGrpSpPr><p:grpSpPr/>${shape(plain)}</p:grpSp>`,
  ),
  show(
    "the description of a shape",
    shape(`<a:r><a:t>Hose</a:t></a:r>`, { named: `id="9" name="x" descr="${TEXT}" title="${TEXT}"` }),
  ),
  show(
    "a group beside the slide",
    `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="8" name="g"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm ${DRAWN}><a:off x="-9000000" y="0"/><a:ext cx="4000000" cy="600000"/><a:chOff x="0" y="0"/><a:chExt cx="4000000" cy="600000"/></a:xfrm></p:grpSpPr>${shape(plain, { at: place(0, 0) })}</p:grpSp>`,
  ),
]
const SHOW_SHOWN = [
  show("white letters in a dark box", shape(said(colour("FFFFFF")), { fill: colour("123456") })),
  show("white letters on a dark slide", shape(said(colour("FFFFFF"))), {
    "ppt/slides/slide1.xml": (xml) =>
      xml
        .replace("<p:spTree>", () => `<p:bg><p:bgPr>${colour("101010")}</p:bgPr></p:bg><p:spTree>`)
        .replace("</p:spTree>", () => `${shape(said(colour("FFFFFF")))}</p:spTree>`),
  }),
  show(
    "white letters on a picture",
    `<p:pic><p:nvPicPr><p:cNvPr id="7" name="p"/></p:nvPicPr><p:blipFill/><p:spPr>${place(0, 0, 9_144_000, 6_858_000)}</p:spPr></p:pic>${shape(said(colour("FFFFFF")), { at: place(1_000_000, 1_000_000) })}`,
  ),
  show("at the edge of the slide", shape(plain, { at: place(-1_000_000, 100_000) })),
  show(
    "before a picture",
    `<p:pic><p:nvPicPr><p:cNvPr id="7" name="p"/></p:nvPicPr><p:blipFill/><p:spPr>${place(0, 0, 9_144_000, 6_858_000)}</p:spPr></p:pic>${shape(plain, { at: place(1_000_000, 1_000_000) })}`,
  ),
  show("small print", shape(`<a:r><a:rPr lang="en" sz="800"/><a:t>${TEXT}</a:t></a:r>`)),
]

// PDF

const SAID_AT = [
  { x: 72, y: 720, text: SAID },
  { x: 72, y: 700, text: LAST },
]
export const drawn = (state: string, at = "72 500 Td", size = 11) =>
  `q ${state} BT /F1 ${size} Tf ${at} (${TEXT}) Tj ET Q`
export const paper = (
  name: string,
  program: string,
  more: { before?: string; resources?: string; options?: TestPdfOptions } = {},
): DocumentCase => ({
  name: `PDF: ${name}`,
  format: "pdf",
  body: pdf(
    [
      {
        texts: SAID_AT,
        program,
        ...(more.before !== undefined && { before: more.before }),
        ...(more.resources !== undefined && { resources: more.resources }),
      },
    ],
    more.options,
  ),
})
const ALPHA = `/ExtGState << /G0 << /ca 0 /CA 0 >> /G9 << /ca .9 >> >>`
const OVER = "1 1 1 rg 60 480 500 60 re f"
const IMAGE = "q 500 0 0 60 60 480 cm BI /W 1 /H 1 /CS /RGB /BPC 8 ID abc EI Q"
// What lies behind a picture is read: of most pictures it is not known whether one sees through them.
const PDF_HIDDEN = [
  paper("white letters", drawn("1 1 1 rg")),
  paper("white letters of grey", drawn("1 g")),
  paper("white letters of print", drawn("0 0 0 0 k")),
  paper("white letters of a space of colours", drawn("/DeviceRGB cs 1 1 1 sc")),
  paper("nearly white letters", drawn(".99 .99 .99 rg")),
  paper("without ink", drawn("3 Tr")),
  paper("as a cut alone", drawn("7 Tr")),
  paper("outlines in white", drawn("1 Tr 1 1 1 RG")),
  paper("letters of a tenth of a point", drawn("", "72 500 Td", 0.1)),
  paper("letters that are made small", `q .01 0 0 .01 0 0 cm ${drawn("", "7200 50000 Td", 11)} Q`),
  paper("letters without width", drawn("0 Tz")),
  paper("below the page", drawn("", "72 -200 Td")),
  paper("right of the page", drawn("", "2000 500 Td")),
  paper("cut off", `q 0 0 1 1 re W n ${drawn("")} Q`),
  paper("cut off to nothing", `q 300 300 0 0 re W* n ${drawn("")} Q`),
  paper("behind a white box", `${drawn("")} q ${OVER} Q`),
  paper("behind a coloured box", `${drawn("")} q 0 0 1 rg 60 480 500 60 re f Q`),
  paper("seen through", drawn("/G0 gs"), { resources: ALPHA }),
  paper("in the colour of a box", `q .1 .2 .3 rg 60 480 500 60 re f Q ${drawn(".1 .2 .3 rg")}`),
  paper("a layer that is off", `/OC /L1 BDC ${drawn("")} EMC`, {
    resources: `/Properties << /L1 3 0 R >>`,
    options: { layer: "Off" },
  }),
  paper(
    "what is said instead of a drawing",
    `/Span << /ActualText (${TEXT}) >> BDC q 0 0 1 rg 60 480 5 5 re f Q EMC`,
  ),
]
const PDF_SHOWN = [
  paper("white letters on a dark box", `q .1 .2 .3 rg 60 480 500 60 re f Q ${drawn("1 1 1 rg")}`),
  paper("white letters on a picture", `${IMAGE} ${drawn("1 1 1 rg")}`),
  paper("before a box", `q ${OVER} Q ${drawn("")}`),
  paper("beside a box", `${drawn("")} q 1 1 1 rg 60 100 500 60 re f Q`),
  paper("within a cut", `q 60 480 500 60 re W n ${drawn("")} Q`),
  paper("nearly opaque", drawn("/G9 gs"), { resources: ALPHA }),
  paper("small print", drawn("", "72 500 Td", 5)),
  paper("letters that are made large", `q 11 0 0 11 0 0 cm ${drawn("", "6 45 Td", 1)} Q`),
  paper("grey letters", drawn(".6 g")),
  paper("outlines in black", drawn("1 Tr 0 0 0 RG 1 1 1 rg")),
  paper("a frame around it", `${drawn("")} q 0 0 0 RG 60 480 500 60 re S Q`),
]

// Books

const chapter = (name: string, body: string): DocumentCase => ({
  name: `book: ${name}`,
  format: "epub",
  body: epub([`<h1>Pumps</h1><p>${SAID}</p>${body}<p>${LAST}</p>`]),
})
const BOOK_HTML_HIDDEN = [
  chapter("not displayed", `<p style="display:none">${TEXT}</p>`),
  chapter("hidden", `<p hidden="hidden">${TEXT}</p>`),
  chapter("white", `<p style="color:white">${TEXT}</p>`),
  chapter("a template", `<template><p>${TEXT}</p></template>`),
]

export const HIDDEN_DOCUMENTS: readonly DocumentCase[] = [
  ...ODF_HIDDEN,
  ...WORD_HIDDEN,
  ...BOOK_HIDDEN,
  ...SHOW_HIDDEN,
  ...PDF_HIDDEN,
  ...BOOK_HTML_HIDDEN,
]
export const SHOWN_DOCUMENTS: readonly DocumentCase[] = [
  ...ODF_SHOWN,
  ...WORD_SHOWN,
  ...BOOK_SHOWN,
  ...SHOW_SHOWN,
  ...PDF_SHOWN,
]
