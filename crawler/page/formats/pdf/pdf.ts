import { getDocumentProxy } from "unpdf"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { DocumentError, PASSWORD_PROTECTED } from "../document-error.ts"
import { PdfTables } from "./pdf-cmaps.ts"
import { linesOf, type PdfLine, type PdfLinkArea, type PdfTextItem } from "./pdf-lines.ts"
import { titleKey, writePdf } from "./pdf-markdown.ts"
import { withoutRunningHeads } from "./pdf-running-heads.ts"
import { unseenTexts, withoutUnseen } from "./pdf-unseen.ts"
import type { DocumentText } from "../to-extracted.ts"

/** Pages of one file that are read. */
const MAX_PAGES = 2000
/** Characters of one file that are read. */
const MAX_CHARS = 5_000_000
const MAX_LINKS = 20_000
const MAX_OUTLINE_TITLES = 5000

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>

/**
 * The text layer of a PDF (ISO 32000-1 §9.10). Pictures of text are not read: a file that has nothing else comes out
 * empty, and its note says so.
 * @throws DocumentError when the file is damaged or locked.
 */
export async function readPdf(body: Uint8Array, url: string, budgetMs: number): Promise<DocumentText> {
  const stopAt = performance.now() + budgetMs
  const document = await open(body)
  try {
    const links = new Map<string, Link>()
    const pages: PdfLine[][] = []
    const wanted = Math.min(document.numPages, MAX_PAGES)
    let chars = 0
    let unreadable = 0
    while (pages.length < wanted && chars < MAX_CHARS && (pages.length === 0 || performance.now() < stopAt)) {
      const lines = await readPage(document, pages.length + 1, url, links)
      if (lines === null) unreadable += 1
      pages.push(lines ?? [])
      for (const line of lines ?? []) chars += line.text.length
    }
    if (unreadable === pages.length && unreadable > 0)
      throw new DocumentError("unreadable", "the file is damaged: none of its pages can be read")
    const facts = await readFacts(document)
    const { markdown, anchors, title } = writePdf(withoutRunningHeads(pages), facts.outline)
    return {
      ...facts,
      markdown,
      anchors,
      title: facts.title ?? title,
      links: [...links.values()],
      note: noteOf(pages, document.numPages, unreadable),
    }
  } finally {
    await document.loadingTask.destroy()
  }
}

function noteOf(pages: readonly (readonly PdfLine[])[], numPages: number, unreadable: number): string | null {
  if (!pages.some((lines) => lines.length > 0))
    return `no text layer in ${numPages === 1 ? "its page" : `its ${numPages} pages`}`
  if (pages.length < numPages) return `the first ${pages.length} of ${numPages} pages were read`
  return unreadable === 0 ? null : `${unreadable} of ${numPages} pages are damaged`
}

async function open(body: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(body, {
      verbosity: 0,
      // No code from the file, no fonts or forms, nothing fetched.
      enableXfa: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      useWasm: false,
      disableAutoFetch: true,
      stopAtErrors: false,
      maxImageSize: 1,
      BinaryDataFactory: PdfTables,
    })
  } catch (error) {
    const { name, message } = error as Error
    if (name === "PasswordException") throw new DocumentError("unsupported", PASSWORD_PROTECTED)
    throw new DocumentError("unreadable", `the file is damaged: ${message.slice(0, 300)}`)
  }
}

/** Lines of one page; null when it cannot be read. */
async function readPage(
  document: PdfDocument,
  number: number,
  url: string,
  links: Map<string, Link>,
): Promise<PdfLine[] | null> {
  try {
    const page = await document.getPage(number)
    const areas = await linkAreas(page)
    const { items, styles } = await page.getTextContent()
    const { transform, width, height } = page.getViewport({ scale: 1 })
    const [left = 0, bottom = 0, right = 0, top = 0] = page.view
    const layers = await document.getOptionalContentConfig()
    const unseen = unseenTexts(await page.getOperatorList(), [left, bottom, right, top], (layer) =>
      layers.isVisible(layer as Parameters<typeof layers.isVisible>[0]),
    )
    const texts = withoutUnseen(
      items.filter((item) => "str" in item),
      unseen,
    )
      .map((item) => {
        const family = styles[item.fontName]?.fontFamily
        return textItem(item, transform, family === "monospace")
      })
      .filter((item) => item.text !== "" && isOnPage(item, width, height))
    page.cleanup()
    const lines = linesOf(texts, width, areas)
    for (const { address, text } of areas) {
      const page = toPageUrl(address, url)
      if (page !== null && links.size < MAX_LINKS && !links.get(page)?.text)
        links.set(page, { url: page, text: text.trim(), nofollow: false })
    }
    return lines
  } catch {
    return null
  }
}

/** Letters smaller than this, in points, are read by nobody. */
const LEAST_LETTER = 1.5

const isOnPage = ({ x, y, width, size }: PdfTextItem, pageWidth: number, pageHeight: number): boolean =>
  (size >= LEAST_LETTER || size === 0) &&
  x < pageWidth &&
  x + Math.max(width, 0) >= 0 &&
  y > 0 &&
  y - size < pageHeight

interface RawItem {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly fontName: string
}

/** From the page's space, whose origin is below and which may be turned, to the reader's. */
function textItem(item: RawItem, view: readonly number[], isMonospace: boolean): PdfTextItem {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform
  const [va = 1, vb = 0, vc = 0, vd = 1] = view
  const [x, y] = inView(e, f, view)
  const right = { x: a * va + b * vc, y: a * vb + b * vd }
  return {
    text: item.str,
    x,
    y,
    width: item.width,
    size: Math.hypot(c * va + d * vc, c * vb + d * vd),
    isUpright: Math.abs(right.y) <= Math.abs(right.x) * 0.2 && right.x > 0,
    isMonospace,
  }
}

function inView(x: number, y: number, view: readonly number[]): [x: number, y: number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view
  return [x * a + y * c + e, x * b + y * d + f]
}

async function linkAreas(page: PdfPage): Promise<PdfLinkArea[]> {
  const annotations = (await page.getAnnotations({ intent: "display" }).catch(() => [])) as {
    subtype?: string
    url?: string
    rect?: number[]
  }[]
  const view = page.getViewport({ scale: 1 }).transform
  const areas: PdfLinkArea[] = []
  for (const { subtype, url, rect } of annotations.slice(0, 2000)) {
    if (subtype !== "Link" || url === undefined || rect === undefined) continue
    const [x1, y1] = inView(rect[0] ?? 0, rect[1] ?? 0, view)
    const [x2, y2] = inView(rect[2] ?? 0, rect[3] ?? 0, view)
    areas.push({
      address: url,
      left: Math.min(x1, x2),
      right: Math.max(x1, x2),
      top: Math.min(y1, y2),
      bottom: Math.max(y1, y2),
      text: "",
    })
  }
  return areas
}

interface Facts extends Omit<DocumentText, "markdown" | "links" | "note"> {
  /** Bookmarks' titles, letters and digits only, with their levels from 1. */
  readonly outline: ReadonlyMap<string, number>
}

async function readFacts(document: PdfDocument): Promise<Facts> {
  const found = await document.getMetadata().catch(() => null)
  const info = (found?.info ?? {}) as Record<string, unknown>
  const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : null)
  const outline = new Map<string, number>()
  const add = (entries: readonly OutlineEntry[] | null, level: number) => {
    for (const { title, items } of entries ?? []) {
      if (outline.size >= MAX_OUTLINE_TITLES) return
      const key = titleKey(title)
      if (key !== "" && !outline.has(key)) outline.set(key, level)
      if (level < 6) add(items as OutlineEntry[], level + 1)
    }
  }
  add((await document.getOutline().catch(() => null)) as OutlineEntry[] | null, 1)
  return {
    title: text(info["Title"]),
    description: text(info["Subject"]),
    author: text(info["Author"]),
    publishedAt: pdfDate(info["CreationDate"]),
    language: text(info["Language"]),
    outline,
  }
}

interface OutlineEntry {
  readonly title: string
  readonly items: readonly unknown[]
}

/** `D:YYYYMMDDHHmmSSOHH'mm` (ISO 32000-1 §7.9.4), of which all but the year may be missing. */
function pdfDate(value: unknown): Date | null {
  const match =
    /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(String(value)) ?? []
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", sign, hours, minutes] =
    match
  if (year === undefined) return null
  const zone = sign === undefined ? "Z" : `${sign}${hours ?? "00"}:${minutes ?? "00"}`
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  return Number.isNaN(time) ? null : new Date(time)
}
