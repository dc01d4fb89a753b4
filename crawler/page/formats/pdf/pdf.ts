import { getDocumentProxy } from "unpdf"
import type { Link } from "../../extract/extracted.ts"
import { DocumentError, PASSWORD_PROTECTED } from "../document-error.ts"
import { PdfTables } from "./pdf-cmaps.ts"
import { withFontNames } from "./pdf-font-names.ts"
import { PdfLetters } from "./pdf-letters.ts"
import type { PdfLine } from "./pdf-lines.ts"
import { type PdfNames, titleKey, writePdf } from "./pdf-markdown.ts"
import { readPage } from "./pdf-page.ts"
import { withoutRunningHeads } from "./pdf-running-heads.ts"
import { readRecognised, recognisedLines } from "../../scans/recognised-page.ts"
import type { DocumentText } from "../to-extracted.ts"

/** The maximum number of pages read from one file. */
const MAX_PAGES = 2000
/** The maximum number of characters read from one file. */
const MAX_CHARS = 5_000_000
const MAX_OUTLINE_TITLES = 5000
const MAX_LABEL_CHARS = 20
const UNPRINTED = /\p{C}+/gu

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>

/**
 * Reads the text layer of a PDF (ISO 32000-1 §9.10), and the recognised text of pages without one. Pictures of text are
 * not read here: for a file without any other text, the result is empty, and its note says so.
 * @param recognised as in `ReadFile`
 * @throws DocumentError when the file is damaged or locked
 */
export async function readPdf(
  body: Uint8Array,
  url: string,
  budgetMs: number,
  recognised?: string,
): Promise<DocumentText> {
  const stopAt = performance.now() + budgetMs
  const document = await open(body)
  try {
    const links = new Map<string, Link>()
    const letters = new PdfLetters()
    const texts = recognised === undefined ? null : readRecognised(recognised)
    const pages: PdfLine[][] = []
    /** Pages without text that are waiting for text recognition. */
    const pictured: number[] = []
    const wanted = Math.min(document.numPages, MAX_PAGES)
    let chars = 0
    let unreadable = 0
    while (pages.length < wanted && chars < MAX_CHARS && (pages.length === 0 || performance.now() < stopAt)) {
      const number = pages.length + 1
      const own = await readPage(document, number, url, links, letters)
      if (own === null) unreadable += 1
      const text = own?.length === 0 ? texts?.get(number) : undefined
      if (own?.length === 0 && text === undefined) pictured.push(number)
      const lines = text === undefined ? (own ?? []) : recognisedLines(text)
      pages.push(lines)
      for (const line of lines) chars += line.text.length
    }
    if (unreadable === pages.length && unreadable > 0)
      throw new DocumentError("unreadable", "the file is damaged: none of its pages can be read")
    const facts = await readFacts(document)
    const { markdown, anchors, title } = writePdf(withoutRunningHeads(pages), facts)
    // Letters that can't be decoded can still be recognised from the picture.
    if (markdown.trim() === "" && letters.lost > 0 && texts === null)
      throw new DocumentError("undecodable", UNDECODABLE)
    return {
      ...facts,
      markdown,
      anchors,
      title: facts.title ?? title,
      links: [...links.values()],
      pictured,
      note: noteOf(pages, document.numPages, unreadable, letters),
    }
  } finally {
    await document.loadingTask.destroy()
  }
}

const UNDECODABLE = "none of its fonts maps to letters"
/** The minimum number of undecodable letters, and their minimum share of all letters; fewer are bullets and symbols. */
const LEAST_LOST = 20
const LEAST_LOST_SHARE = 0.02

function noteOf(
  pages: readonly (readonly PdfLine[])[],
  numPages: number,
  unreadable: number,
  { lost, readable }: PdfLetters,
): string | null {
  if (!pages.some((lines) => lines.length > 0))
    return `no text layer in ${numPages === 1 ? "its page" : `its ${numPages} pages`}`
  const notes: string[] = []
  if (pages.length < numPages) notes.push(`the first ${pages.length} of ${numPages} pages were read`)
  else if (unreadable > 0) notes.push(`${unreadable} of ${numPages} pages are damaged`)
  const share = lost / (lost + readable)
  if (lost >= LEAST_LOST && share >= LEAST_LOST_SHARE)
    notes.push(
      `${Math.round(share * 100)}% of its letters can't be decoded: their fonts don't map to letters`,
    )
  return notes.length === 0 ? null : notes.join("; ")
}

async function open(body: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(withFontNames(body), {
      verbosity: 0,
      // No code from the file is run, no fonts or forms are loaded, nothing is fetched.
      enableXfa: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      useWasm: false,
      disableAutoFetch: true,
      stopAtErrors: false,
      maxImageSize: 1,
      BinaryDataFactory: PdfTables,
      // PdfLetters needs to know for which letters the fonts have a mapping.
      fontExtraProperties: true,
    })
  } catch (error) {
    const { name, message } = error as Error
    if (name === "PasswordException") throw new DocumentError("unsupported", PASSWORD_PROTECTED)
    throw new DocumentError("unreadable", `the file is damaged: ${message.slice(0, 300)}`)
  }
}

interface Facts extends Omit<DocumentText, "markdown" | "links" | "note">, PdfNames {}

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
    labels: await readLabels(document),
  }
}

/** Page labels (ISO 32000-1 §12.4.2): usually the numbers that are printed on the pages. */
async function readLabels(document: PdfDocument): Promise<readonly string[]> {
  const labels = (await document.getPageLabels().catch(() => null)) ?? []
  return labels.slice(0, MAX_PAGES).map((label, at) => {
    const text = label
      .slice(0, MAX_LABEL_CHARS + 1)
      .replaceAll(UNPRINTED, "")
      .trim()
    return text === "" || text.length > MAX_LABEL_CHARS ? `${at + 1}` : text
  })
}

interface OutlineEntry {
  readonly title: string
  readonly items: readonly unknown[]
}

/** `D:YYYYMMDDHHmmSSOHH'mm` (ISO 32000-1 §7.9.4), in which everything but the year is optional. */
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
