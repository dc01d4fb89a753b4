import type { Language, SymbolForm } from "./languages.ts"

/** A symbol of a source file. Line numbers start at 0. */
export interface CodeSymbol {
  /** The symbol's label, such as `method Session.open`. */
  readonly label: string
  /** The number of containers that the symbol is in. */
  readonly depth: number
  /** The number of the line that declares the symbol. */
  readonly line: number
  /** The number of the first line that belongs to the symbol, such as the first line of its comment. */
  readonly start: number
}

/** Lines longer than this are data. */
const MAX_LINE_CHARS = 400
const MAX_SYMBOLS = 5000
const MAX_LINES_ABOVE = 200
const MAX_LABEL_CHARS = 150

/**
 * A C or C++ function that is not indented: a type, a name, the parameters, and no semicolon. The rest of its
 * parameters may be on the next lines.
 */
const C_FUNCTION =
  /^(?!(?:if|for|while|switch|else|return|do|case|typedef|using|namespace|extern\s+"|static_assert|template|#)\b)[A-Za-z_][\w\s:*&<>,~[\]]{0,200}?[\s*&](?<name>(?:[A-Za-z_]\w*(?:<[^()]{0,60}>)?::)*~?(?:operator\s*\S{1,3}|[A-Za-z_]\w*))\s*\((?![^;]*;)(?:[^;=]|[=!<>]=)*$/

const C_WITH_MACRO =
  /^(?!(?:if|for|while|switch|return)\b)[A-Za-z_]\w*\([^()]{1,100}\)\s*(?<name>[A-Za-z_]\w*)\s*\((?![^;]*;)[^;=]*$/

/** Preprocessor lines are not indented, however deeply the code around them is. */
const PREPROCESSED =
  /^\s*#\s*(?:if|ifdef|ifndef|else|elif|elseif|endif|pragma|region|endregion|define|undef|include|error|warning|line|nullable)\b/

/** Prefixes on the line of a symbol: a C++ template, an annotation, an attribute. */
const DECORATED =
  /^(\s*)(?:(?:template\s*<.{0,200}?>|@\w+(?:\([^()]{0,100}\))?|#?\[[^\]]{0,100}\])\s+(?=[A-Za-z_]))+/

interface Open {
  readonly column: number
  readonly isContainer: boolean
  readonly depth: number
}

/**
 * The symbols declared in the lines of a source file, in order. They are recognised by the form and indentation that
 * people and formatters use. Functions inside functions are left out.
 */
export function symbolsOf(lines: readonly string[], language: Language): CodeSymbol[] {
  const found: CodeSymbol[] = []
  const open: Open[] = []
  let quote: string | null = null
  for (const [at, line] of lines.entries()) {
    if (found.length >= MAX_SYMBOLS) break
    const wasQuoted = quote !== null
    quote = quoteAfter(line, quote, language)
    if (wasQuoted || line.trim() === "" || line.length > MAX_LINE_CHARS) continue
    const column = columnOf(line)
    const declared = line.replace(DECORATED, "$1")
    const isRest = /^\s*(?:[)\]{,|&?]|\}(?!\s*[;,)]*\s*$)|where\b|then\b|do\b)/.test(line)
    const isAbove = language.above.test(declared)
    // A symbol ends at its own closing bracket, or at any line that is not indented further than the symbol, except
    // comments and similar lines.
    if (!isRest && !isAbove && !PREPROCESSED.test(line))
      while (open.length > 0 && open.at(-1)!.column >= column) open.pop()
    if (isAbove && !/^\s*#\s*define/.test(line)) continue
    const parent = open.at(-1)
    if (parent !== undefined && !parent.isContainer) continue
    const symbol = declaredBy(declared, language, parent !== undefined)
    if (symbol === null) continue
    const depth = parent === undefined ? 0 : parent.depth + 1
    found.push({ label: symbol.label, depth, line: at, start: startOf(lines, at, language) })
    if (!isWholeIn(line)) open.push({ column, isContainer: symbol.form?.isContainer === true, depth })
  }
  return found
}

function declaredBy(
  line: string,
  language: Language,
  isInside: boolean,
): { readonly label: string; readonly form: SymbolForm | null } | null {
  for (const symbol of language.symbols) {
    if (symbol.isMember === true && !isInside) continue
    const groups = symbol.form().exec(line)?.groups
    if (groups === undefined) continue
    const kind = symbol.kind === "" ? (groups["kind"] ?? "").toLowerCase() : symbol.kind
    const isMethod = kind === "function" && isInside
    const name = unquoted(groups["name"] ?? "")
    const of = groups["of"] === undefined ? "" : `${groups["of"]}.`
    return { label: labelOf(isMethod ? "method" : kind, of + name), form: symbol }
  }
  if (language.isCLike !== true || /^\s/.test(line)) return null
  const name = (C_FUNCTION.exec(line) ?? C_WITH_MACRO.exec(line))?.groups?.["name"]
  return name === undefined ? null : { label: labelOf("function", name), form: null }
}

const labelOf = (kind: string, name: string): string =>
  `${kind} ${name}`.replace(/\s+/g, " ").slice(0, MAX_LABEL_CHARS).trim()

const unquoted = (name: string): string => name.replace(/["`[\]]/g, "")

/** Whether the declaration ends on its own line. */
const isWholeIn = (line: string): boolean => /[;}]\s*$/.test(line) && !/\{\s*$/.test(line)

/** The first line of the comment, the decorators and the attributes right above a line. */
function startOf(lines: readonly string[], at: number, { above }: Language): number {
  let start = at
  while (start > 0 && at - start < MAX_LINES_ABOVE && above.test(lines[start - 1]!)) start--
  // If there is a `#!` line, a comment at the start of the file is about the whole file.
  return start === 0 && lines[0]!.startsWith("#!") ? at : start
}

/** The mark that closes the string or comment still open at the end of a line; null if none is open. */
function quoteAfter(line: string, before: string | null, { quotes = [] }: Language): string | null {
  let quote = before
  let from = 0
  for (;;) {
    if (quote !== null) {
      const end = line.indexOf(quote, from)
      if (end === -1) return quote
      from = end + quote.length
      quote = null
    }
    let first = -1
    for (const [begin, end] of quotes) {
      const at = line.indexOf(begin, from)
      if (at === -1 || (first !== -1 && at >= first) || isInText(line, at, begin)) continue
      first = at
      quote = end
      from = at + begin.length
    }
    if (quote === null) return null
  }
}

/** Whether a comment's mark is inside a string or another comment: `"src/*"`, `// see /*`. */
const isInText = (line: string, at: number, begin: string): boolean =>
  begin === "/*" && (/\/\/|["'`]/.test(line.slice(0, at)) || /[\w*]/.test(line[at - 1] ?? ""))

function columnOf(line: string): number {
  let column = 0
  for (const sign of line) {
    if (sign === " ") column += 1
    else if (sign === "\t") column += 4
    else break
  }
  return column
}
