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
const LONGEST_TARGET = 4_000
const PUNCTUATION = /[!-/:-@[-`{-~]/

/** What stands in the output for one mark of the source. */
interface Piece {
  text: string
}

/**
 * The words of inline markdown: emphasis, code and link marks, link targets and HTML tags are dropped, the texts
 * of links and images, code and escaped characters kept. Soft line breaks become spaces, hard ones stay.
 * What looks like a mark but closes nothing stays as written (`a * b`, `foo_bar`, `Vec<T>`).
 * One pass, each mark handled once (CommonMark §6, without reference links).
 */
export function plainInline(markdown: string): string {
  const pieces: Piece[] = []
  const emphasis: Record<string, Piece[]> = { "*": [], _: [], "~": [] }
  const brackets: Piece[] = []
  /** Lengths of backtick runs that nothing closes from here on. */
  const unclosed = new Set<number>()
  /** False once a comment was found that nothing closes. */
  let commentsEnd = true
  let at = 0
  const emit = (text: string): Piece => {
    const piece = { text }
    pieces.push(piece)
    return piece
  }

  while (at < markdown.length) {
    const from = at
    const char = markdown[at]!
    switch (char) {
      case "\\":
        if (markdown[at + 1] === "\n") emit("\n")
        else if (PUNCTUATION.test(markdown[at + 1] ?? "")) emit(markdown[at + 1]!)
        else {
          emit(char)
          at -= 1
        }
        at += 2
        break
      case "`": {
        const run = runLength(markdown, at)
        const end = unclosed.has(run) ? -1 : closingRun(markdown, at + run, run)
        if (end === -1) unclosed.add(run)
        const code = end === -1 ? "`".repeat(run) : markdown.slice(at + run, end)
        emit(end === -1 ? code : code.replace(/^ (.*) $/s, "$1").replaceAll("\n", " "))
        at = end === -1 ? at + run : end + run
        break
      }
      case "*":
      case "_":
      case "~": {
        const run = runLength(markdown, at)
        delimiter(markdown, at, run, emphasis[char]!, emit)
        at += run
        break
      }
      case "!":
        if (markdown[at + 1] === "[") {
          brackets.push(emit("!["))
          at += 2
        } else {
          emit(char)
          at++
        }
        break
      case "[":
        brackets.push(emit("["))
        at++
        break
      case "]": {
        const opening = brackets.pop()
        const end = opening && markdown[at + 1] === "(" ? targetEnd(markdown, at + 1) : -1
        if (opening && end !== -1) opening.text = opening.text === "![" ? " " : ""
        else emit(char)
        at = end === -1 ? at + 1 : end
        break
      }
      case "<": {
        const tag = matchAt(HTML_TAG, markdown, at)
        const link = tag ? null : matchAt(AUTOLINK, markdown, at)
        const comment = commentsEnd && markdown.startsWith("<!--", at) ? markdown.indexOf("-->", at + 4) : -1
        if (comment === -1 && markdown.startsWith("<!--", at)) commentsEnd = false
        if (tag) emit(/^<br/i.test(tag[0]) ? "\n" : " ")
        else if (link) emit(link[1]!)
        else if (comment === -1) emit(char)
        if (comment !== -1) at = comment + 3
        else at += (tag ?? link)?.[0].length ?? 1
        break
      }
      case "&": {
        const entity = matchAt(ENTITY, markdown, at)
        emit(entity ? decoded(entity) : char)
        at += entity?.[0].length ?? 1
        break
      }
      case "\n":
        emit(/ {2}$/.test(markdown.slice(Math.max(0, at - 2), at)) ? "\n" : " ")
        at++
        break
      default: {
        while (at < markdown.length && !"\\`*_~![]<&\n".includes(markdown[at]!)) at++
        emit(markdown.slice(from, at))
      }
    }
  }
  return squeezed(pieces.map((piece) => piece.text).join(""))
}

/** A run of `*`, `_` or `~`: closes what it can, else waits for a closer (CommonMark's flanking rules). */
function delimiter(
  text: string,
  at: number,
  run: number,
  open: Piece[],
  emit: (text: string) => Piece,
): void {
  const char = text[at]!
  const before = text[at - 1] ?? " "
  const after = text[at + run] ?? " "
  const left = !isSpace(after) && (!isMark(after) || isSpace(before) || isMark(before))
  const right = !isSpace(before) && (!isMark(before) || isSpace(after) || isMark(after))
  const opens = left && (char !== "_" || !right || isMark(before))
  const closes = right && (char !== "_" || !left || isMark(after))
  const mark = char.repeat(run)
  if (char === "~" && run !== 2) {
    emit(mark)
    return
  }
  let rest = run
  if (closes) {
    while (rest > 0 && open.length > 0) {
      const piece = open.at(-1)!
      // Within bold words a single star that could do both opens (CommonMark's rule of three).
      if (opens && (piece.text.length + run) % 3 === 0 && run % 3 !== 0) break
      const used = Math.min(rest, piece.text.length)
      piece.text = piece.text.slice(used)
      rest -= used
      if (piece.text === "") open.pop()
    }
  }
  const piece = emit(mark.slice(0, rest))
  if (rest > 0 && opens) open.push(piece)
}

const isSpace = (char: string) => /\s/.test(char)
const isMark = (char: string) => /[\p{P}\p{S}]/u.test(char)

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

/** Index after `(target "title")` that opens at `at`, or -1. */
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
  return text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n")
}
