/** A piece of SQL. */
export interface Token {
  /** Blanks and comments in front of it. */
  readonly before: string
  /** Empty behind blanks and comments at the end. */
  readonly text: string
  /** Of a keyword, a bare name or a number, in lower case; empty of anything else. */
  readonly word: string
}

export const STATEMENT_END = ";"

/** Blanks and comments; then text in quotes (with a quote in it, two), a name in quotes, a word, a parameter, a sign, or the end. */
const TOKEN = /((?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)*)(x?'[^']*'|"[^"]*"|(\w+)|\?\d*|\S|$)/giy

/** All pieces of a text of SQL. */
export const tokensOf = (sql: string): Token[] =>
  Array.from(sql.matchAll(TOKEN), ([, before, text, word = ""]) => ({
    before: before!,
    text: text!,
    word: word.toLowerCase(),
  })).filter(({ before, text }) => before + text !== "")

export const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ before, text }) => before + text)
    .join("")
    .trim()
