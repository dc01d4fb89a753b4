import { printableLine } from "#base/text/printable.ts"
import { clearLine } from "#base/process/safe-output.ts"
import { steadyNow } from "#base/steady-time.ts"
const LINE_EVERY_MS = 5000
const REDRAW_MS = 200

/** A command's progress on stderr: on a terminal, one line that is updated; elsewhere, an occasional line. */
export class CommandProgress {
  readonly #every = process.stderr.isTTY ? REDRAW_MS : LINE_EVERY_MS
  #shownAt = steadyNow()
  #isOpen = false

  /** Prints the text, unless a text was printed a moment ago. */
  show(text: () => string): void {
    if (steadyNow() - this.#shownAt < this.#every) return
    this.#shownAt = steadyNow()
    if (process.stderr.isTTY) {
      clearLine(process.stderr)
      process.stderr.write(printableLine(text()).slice(0, Math.max(20, process.stderr.columns - 1)))
      this.#isOpen = true
    } else {
      process.stderr.write(`${text()}\n`)
    }
  }

  /** Writes a line that isn't overwritten. */
  say(text: string): void {
    if (this.#isOpen) clearLine(process.stderr)
    process.stderr.write(`${text}\n`)
    this.#isOpen = false
  }
}

/** `1.5 GB` */
export function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
  ] as const) {
    if (bytes >= size) return `${(bytes / size).toFixed(bytes >= 100 * size ? 0 : 1)} ${unit}`
  }
  return `${bytes} bytes`
}

/** `1 page`, `12 pages` */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** `, about 40 s left`; empty while the time can't be estimated. */
export function timeLeft(done: number, all: number, sinceMs: number): string {
  const tookMs = steadyNow() - sinceMs
  return done > 0 && all > done ? `, about ${Math.ceil(((all - done) * tookMs) / done / 1000)} s left` : ""
}
