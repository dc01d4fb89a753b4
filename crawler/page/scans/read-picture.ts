import { DocumentError } from "../formats/document-error.ts"
import { writePdf } from "../formats/pdf/pdf-markdown.ts"
import { withoutRunningHeads } from "../formats/pdf/pdf-running-heads.ts"
import type { DocumentText } from "../formats/to-extracted.ts"
import { metadataOf, pagesOf, refusalOf } from "./frames.ts"
import { readRecognised, recognisedLines } from "./recognised-page.ts"

/** The maximum number of pages read from one file, as for a PDF. */
const MAX_PAGES = 2000

/**
 * The recognised text of a picture, which is a document of one page, or of a TIFF file, whose frames are pages. Only
 * the header of the file is read here; its pixels are decoded during text recognition.
 * @param recognised as in `ReadFile`
 * @throws DocumentError when the file is damaged, or too small or too large for a page of text
 */
export async function readPicture(
  body: Uint8Array,
  _url: string,
  _budgetMs: number,
  recognised?: string,
): Promise<DocumentText> {
  const metadata = await metadataOf(body, 1).catch((error: Error) => {
    throw new DocumentError("unreadable", `the file is damaged: ${error.message.slice(0, 300)}`)
  })
  const count = pagesOf(metadata)
  // The first frame of a TIFF can be a small copy of the next.
  const refusal = count === 1 ? refusalOf(metadata) : null
  if (refusal !== null) throw new DocumentError("unsupported", refusal)
  const numbers = Array.from({ length: Math.min(count, MAX_PAGES) }, (_, at) => at + 1)
  const texts = recognised === undefined ? new Map<never, never>() : readRecognised(recognised)
  const pages = numbers.map((number) => {
    const text = texts.get(number)
    return text === undefined ? [] : recognisedLines(text)
  })
  const { markdown, anchors } = writePdf(withoutRunningHeads(pages), { outline: new Map(), labels: [] })
  const pictured = numbers.filter((number) => !texts.has(number))
  return {
    markdown,
    ...(count > 1 && { anchors }),
    // The largest text on a letter is rarely its title.
    isTitledByHeading: false,
    pictured,
    note: noteOf(markdown, count, pictured.length),
  }
}

function noteOf(markdown: string, count: number, unread: number): string | null {
  if (count > MAX_PAGES) return `the first ${MAX_PAGES} of ${count} pages are read`
  if (markdown.trim() !== "") return null
  const what = count === 1 ? "a picture" : `an image of ${count} pages`
  return unread === 0 ? `${what} without text` : what
}
