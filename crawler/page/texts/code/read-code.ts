import type { PageAnchor } from "#engine"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { endingOf, fileName } from "../../formats/unread-document.ts"
import type { DocumentText } from "../../formats/to-extracted.ts"
import { codeBlock } from "../markup/code-block.ts"
import { noteOfCut, readablePart } from "../lines.ts"
import { type Language, LANGUAGES } from "./languages.ts"
import { symbolsOf } from "./symbols.ts"

/**
 * Reads a source file: a heading for each symbol, such as `function parseUrl`, above the symbol's comment and code.
 * Each heading has the fragment for its line in the form that forges use: `L120`. Null if the language is unknown.
 */
export function readCode(text: string, url: string): DocumentText | null {
  const language = languageOf(url, text)
  if (language === null) return null
  const lines = readablePart(text).split("\n")
  const parts: string[] = []
  const anchors: PageAnchor[] = []
  let line = 0
  const add = (part: string) => {
    parts.push(part)
    line += part.split("\n").length + 1
  }
  const addCode = (from: number, to: number) => {
    const code = lines.slice(from, to).join("\n")
    if (code.trim() !== "") add(codeBlock(code, language.name))
  }
  const symbols = symbolsOf(lines, language)
  addCode(0, symbols[0]?.start ?? lines.length)
  for (const [at, { label, depth, line: declared, start }] of symbols.entries()) {
    anchors.push([line, `L${declared + 1}`])
    add(`${"#".repeat(Math.min(6, depth + 2))} ${escapeText(label)}`)
    addCode(start, symbols[at + 1]?.start ?? lines.length)
  }
  return {
    markdown: parts.join("\n\n"),
    anchors,
    prose: commentsOf(lines),
    isNamedByFile: true,
    isTitledByHeading: false,
    note: noteOfCut(text),
  }
}

/** The maximum length of the comments used to detect their language. */
const COMMENT_CHARS = 4000
const COMMENT = /^\s*(?:\/\/[/!]?|#+(?!!)|\/\*+|\*+(?!\/)|--|;+|"""|<!--)\s*(.*)$/

function commentsOf(lines: readonly string[]): string {
  let comments = ""
  for (const line of lines) {
    const text = COMMENT.exec(line)?.[1]
    // A comment that looks like code was commented out, or is an example, so it is not prose.
    if (text !== undefined && /^[\p{L}(]/u.test(text) && !/[{};=<>|]/.test(text)) comments += `${text}\n`
    if (comments.length > COMMENT_CHARS) break
  }
  return comments
}

const BY_ENDING = new Map(
  LANGUAGES.flatMap((language) => language.endings.map((ending) => [ending, language] as const)),
)
const BY_NAME = new Map(
  LANGUAGES.flatMap((language) => (language.fileNames ?? []).map((name) => [name, language] as const)),
)

/** The programming language, determined by the file name, or otherwise by the interpreter. */
function languageOf(url: string, text: string): Language | null {
  const name = fileName(url).toLowerCase()
  const program = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?([\w.-]{1,40})/
    .exec(text)?.[1]
    ?.replace(/[\d.]+$/, "")
  return (
    BY_NAME.get(name) ??
    BY_ENDING.get(endingOf(name)) ??
    LANGUAGES.find(({ programs = [] }) => program !== undefined && programs.includes(program)) ??
    null
  )
}
