/** A piece of SQL. */
export interface Token {
  /** Blanks and comments in front of it. */
  readonly before: string
  readonly text: string
  /** Of a keyword or a bare name, in lower case; null of anything else. */
  readonly word: string | null
}

export const STATEMENT_END = ";"

/** Blanks and comments; then text in quotes, a name in quotes, a word, a number, a parameter, or a sign. */
const TOKEN =
  /((?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*)(x'[0-9a-f]*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[a-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\?\d*|\|\||<>|<=|>=|[\s\S])/giy

/** All pieces of a text of SQL. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let found = TOKEN.exec(sql); found !== null; found = TOKEN.exec(sql)) {
    const [, before = "", text = ""] = found
    tokens.push({
      before,
      text,
      word: /^[a-z_]/i.test(text) && !text.endsWith("'") ? text.toLowerCase() : null,
    })
  }
  return tokens
}
