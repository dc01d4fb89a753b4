import { strToU8, type Zippable, zipSync } from "fflate"

/** Creates an archive of text files, in the given order. */
export function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  const entries: Zippable = {}
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? strToU8(content) : content
    // OpenDocument and EPUB require their media type to be stored uncompressed.
    entries[name] = [bytes, { level: name === "mimetype" || bytes.length === 0 ? 0 : 6 }]
  }
  return zipSync(entries)
}

const XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`
const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const PACKAGE = "http://schemas.openxmlformats.org/package/2006"

interface OoxmlParts {
  readonly main: string
  readonly type: string
  readonly parts: Readonly<Record<string, string>>
  readonly title?: string
  readonly author?: string
  readonly created?: string
}

function ooxml({ main, type, parts, title = "", author = "", created = "2024-03-05T10:00:00Z" }: OoxmlParts) {
  return zip({
    "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    "_rels/.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="${main}"/><Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    "docProps/core.xml": `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${created}</dcterms:created></cp:coreProperties>`,
    ...parts,
  })
}

type Facts = Pick<OoxmlParts, "title" | "author" | "created">

/** A Word document with this body (`<w:p>…`), links keyed by relationship id, and two lists: 1 with bullets, 2 with numbers. */
export function docx(
  body: string,
  {
    links = {},
    footnotes = {},
    ...facts
  }: Facts & {
    readonly links?: Readonly<Record<string, string>>
    /** Footnotes by the id in `<w:footnoteReference>`. */
    readonly footnotes?: Readonly<Record<string, string>>
  } = {},
): Uint8Array<ArrayBuffer> {
  const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIPS}"`
  const level = (at: number, format: string) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="•"/></w:lvl>`
  const heading = (at: number) =>
    `<w:style w:type="paragraph" w:styleId="Heading${at}"><w:name w:val="heading ${at}"/><w:pPr><w:outlineLvl w:val="${at - 1}"/></w:pPr></w:style>`
  const targets = Object.entries(links)
    .map(
      ([id, target]) =>
        `<Relationship Id="${id}" Type="${RELATIONSHIPS}/hyperlink" Target="${target}" TargetMode="External"/>`,
    )
    .join("")
  return ooxml({
    main: "word/document.xml",
    type: "wordprocessingml.document",
    ...facts,
    parts: {
      "word/document.xml": `${XML}<w:document ${w}><w:body>${body}</w:body></w:document>`,
      "word/styles.xml": `${XML}<w:styles ${w}>${heading(1)}${heading(2)}</w:styles>`,
      "word/numbering.xml": `${XML}<w:numbering ${w}><w:abstractNum w:abstractNumId="0">${level(0, "bullet")}${level(1, "bullet")}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, "decimal")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
      "word/footnotes.xml": `${XML}<w:footnotes ${w}>${Object.entries(footnotes)
        .map(([id, text]) => `<w:footnote w:id="${id}">${wordParagraph(text)}</w:footnote>`)
        .join("")}</w:footnotes>`,
      "word/_rels/document.xml.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="s" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/><Relationship Id="n" Type="${RELATIONSHIPS}/numbering" Target="numbering.xml"/>${targets}</Relationships>`,
    },
  })
}

/** A paragraph of a Word document; `style` is a name such as `Heading1`, `list` a list number and a level. */
export function wordParagraph(
  text: string,
  { style, list }: { readonly style?: string; readonly list?: readonly [number: number, level: number] } = {},
): string {
  const properties =
    (style === undefined ? "" : `<w:pStyle w:val="${style}"/>`) +
    (list === undefined ? "" : `<w:numPr><w:ilvl w:val="${list[1]}"/><w:numId w:val="${list[0]}"/></w:numPr>`)
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export function wordTable(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join("")
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join("")}</w:tbl>`
}

/** One slide of {@link pptx}. */
export interface TestSlide {
  readonly title: string
  readonly bullets: readonly string[]
  readonly notes?: string
}

export function pptx(slides: readonly TestSlide[], facts: Facts = {}): Uint8Array<ArrayBuffer> {
  const ns = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${RELATIONSHIPS}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
  const shape = (placeholder: string, paragraphs: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`
  const paragraph = (text: string, properties = "") => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`
  const tree = (shapes: string) => `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`
  const parts: Record<string, string> = {
    "ppt/presentation.xml": `${XML}<p:presentation ${ns}><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships">${slides.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIPS}/slide" Target="slides/slide${at + 1}.xml"/>`).join("")}</Relationships>`,
  }
  for (const [at, { title, bullets, notes }] of slides.entries()) {
    const marks = bullets.map((text) => paragraph(text, `<a:pPr><a:buChar char="•"/></a:pPr>`)).join("")
    parts[`ppt/slides/slide${at + 1}.xml`] =
      `${XML}<p:sld ${ns}>${tree(shape("title", paragraph(title)) + shape("body", marks))}</p:sld>`
    if (notes === undefined) continue
    parts[`ppt/slides/_rels/slide${at + 1}.xml.rels`] =
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/notesSlide" Target="../notesSlides/notesSlide${at + 1}.xml"/></Relationships>`
    parts[`ppt/notesSlides/notesSlide${at + 1}.xml`] =
      `${XML}<p:notes ${ns}>${tree(shape("body", paragraph(notes)))}</p:notes>`
  }
  return ooxml({ main: "ppt/presentation.xml", type: "presentationml.presentation", parts, ...facts })
}

/** A cell of {@link xlsx}: text, a number, or a number shown in one of the file's formats. */
export type TestCell = string | number | { readonly number: number; readonly format: string } | null

export function xlsx(
  sheets: Readonly<Record<string, readonly (readonly TestCell[])[]>>,
  facts: Facts = {},
): Uint8Array<ArrayBuffer> {
  const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONSHIPS}"`
  const texts: string[] = []
  const formats: string[] = []
  const indexIn = (list: string[], value: string) => {
    if (!list.includes(value)) list.push(value)
    return list.indexOf(value)
  }
  const cell = (value: TestCell, at: number, row: number) => {
    if (value === null) return ""
    const name = `${String.fromCodePoint(65 + at)}${row + 1}`
    if (typeof value === "string") return `<c r="${name}" t="s"><v>${indexIn(texts, value)}</v></c>`
    if (typeof value === "number") return `<c r="${name}"><v>${value}</v></c>`
    return `<c r="${name}" s="${indexIn(formats, value.format) + 1}"><v>${value.number}</v></c>`
  }
  const names = Object.keys(sheets)
  const parts: Record<string, string> = {
    "xl/workbook.xml": `${XML}<workbook ${ns}><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships">${names.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`).join("")}<Relationship Id="rId98" Type="${RELATIONSHIPS}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId99" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/></Relationships>`,
  }
  for (const [at, rows] of Object.values(sheets).entries()) {
    const data = rows
      .map((row, y) => `<row r="${y + 1}">${row.map((value, x) => cell(value, x, y)).join("")}</row>`)
      .join("")
    parts[`xl/worksheets/sheet${at + 1}.xml`] =
      `${XML}<worksheet ${ns}><sheetData>${data}</sheetData></worksheet>`
  }
  parts["xl/sharedStrings.xml"] =
    `${XML}<sst ${ns}>${texts.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`
  parts["xl/styles.xml"] =
    `${XML}<styleSheet ${ns}><numFmts>${formats.map((format, at) => `<numFmt numFmtId="${164 + at}" formatCode="${format}"/>`).join("")}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`).join("")}</cellXfs></styleSheet>`
  return ooxml({ main: "xl/workbook.xml", type: "spreadsheetml.sheet", parts, ...facts })
}

const ODF_NAMESPACES = ["office", "text", "table", "style", "draw", "presentation", "meta"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ")

/** An OpenDocument file; `body` is the content of `<office:text>`, `<office:spreadsheet>` or `<office:presentation>`. */
export function openDocument(
  kind: "text" | "spreadsheet" | "presentation",
  body: string,
  { title = "", author = "" }: Pick<Facts, "title" | "author"> = {},
): Uint8Array<ArrayBuffer> {
  const ns = `${ODF_NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`
  return zip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `${XML}<office:document-content ${ns}><office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style></office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    "meta.xml": `${XML}<office:document-meta ${ns}><office:meta><dc:title>${title}</dc:title><meta:initial-creator>${author}</meta:initial-creator><dc:creator>${author}</dc:creator><meta:creation-date>2023-06-07T08:09:10</meta:creation-date></office:meta></office:document-meta>`,
    "META-INF/manifest.xml": `${XML}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.${kind}"/></manifest:manifest>`,
  })
}

/** A book whose chapters, each the content of a `<body>`, are in their own folder. */
export function epub(
  chapters: readonly string[],
  {
    title = "",
    author = "",
    language = "en",
    more = {},
  }: Facts & { readonly language?: string; readonly more?: Readonly<Record<string, string>> } = {},
): Uint8Array<ArrayBuffer> {
  const files = chapters.map((body, at) => [
    `OEBPS/text/chapter ${at + 1}.xhtml`,
    `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body>${body}</body></html>`,
  ])
  return zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `${XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "OEBPS/book.opf": `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title><dc:creator>${author}</dc:creator><dc:language>${language}</dc:language><dc:date>2019-08-07</dc:date></metadata><manifest>${chapters.map((_, at) => `<item id="c${at}" href="text/chapter%20${at + 1}.xhtml" media-type="application/xhtml+xml"/>`).join("")}</manifest><spine>${chapters.map((_, at) => `<itemref idref="c${at}"/>`).join("")}</spine></package>`,
    ...more,
    ...(Object.fromEntries(files) as Record<string, string>),
  })
}
