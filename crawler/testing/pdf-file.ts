/** Text at a position on a page, in points from its lower left corner. */
export interface TestText {
  readonly x: number
  readonly y: number
  readonly text: string
  /** Default 11. */
  readonly size?: number
  /** The font. Default Helvetica. */
  readonly font?: "Helvetica" | "Courier"
}

export interface TestPdfPage {
  readonly texts: readonly TestText[]
  /** Additional operators in the page's content stream, after the texts. */
  readonly program?: string
  /** Additional operators in the page's content stream, before the texts. */
  readonly before?: string
  /** Additional entries in the page's resource dictionary, such as `/ExtGState`. */
  readonly resources?: string
  /** Link areas: left, bottom, right, top. */
  readonly links?: readonly { readonly url: string; readonly rect: readonly number[] }[]
}

export interface TestPdfOptions {
  readonly title?: string
  readonly author?: string
  /** Bookmarks, all pointing to the first page. */
  readonly outline?: readonly string[]
  /** Additional entries in the catalogue's dictionary, such as an action to run on opening. */
  readonly catalogue?: string
  /** A layer (optional content group) that is switched off; resources refer to it as `3 0 R`. */
  readonly layer?: string
  /** Additional entries in the trailer, such as `/Encrypt`. */
  readonly trailer?: string
}

/** A PDF file (ISO 32000-1 §7.5) of US Letter pages with text in the standard fonts. */
export function pdf(pages: readonly TestPdfPage[], options: TestPdfOptions = {}): Uint8Array<ArrayBuffer> {
  const objects: string[] = []
  const add = (body: string) => objects.push(body)
  const reserve = () => add("null")
  const catalogue = reserve()
  const tree = reserve()
  const layer = options.layer === undefined ? null : add(`<< /Type /OCG /Name (${escape(options.layer)}) >>`)
  const layers = layer === null ? "" : `/OCProperties << /OCGs [${layer} 0 R] /D << /OFF [${layer} 0 R] >> >>`
  const fonts = ["Helvetica", "Courier"].map((name) =>
    add(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`),
  )
  const kids = pages.map(({ texts, links = [], program = "", before = "", resources = "" }) => {
    const drawn = texts
      .map(({ x, y, text, size = 11, font = "Helvetica" }) => {
        const number = font === "Courier" ? 2 : 1
        return `BT /F${number} ${size} Tf ${x} ${y} Td (${escape(text)}) Tj ET`
      })
      .join("\n")
    const content = [before, drawn, program].filter((part) => part !== "").join("\n")
    const stream = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const annotations = links.map(({ url, rect }) =>
      add(
        `<< /Type /Annot /Subtype /Link /Rect [${rect.join(" ")}] /A << /S /URI /URI (${escape(url)}) >> >>`,
      ),
    )
    const refs = annotations.map((number) => `${number} 0 R`).join(" ")
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${stream} 0 R /Annots [${refs}] /Resources << /Font << /F1 ${fonts[0]} 0 R /F2 ${fonts[1]} 0 R >> ${resources} >> >>`,
    )
  })
  objects[tree - 1] =
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`
  const outlines = addOutline(objects, options.outline ?? [], kids[0] ?? tree)
  objects[catalogue - 1] =
    `<< /Type /Catalog /Pages ${tree} 0 R ${outlines === null ? "" : `/Outlines ${outlines} 0 R`} ${layers} ${options.catalogue ?? ""} >>`
  const info = add(
    `<< /Title (${escape(options.title ?? "")}) /Author (${escape(options.author ?? "")}) /CreationDate (D:20220304050607+01'00') >>`,
  )
  return pdfOfObjects(objects, `/Root ${catalogue} 0 R /Info ${info} 0 R ${options.trailer ?? ""}`)
}

function addOutline(objects: string[], titles: readonly string[], page: number): number | null {
  if (titles.length === 0) return null
  const root = objects.push("null")
  const numbers = titles.map(() => objects.push("null"))
  for (const [at, title] of titles.entries()) {
    const next = numbers[at + 1] === undefined ? "" : `/Next ${numbers[at + 1]} 0 R`
    objects[numbers[at]! - 1] =
      `<< /Title (${escape(title)}) /Parent ${root} 0 R ${next} /Dest [${page} 0 R /Fit] >>`
  }
  objects[root - 1] =
    `<< /Type /Outlines /First ${numbers[0]} 0 R /Last ${numbers.at(-1)} 0 R /Count ${numbers.length} >>`
  return root
}

/** A file of the given objects, numbered from 1, as latin1. */
export function pdfOfObjects(objects: readonly string[], trailer: string): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.7\n"
  const offsets = objects.map((body, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return new Uint8Array(Buffer.from(file, "latin1"))
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, "\\$&")
}

/** Lines of one paragraph, one below the other, from `y` downwards. */
export function lines(texts: readonly string[], x: number, y: number, leading = 13): TestText[] {
  return texts.map((text, at) => ({ x, y: y - at * leading, text }))
}

/** A page's font: the entries of its dictionary, and the objects they refer to, numbered from 10. */
export interface TestFont {
  readonly font: string
  readonly objects?: readonly string[]
}

/** A one-page PDF that draws strings of hexadecimal codes in one font, one below the other. */
export function pdfInFont(
  { font, objects = [] }: TestFont,
  codes: readonly string[],
): Uint8Array<ArrayBuffer> {
  return pdfOfFont(
    { font, objects },
    codes.map((code, at) => `BT /F1 12 Tf 60 ${760 - 16 * at} Td <${code}> Tj ET`).join("\n"),
  )
}

/** A one-page PDF drawn by a content stream, with the font `/F1`, and Helvetica as `/F2`. */
export function pdfOfFont({ font, objects = [] }: TestFont, program: string): Uint8Array<ArrayBuffer> {
  const head = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
    streamObject(program),
    `<< /Type /Font ${font} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "null",
    "null",
    "null",
  ]
  return pdfOfObjects([...head, ...objects], "/Root 1 0 R")
}

/** A stream object with its length. */
export const streamObject = (data: string, dictionary = ""): string =>
  `<< ${dictionary} /Length ${data.length} >>\nstream\n${data}\nendstream`

/** A font that isn't embedded, from an East Asian collection such as `Japan1`, with its character map. */
export const eastAsianFont = (ordering: string, encoding: string, more = ""): TestFont => ({
  font: `/Subtype /Type0 /BaseFont /Song /Encoding ${encoding.endsWith("R") ? encoding : `/${encoding}`} /DescendantFonts [10 0 R] ${more}`,
  objects: [
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor 11 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Song /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
  ],
})

/** A page that is an image: JPEG, one byte per pixel. Lengths are in pixels, 300 to the inch. */
export interface TestScan {
  readonly jpeg: Uint8Array
  readonly width: number
  readonly height: number
}

/** A PDF of image pages, as scanners produce them. */
export function scannedPdf(scans: readonly TestScan[]): Uint8Array<ArrayBuffer> {
  const first = 3
  const kids = scans.map((_, at) => `${first + at * 3} 0 R`).join(" ")
  const pages = scans.flatMap(({ jpeg, width, height }, at) => {
    const page = first + at * 3
    const [w, h] = [(width * 72) / 300, (height * 72) / 300]
    const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode`
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${w} ${h}] /Contents ${page + 1} 0 R /Resources << /XObject << /Im ${page + 2} 0 R >> >> >>`,
      streamObject(`${w} 0 0 ${h} 0 0 cm /Im Do`),
      streamObject(Buffer.from(jpeg).toString("latin1"), entries),
    ]
  })
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${scans.length} >>`
  return pdfOfObjects(["<< /Type /Catalog /Pages 2 0 R >>", tree, ...pages], "/Root 1 0 R")
}
