import { existsSync, readFileSync } from "node:fs"
import { linesOf, type PdfLine } from "../formats/pdf/pdf-lines.ts"

/** A stretch of text without wide gaps that runs from left to right, or a separate run of text from right to left. Lengths are in points on paper. */
export type RecognisedRun = readonly [text: string, x: number, baseline: number, width: number, size: number]

/** The text of one page, in reading order, with its origin in the upper left corner. A page without runs has no text. */
export interface RecognisedPage {
  /** From 1. */
  readonly page: number
  /** Points. */
  readonly width: number
  readonly height: number
  readonly runs: readonly RecognisedRun[]
  /** The installation that recognised the page, and the language. */
  readonly by: string
}

/**
 * A page as a line for the file of a scan. The line starts with a line break, which ends any partial line that a killed
 * process left behind.
 */
export const pageLine = (page: RecognisedPage): string => `\n${JSON.stringify(page)}\n`

/** The pages in the file of a scan; if a page was recognised twice, the later result is used. Empty if there is no file. */
export function readRecognised(file: string): ReadonlyMap<number, RecognisedPage> {
  const pages = new Map<number, RecognisedPage>()
  if (!existsSync(file)) return pages
  const lines = readFileSync(file, "utf8").split("\n")
  // Text after the last line break is incomplete, because the process that was writing it was killed.
  for (const line of lines.slice(0, -1)) {
    const page = parsed(line)
    if (page !== null) pages.set(page.page, page)
  }
  return pages
}

function parsed(line: string): RecognisedPage | null {
  try {
    return JSON.parse(line) as RecognisedPage
  } catch {
    return null
  }
}

/** The page's text as lines, like those of a page with a text layer. */
export function recognisedLines({ runs, width, height }: RecognisedPage): PdfLine[] {
  const items = runs.map(([text, x, y, wide, size]) => ({
    text,
    x,
    y,
    width: wide,
    size,
    isMonospace: false,
    frame: "right" as const,
  }))
  return linesOf(items, { width, height }, [])
}
