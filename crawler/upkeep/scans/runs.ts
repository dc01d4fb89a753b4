import { UNSPACED } from "../../page/formats/pdf/pdf-frames.ts"
import type { RecognisedRun } from "../../page/scans/recognised-page.ts"

/** Pixels. */
interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

interface Word {
  readonly text: string
  /** Percent. */
  readonly confidence: number
  readonly bbox: Box
}

interface Line {
  readonly confidence: number
  readonly baseline: Box
  readonly bbox: Box
  /** In pixels. The height of a row is that of its lower-case letters plus ascenders and descenders. */
  readonly rowAttributes: {
    readonly rowHeight: number
    readonly ascenders: number
    readonly descenders: number
  }
  readonly words: readonly Word[]
}

/** The fields of the engine's result for a page that are used here. */
export interface TesseractPage {
  readonly blocks?: readonly {
    readonly paragraphs: readonly { readonly is_ltr: number | boolean; readonly lines: readonly Line[] }[]
  }[]
}

/** All lines of a page, in reading order. */
export const linesOf = ({ blocks = [] }: TesseractPage): Line[] =>
  blocks.flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines))

/** A gap of this many line heights separates the columns of a table. */
const WIDE_GAP = 1.2
/** Relative difference up to which letter heights count as the same font size. */
const ONE_FONT = 0.12

/**
 * The text of a page, line by line in reading order.
 * @param points converts a length from pixels to points
 * @param least minimum confidence in percent; lines below it are specks and drawings
 */
export function runsOf(
  { blocks = [] }: TesseractPage,
  points: (pixels: number) => number,
  least: number,
): RecognisedRun[] {
  const paragraphs = blocks.flatMap((block) => block.paragraphs)
  const lines = paragraphs.flatMap(({ is_ltr, lines: own }) =>
    own.filter(({ confidence }) => confidence >= least).map((line) => ({ line, isLtr: Boolean(is_ltr) })),
  )
  const sizeOf = sizes(lines.map(({ line }) => line))
  return lines.flatMap(({ line, isLtr }) =>
    (isLtr ? parted(line) : [line.words]).map((words): RecognisedRun => {
      const left = Math.min(...words.map(({ bbox }) => bbox.x0))
      const right = Math.max(...words.map(({ bbox }) => bbox.x1))
      const { y0, y1 } = line.baseline
      const text = joined(words.map((word) => word.text))
      return [text, points(left), points((y0 + y1) / 2), points(right - left), points(sizeOf(line))]
    }),
  )
}

/** A line's words, split at wide gaps. */
function parted({ words, rowAttributes }: Line): Word[][] {
  const runs: Word[][] = []
  for (const word of words) {
    const last = runs.at(-1)?.at(-1)
    if (last === undefined || word.bbox.x0 - last.bbox.x1 > WIDE_GAP * rowAttributes.rowHeight)
      runs.push([word])
    else runs.at(-1)!.push(word)
  }
  return runs
}

const STARTS_UNSPACED = new RegExp(`^${UNSPACED.source}`, "u")
/** The engine mistakes some punctuation in these scripts for Latin punctuation. */
const SPACE_BEFORE_SIGN = new RegExp(`(?<=${UNSPACED.source}) (?=[,;:.!?)])`, "gu")
const ENDS_UNSPACED = new RegExp(`${UNSPACED.source}$`, "u")

function joined(words: readonly string[]): string {
  return (
    words
      .reduce((text, word) =>
        ENDS_UNSPACED.test(text) && STARTS_UNSPACED.test(word) ? text + word : `${text} ${word}`,
      )
      .replace(SPACE_BEFORE_SIGN, "")
      // The engine was trained on Greek text that contains the micro sign instead of mu.
      .replace(/(?<=\p{Script=Greek})µ|µ(?=\p{Script=Greek})/gu, "μ")
  )
}

/**
 * Font sizes in pixels. Lower-case letters have the same height in lines with and without ascenders or descenders, so
 * their heights are compared; a word's size is usually the height of its row.
 */
function sizes(lines: readonly Line[]): (line: Line) => number {
  const ofWords = (measure: (line: Line) => number) =>
    median(lines.flatMap((line) => line.words.map(() => measure(line))))
  const usualLetters = ofWords(lettersOf)
  const usualRow = ofWords(({ rowAttributes }) => rowAttributes.rowHeight)
  return (line) => {
    const ratio = lettersOf(line) / usualLetters
    // Rounded to tenths, so that headings of the same kind have the same size.
    return usualRow * (Math.abs(ratio - 1) <= ONE_FONT ? 1 : Math.round(ratio * 10) / 10)
  }
}

const lettersOf = ({ rowAttributes: { rowHeight, ascenders, descenders } }: Line): number =>
  Math.max(1, rowHeight - ascenders - descenders)

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 1
