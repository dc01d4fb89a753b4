import type { Logger } from "pino"
import { steadyNow } from "#base/steady-time.ts"
import type { Recognition } from "../../page/scans/installed.ts"
import { readRecognised, type RecognisedPage } from "../../page/scans/recognised-page.ts"
import type { ScanShelf, WaitingScan } from "../../page/scans/scan-shelf.ts"
import { openPages, type Pages } from "./pages.ts"
import { Recogniser } from "./recogniser.ts"

/** How long one file is read before the next one gets a turn: enough for about a hundred pages. */
const TURN_MS = 300_000
/** A page is given up on after it has killed its process this many times. */
const MAX_TRIES = 3

export interface ReadScansOptions {
  readonly shelf: ScanShelf
  readonly recognition: Recognition
  /** Makes a page in the index due, so that its next visit finds the recognised text. */
  readonly makeDue: (wanted: WaitingScan["wanted"][number]) => Promise<unknown>
  /** Whether to stop now. Called after each page. */
  readonly isOver: () => boolean
  readonly log: Pick<Logger, "warn" | "info">
  readonly turnMs?: number
}

/** Recognises the text of all waiting scans, page by page, in turns. No page is recognised twice, even by another process. */
export async function readScans(options: ReadScansOptions): Promise<void> {
  const { shelf, recognition, isOver } = options
  using recogniser = await Recogniser.open(recognition)
  for (let hashes = shelf.allWaiting(); hashes.length > 0 && !isOver(); hashes = shelf.allWaiting())
    for (const hash of hashes) {
      if (isOver()) return
      const scan = shelf.waiting(hash)
      if (scan !== null) await turn(scan, recogniser, options)
    }
}

/** Reads one file until it is done or its turn is over, and makes its pages in the index due if they have new text. */
async function turn(
  { hash, pages }: WaitingScan,
  recogniser: Recogniser,
  { shelf, recognition, makeDue, isOver, log, turnMs = TURN_MS }: ReadScansOptions,
): Promise<void> {
  const until = steadyNow() + turnMs
  const known = readRecognised(shelf.textFile(hash))
  const left = pages.filter((page) => !known.has(page))
  const pictures = await opened(recognition, shelf.body(hash), (why) =>
    log.warn({ hash, why }, "a scan can't be rendered"),
  )
  using _ = pictures
  recogniser.forgetLanguage()
  let hasText = left.length < pages.length
  let done = 0
  for (const page of left) {
    const tries = await shelf.countTry(hash, page)
    const text =
      tries < MAX_TRIES ? await recognised(page, pictures, recogniser) : withoutText(page, "given up")
    await shelf.keep(hash, text)
    hasText ||= text.runs.length > 0
    done += 1
    if (isOver() || steadyNow() >= until) break
  }
  // Another address might have asked for this file in the meantime.
  const { wanted } = shelf.waiting(hash) ?? { wanted: [] }
  if (done === left.length) shelf.take(hash)
  log.info({ hash, pages: done, left: left.length - done }, "pages of a scan read: {pages}; left: {left}")
  // A file without text isn't worth a run, but the next run must see that it is no longer waiting.
  if (!hasText && done < left.length) return
  for (const one of wanted) {
    await makeDue(one)
    if (hasText) shelf.askForRun(one.source)
  }
}

async function recognised(
  page: number,
  pictures: Pages | null,
  recogniser: Recogniser,
): Promise<RecognisedPage> {
  try {
    return pictures === null
      ? withoutText(page, "not painted")
      : recogniser.read(await pictures.picture(page), page)
  } catch (error) {
    return withoutText(page, (error as Error).message)
  }
}

const withoutText = (page: number, by: string): RecognisedPage => ({
  page,
  width: 0,
  height: 0,
  runs: [],
  by,
})

async function opened(
  recognition: Recognition,
  body: Uint8Array,
  onProblem: (why: string) => void,
): Promise<Pages | null> {
  try {
    return await openPages(recognition, body)
  } catch (error) {
    onProblem((error as Error).message)
    return null
  }
}
