import { formulaEnd } from "./formula-end.ts"

const HTML_TAG =
  /<\/?(?:a|abbr|b|blockquote|br|button|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|input|ins|kbd|li|mark|ol|p|picture|pre|q|s|section|small|source|span|strong|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|u|ul|var|video)(?:\s[^<>]{0,2000})?\/?>/iy
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>/iy
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/iy
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
}
/** A character that may begin something other than words. */
const MARK = /[\\`*_~![\]<&$\n]/g
/** White space that {@link squeezed} changes: anything but single spaces and line breaks between words. */
const LOOSE_SPACE = /^\s|\s$|\s{2}|[^\S\n ]/
const LONGEST_TARGET = 4_000
const PUNCTUATION = /[!-/:-@[-`{-~]/

/** The output for one mark of the source. */
interface Piece {
  text: string
}

/**
 * The words of inline markdown: emphasis, code and link marks, link targets and HTML tags are dropped, the texts of links and
 * images, code and escaped characters kept. Soft line breaks become spaces, hard ones stay. Text that looks like a mark but
 * closes nothing stays as written (`a * b`, `foo_bar`, `Vec<T>`). One pass, each mark handled once (CommonMark §6, without
 * reference links).
 */
export function plainInline(markdown: string): string {
  return markEnd(markdown, 0) === markdown.length ? squeezed(markdown) : new InlineReader(markdown).read()
}

class InlineReader {
  readonly #text: string
  #at = 0
  readonly #pieces: Piece[] = []
  /** Runs of each mark that are still open. */
  readonly #emphasis: Record<string, Piece[]> = { "*": [], _: [], "~": [] }
  readonly #brackets: Piece[] = []
  /** Lengths of backtick runs that nothing closes from here on. */
  readonly #unclosed = new Set<number>()
  /** False once an unclosed comment has been found. */
  #commentsEnd = true

  constructor(text: string) {
    this.#text = text
  }

  read(): string {
    while (this.#at < this.#text.length) this.#readNext()
    return squeezed(this.#pieces.map((piece) => piece.text).join(""))
  }

  #readNext(): void {
    const char = this.#text[this.#at]!
    switch (char) {
      case "\\":
        return this.#readEscape()
      case "`":
        return this.#readCode()
      case "$": {
        const end = Math.max(this.#at + 1, formulaEnd(this.#text, this.#at))
        return this.#emit(this.#text.slice(this.#at, end), end - this.#at)
      }
      case "*":
      case "_":
      case "~":
        return this.#readDelimiters(char)
      case "!":
        return this.#text[this.#at + 1] === "[" ? this.#openBracket("![") : this.#emit(char, 1)
      case "[":
        return this.#openBracket("[")
      case "]":
        return this.#closeBracket()
      case "<":
        return this.#readAngle()
      case "&": {
        const entity = matchAt(ENTITY, this.#text, this.#at)
        return entity ? this.#emit(decoded(entity), entity[0].length) : this.#emit(char, 1)
      }
      case "\n": {
        const isHard = this.#text.endsWith("  ", this.#at)
        return this.#emit(isHard ? "\n" : " ", 1)
      }
      default:
        return this.#readWords()
    }
  }

  /** Writes `text` for the next `length` characters of the source. */
  #emit(text: string, length: number): void {
    this.#pieces.push({ text })
    this.#at += length
  }

  #readWords(): void {
    const end = markEnd(this.#text, this.#at)
    this.#emit(this.#text.slice(this.#at, end), end - this.#at)
  }

  #readEscape(): void {
    const next = this.#text[this.#at + 1] ?? ""
    if (next === "\n" || PUNCTUATION.test(next)) this.#emit(next, 2)
    else this.#emit("\\", 1)
  }

  #readCode(): void {
    const from = this.#at
    const run = runLength(this.#text, from)
    const end = this.#unclosed.has(run) ? -1 : closingRun(this.#text, from + run, run)
    if (end === -1) {
      this.#unclosed.add(run)
      this.#emit("`".repeat(run), run)
    } else {
      const code = this.#text.slice(from + run, end)
      this.#emit(code.replace(/^ (.*) $/s, "$1").replaceAll("\n", " "), end + run - from)
    }
  }

  #openBracket(mark: "[" | "!["): void {
    this.#emit(mark, mark.length)
    this.#brackets.push(this.#pieces.at(-1)!)
  }

  #closeBracket(): void {
    const opening = this.#brackets.pop()
    const end = opening && this.#text[this.#at + 1] === "(" ? targetEnd(this.#text, this.#at + 1) : -1
    if (opening && end !== -1) {
      opening.text = opening.text === "![" ? " " : ""
      this.#at = end
    } else this.#emit("]", 1)
  }

  /** A tag, an address in brackets, a comment, or none of these. */
  #readAngle(): void {
    const text = this.#text
    const tag = matchAt(HTML_TAG, text, this.#at)
    if (tag) return this.#emit(/^<br/i.test(tag[0]) ? "\n" : " ", tag[0].length)
    const link = matchAt(AUTOLINK, text, this.#at)
    if (link) return this.#emit(link[1]!, link[0].length)
    const isComment = this.#commentsEnd && text.startsWith("<!--", this.#at)
    const end = isComment ? text.indexOf("-->", this.#at + 4) : -1
    if (end !== -1) {
      this.#at = end + 3
      return
    }
    if (isComment) this.#commentsEnd = false
    this.#emit("<", 1)
  }

  /** A run of `*`, `_` or `~`: closes what it can, and otherwise stays open for a closer (CommonMark's flanking rules). */
  #readDelimiters(char: string): void {
    const run = runLength(this.#text, this.#at)
    const mark = char.repeat(run)
    if (char === "~" && run !== 2) return this.#emit(mark, run)
    const before = this.#text[this.#at - 1] ?? " "
    const after = this.#text[this.#at + run] ?? " "
    const left = !isSpace(after) && (!isMark(after) || isSpace(before) || isMark(before))
    const right = !isSpace(before) && (!isMark(before) || isSpace(after) || isMark(after))
    const opens = left && (char !== "_" || !right || isMark(before))
    const closes = right && (char !== "_" || !left || isMark(after))
    const open = this.#emphasis[char]!
    const rest = closes ? closed(open, run, opens) : run
    this.#emit(mark.slice(0, rest), run)
    if (rest > 0 && opens) open.push(this.#pieces.at(-1)!)
  }
}

/** Closes the last open runs with a run of this many marks. @returns how many of its marks are left over */
function closed(open: Piece[], run: number, opens: boolean): number {
  let rest = run
  while (rest > 0 && open.length > 0) {
    const piece = open.at(-1)!
    // Within bold text, a single star that could open or close opens (CommonMark's rule of three).
    if (opens && (piece.text.length + run) % 3 === 0 && run % 3 !== 0) break
    const used = Math.min(rest, piece.text.length)
    piece.text = piece.text.slice(used)
    rest -= used
    if (piece.text === "") open.pop()
  }
  return rest
}

const isSpace = (char: string) => /\s/.test(char)
const isMark = (char: string) => /[\p{P}\p{S}]/u.test(char)

/** The end index of the words that begin at `at`. */
function markEnd(text: string, at: number): number {
  MARK.lastIndex = at
  return MARK.test(text) ? MARK.lastIndex - 1 : text.length
}

function runLength(text: string, at: number): number {
  let end = at
  while (text[end] === text[at]) end++
  return end - at
}

function closingRun(text: string, from: number, run: number): number {
  for (let at = text.indexOf("`", from); at !== -1; at = text.indexOf("`", at)) {
    const length = runLength(text, at)
    if (length === run) return at
    at += length
  }
  return -1
}

/** Index after the `(target "title")` that opens at `at`, or -1. */
function targetEnd(text: string, at: number): number {
  let depth = 0
  const limit = Math.min(text.length, at + LONGEST_TARGET)
  for (let i = at; i < limit; i++) {
    const char = text[i]
    if (char === "\\") i++
    else if (char === "(") depth++
    else if (char === ")" && --depth === 0) return i + 1
  }
  return -1
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function decoded([all, decimal, hex, name]: RegExpExecArray): string {
  if (name) return ENTITIES[name.toLowerCase()]!
  const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16)
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : all
}

function squeezed(text: string): string {
  if (!LOOSE_SPACE.test(text)) return text
  return text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n")
}
