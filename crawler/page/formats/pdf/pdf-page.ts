import type { getDocumentProxy } from "unpdf"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { type FramedItem, framed, inColumn, inView, type PdfView } from "./pdf-frames.ts"
import { matrixOf } from "./pdf-geometry.ts"
import type { FontFacts, PdfLetters } from "./pdf-letters.ts"
import { linesOf, type PdfLine, type PdfLinkArea } from "./pdf-lines.ts"
import type { DrawnText } from "./pdf-program.ts"
import { programTexts, withoutUnseen } from "./pdf-unseen.ts"

const MAX_LINKS = 20_000
/** The maximum number of annotations read on one page. */
const MAX_ANNOTATIONS = 2000

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>

/**
 * The lines of one page; null if it cannot be read.
 * @param links the links found in the document so far; the page's links are added
 * @param letters the document's letters so far; the page's letters are added to the counts
 */
export async function readPage(
  document: PdfDocument,
  number: number,
  url: string,
  links: Map<string, Link>,
  letters: PdfLetters,
): Promise<PdfLine[] | null> {
  try {
    const page = await document.getPage(number)
    const annotations = await annotationsOf(page)
    const view = viewOf(page)
    const areas = linkAreas(annotations, view)
    const texts = await textsOf(document, page, view, letters)
    const lines = linesOf([...texts, ...fieldsOf(annotations, view, texts)], view, areas)
    page.cleanup()
    for (const { address, text } of areas) {
      const target = toPageUrl(address, url)
      if (target !== null && links.size < MAX_LINKS && !links.get(target)?.text)
        links.set(target, { url: target, text: text.trim(), nofollow: false })
    }
    return lines
  } catch {
    return null
  }
}

function viewOf(page: PdfPage): PdfView {
  const { transform, width, height } = page.getViewport({ scale: 1 })
  return { transform: matrixOf(transform), width, height }
}

/** Visible, readable text of the page and of its annotations. */
async function textsOf(
  document: PdfDocument,
  page: PdfPage,
  view: PdfView,
  letters: PdfLetters,
): Promise<FramedItem[]> {
  const { items, styles } = await page.getTextContent()
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const layers = await document.getOptionalContentConfig()
  const isVertical = (font: string) => styles[font]?.vertical === true
  const { unseen, annotated } = programTexts(
    await page.getOperatorList(),
    [left, bottom, right, top],
    (layer) => layers.isVisible(layer as Parameters<typeof layers.isVisible>[0]),
    isVertical,
  )
  const own = withoutUnseen(
    items.filter((item) => "str" in item),
    unseen,
  )
  const readable = letters.readableOf([...own, ...annotated.map(asItem)], (font) => factsOf(page, font))
  const texts = readable.flatMap((item) => {
    const style = styles[item.fontName]
    const one =
      item.str === ""
        ? null
        : framed(item, view, isVertical(item.fontName), style?.fontFamily === "monospace")
    return one === null ? [] : [one]
  })
  return Object.keys(styles).some(isVertical) ? texts.map((text) => inColumn(text, view)) : texts
}

const asItem = ({ text, left, right, y, size, fontName }: DrawnText) => ({
  str: text,
  transform: [size, 0, 0, size, left, y],
  width: right - left,
  height: size,
  fontName,
})

function factsOf(page: PdfPage, font: string): FontFacts | null {
  return page.commonObjs.has(font) ? (page.commonObjs.get(font) as FontFacts) : null
}

/** The fields of the library's annotation that are used here. */
interface Annotation {
  readonly subtype?: string
  readonly url?: string
  readonly rect?: readonly number[]
  readonly fieldType?: string
  readonly fieldValue?: string | readonly string[] | null
  readonly password?: boolean
  readonly hidden?: boolean
  readonly options?: readonly { readonly exportValue?: string; readonly displayValue?: string }[]
}

async function annotationsOf(page: PdfPage): Promise<readonly Annotation[]> {
  const found = (await page.getAnnotations({ intent: "display" }).catch(() => [])) as readonly Annotation[]
  return found.slice(0, MAX_ANNOTATIONS)
}

function linkAreas(annotations: readonly Annotation[], view: PdfView): PdfLinkArea[] {
  return annotations.flatMap(({ subtype, url, rect }) =>
    subtype === "Link" && url !== undefined && rect !== undefined
      ? [{ address: url, ...boxInView(rect, view), text: "" }]
      : [],
  )
}

function boxInView([a = 0, b = 0, c = 0, d = 0]: readonly number[], view: PdfView) {
  const [x1, y1] = inView(a, b, view.transform)
  const [x2, y2] = inView(c, d, view.transform)
  return {
    left: Math.min(x1, x2),
    right: Math.max(x1, x2),
    top: Math.min(y1, y2),
    bottom: Math.max(y1, y2),
  }
}

/** The assumed font size of a field without an appearance, in points: most viewers choose their own. */
const FIELD_LETTERS = 10

/** The values of form fields without an appearance of their own, which the viewer draws; the library's text includes the values of all other fields. */
function fieldsOf(
  annotations: readonly Annotation[],
  view: PdfView,
  drawn: readonly FramedItem[],
): FramedItem[] {
  return annotations.flatMap((annotation) => {
    const { subtype, fieldType = "", rect, password, hidden } = annotation
    if (subtype !== "Widget" || !/^(?:Tx|Ch)$/.test(fieldType) || password || hidden || !rect) return []
    const text = valueOf(annotation)
    const { left, right, top, bottom } = boxInView(rect, view)
    const isDrawn = drawn.some(
      ({ frame, x, y }) => frame === "right" && x >= left - 1 && x <= right && y >= top && y <= bottom + 1,
    )
    if (text === "" || isDrawn) return []
    const y = Math.min(bottom, top + FIELD_LETTERS * 1.3)
    const place = { x: left + 2, y, width: right - left, size: FIELD_LETTERS }
    return [{ ...place, text, isMonospace: false, frame: "right" as const }]
  })
}

function valueOf({ fieldValue, options = [] }: Annotation): string {
  const values = typeof fieldValue === "string" ? [fieldValue] : (fieldValue ?? [])
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .filter((value) => typeof value === "string")
    .join(", ")
    .trim()
}
