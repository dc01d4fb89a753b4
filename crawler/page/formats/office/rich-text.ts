import { isOneColor, LEAST_POINTS, PAPER, sheetColor } from "./cell-ink.ts"

/** Text made of one or several runs (ECMA-376 part 1 §18.4). */
export interface RichText {
  readonly whole: string
  /** The text without its white runs: the part that is visible on paper. */
  readonly onPaper: string
}

/** Assembles a text from its runs, both for shared strings and for text inside a cell. */
export class RichTextReader {
  #whole = ""
  #onPaper = ""
  #isWhite = false
  #isTiny = false
  #isReading = false

  start(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "r") this.#isWhite = this.#isTiny = false
    else if (name === "color") this.#isWhite = isOneColor(sheetColor(attributes), PAPER)
    else if (name === "sz") this.#isTiny = Number(attributes["val"]) < LEAST_POINTS
    // The readings (phonetic guides) of East Asian words are stored beside the words.
    else if (name === "rPh") this.#isReading = true
  }

  end(name: string, piece: string): void {
    if (name === "rPh") this.#isReading = false
    if (name !== "t" || this.#isReading || this.#isTiny) return
    this.#whole += piece
    if (!this.#isWhite) this.#onPaper += piece
  }

  /** The text read since the last call. */
  take(): RichText {
    const text = { whole: this.#whole, onPaper: this.#onPaper }
    this.#whole = this.#onPaper = ""
    this.#isWhite = this.#isTiny = this.#isReading = false
    return text
  }
}
