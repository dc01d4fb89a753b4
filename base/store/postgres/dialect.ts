import { STATEMENT_END, textOf, type Token, tokensOf } from "./sql-tokens.ts"
import { NO_TURN, SKIP_LOCKED } from "../state-port.ts"
import { triggerSql } from "./triggers.ts"

// What is written for SQLite, in the words of PostgreSQL. The one place that knows both: statements elsewhere keep to what stands
// here and to what both understand. sqlite-functions.ts makes those functions that PostgreSQL lacks.

/** Types of columns. Text compares by its bytes, as SQLite's does. */
const TYPES: Readonly<Record<string, string>> = {
  integer: "bigint",
  real: "double precision",
  blob: "bytea",
  text: `text collate "C"`,
}
/** Names of tables and columns that PostgreSQL would take for words of its own, and SQLite does not: all there are, but those of types. */
const RESERVED = new Set(
  (
    "analyse any array asymmetric authorization binary both collation concurrently freeze grant lateral leading only overlaps " +
    "placing similar some symmetric tablesample trailing user variadic verbose"
  ).split(" "),
)
/** Functions of the same meaning, or of sqlite-functions.ts under a name that is free. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  json_array: "json_build_array",
  json_object: "json_build_object",
  unixepoch: "unix_seconds",
}
/** Others that it has other words for. */
const WORDS: Readonly<Record<string, string>> = { like: "ilike", integer: "bigint" }
const BLOB = /^x'/i
/** Words behind which `is` has its meaning of the standard. */
const STANDARD_IS = new Set(["null", "true", "false", "distinct"])

/** What a statement is to the connection that runs it. */
export interface Translated {
  readonly sql: string
  /** It changes rows or tables, and so waits for its turn among writers. */
  readonly writes: boolean
  /** For each `$n` the place of its value among those of the caller. */
  readonly places: readonly number[]
}

/** One statement for PostgreSQL, with `$1` for `?`. */
export const translate = (sql: string): Translated => translated(tokensOf(sql))

/** The statements of a script, each as it stands in SQLite. A trigger's statements are its own. */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let now: Token[] = []
  let depth = 0
  const end = () => {
    const text = textOf(now)
    if (text !== "") statements.push(text)
    now = []
  }
  for (const token of tokensOf(script)) {
    if (isTrigger(now)) {
      if (token.word === "begin" || token.word === "case") depth += 1
      if (token.word === "end") depth -= 1
    }
    if (token.text === STATEMENT_END && depth === 0) end()
    else now.push(token)
  }
  end()
  return statements
}

/** The word of a token, also where there is none. */
const wordAt = (tokens: readonly Token[], at: number): string => tokens[at]?.word ?? ""
const textAt = (tokens: readonly Token[], at: number): string | undefined => tokens[at]?.text
/** What is said instead of a token, in words of PostgreSQL. */
const instead = (token: Token, text: string): Token => ({ ...token, text, word: "" })

const isTrigger = (tokens: readonly Token[]): boolean =>
  wordAt(tokens, 0) === "create" && wordAt(tokens, 1) === "trigger"

function translated(tokens: readonly Token[]): Translated {
  if (isTrigger(tokens))
    return { sql: triggerSql(tokens, (body) => translated(body).sql), writes: true, places: [] }
  const first = wordAt(tokens, 0)
  const places: number[] = []
  const list = ownColumns(insertOrIgnore(columnTypes(namedTables(numbered(tokens, places)))))
  const sql = textOf(comparisons(list).map((token, at, all) => inWords(token, textAt(all, at + 1))))
  const hasNoTurn = sql.includes(SKIP_LOCKED) || sql.includes(NO_TURN)
  const isRead = first === "select" || (first === "with" && !list.some(({ word }) => CHANGES.has(word)))
  return {
    sql: sql.replace(SKIP_LOCKED, "for update skip locked"),
    places,
    writes: !hasNoTurn && !isRead,
  }
}

const CHANGES = new Set(["insert", "update", "delete"])

/**
 * `?` and `?2` as `$1`, `$2` and so on, each with a number of its own: PostgreSQL takes the type of a parameter from where it stands,
 * and one value may stand beside texts and numbers. Asked whether it is null it stands beside nothing, and counts as text.
 */
function numbered(tokens: readonly Token[], places: number[]): Token[] {
  let last = 0
  return tokens.map((token, at) => {
    if (!token.text.startsWith("?")) return token
    const number = token.text === "?" ? last + 1 : Number(token.text.slice(1))
    last = Math.max(last, number)
    places.push(number - 1)
    const asked = wordAt(tokens, wordAt(tokens, at + 2) === "not" ? at + 3 : at + 2)
    const isAskedForNull = wordAt(tokens, at + 1) === "is" && asked === "null"
    return { ...token, text: `$${places.length}${isAskedForNull ? "::text" : ""}` }
  })
}

/** What may stand behind a table which is a `select` in brackets, and is no name of it: a sign, or one of these. */
const NO_NAMES = new Set([
  "",
  "where",
  "group",
  "order",
  "limit",
  "on",
  "join",
  "left",
  "inner",
  "union",
  "having",
  "except",
  "intersect",
])

/** Gives a name to a `select` in brackets that stands for a table and has none, as PostgreSQL wants until its version 16. */
function namedTables(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  const open: boolean[] = []
  let names = 0
  for (const [at, token] of tokens.entries()) {
    found.push(token)
    const before = wordAt(tokens, at - 1)
    if (token.text === "(")
      open.push((before === "from" || before === "join") && wordAt(tokens, at + 1) === "select")
    if (token.text === ")" && open.pop() && NO_NAMES.has(wordAt(tokens, at + 1)))
      found.push(instead({ ...token, before: " " }, `as table_${++names}`))
  }
  return found
}

function inWords(token: Token, next: string | undefined): Token {
  const { text, word } = token
  if (BLOB.test(text)) return { ...token, text: `'\\${text.toLowerCase().replace("'", "")}` }
  const said = next === "(" ? FUNCTIONS[word] : undefined
  return { ...token, text: said ?? WORDS[word] ?? (RESERVED.has(word) ? `"${word}"` : text) }
}

/** `is` and `is not` between two values, which PostgreSQL has for null, true and false alone. */
function comparisons(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const isNot = wordAt(tokens, at + 1) === "not"
    if (token.word !== "is" || STANDARD_IS.has(wordAt(tokens, isNot ? at + 2 : at + 1))) {
      found.push(token)
      continue
    }
    found.push(instead(token, isNot ? "is distinct from" : "is not distinct from"))
    if (isNot) at += 1
  }
  return found
}

/** What SQLite alone says of a table, behind its columns. */
const OF_TABLES = new Set(["strict", "without", "rowid", ","])

/** Types of the columns of a table that is made or changed; what SQLite alone says of tables is left out. */
function columnTypes(tokens: readonly Token[]): Token[] {
  const table = wordAt(tokens, 1) === "temp" ? 2 : 1
  // A table that is made of a `select` has its columns from there.
  if (wordAt(tokens, table) !== "table" || wordAt(tokens, table + 2) === "as") return [...tokens]
  const found: Token[] = []
  let depth = 0
  /** Words since the beginning of what may be a column; the second one is its type. */
  let place = Number.NaN
  for (const [at, token] of tokens.entries()) {
    const { text, word } = token
    if (text === "(") depth += 1
    if (text === ")") depth -= 1
    if ((depth === 0 && OF_TABLES.has(text)) || word === "autoincrement") continue
    place = text === "(" || text === "," || word === "column" ? 0 : place + 1
    const type = place === 2 ? TYPES[word] : undefined
    if (type === undefined) found.push(token)
    else if (word === "integer" && wordAt(tokens, at + 1) === "primary")
      found.push(instead(token, "bigint generated by default as identity"))
    else found.push(instead(token, type))
  }
  return found
}

/** `insert or ignore` as `on conflict do nothing`. */
function insertOrIgnore(tokens: readonly Token[]): Token[] {
  const or = tokens.findIndex(({ word }, at) => word === "or" && wordAt(tokens, at - 1) === "insert")
  if (or === -1) return [...tokens]
  if (wordAt(tokens, or + 1) !== "ignore") throw new Error(`Not for both stores: ${textOf(tokens)}`)
  const rest = tokens.toSpliced(or, 2)
  const returning = rest.findIndex(({ word }) => word === "returning")
  return rest.toSpliced(returning === -1 ? rest.length : returning, 0, ...tokensOf(" on conflict do nothing"))
}

/**
 * `on conflict … do update set n = n + 1`: the second `n` is the table's, which PostgreSQL wants to be told. Of the columns that
 * such a clause sets, those that it reads are written with their table.
 */
function ownColumns(tokens: readonly Token[]): Token[] {
  const from = tokens.findIndex(({ word }) => word === "do")
  if (from === -1) return [...tokens]
  const table = textAt(tokens, tokens.findIndex(({ word }) => word === "into") + 1)
  const end = tokens.findIndex(({ word }) => word === "returning")
  const until = end === -1 ? tokens.length : end
  const clause = tokens.slice(from, until)
  const isSet = (at: number) => wordAt(clause, at - 1) === "set" || isComma(clause, at - 1)
  const columns = clause.filter(({ word }, at) => word !== "" && isSet(at)).map(({ word }) => word)
  const own = clause.map((token, at) => {
    const isOfTable = [textAt(clause, at - 1), textAt(clause, at + 1)].includes(".")
    const isRead = columns.includes(token.word) && !isSet(at) && !isOfTable
    return isRead ? instead(token, `${table}.${token.text}`) : token
  })
  return [...tokens.slice(0, from), ...own, ...tokens.slice(until)]
}

/** Whether the comma at `place` stands between two assignments, and not within a call. */
function isComma(tokens: readonly Token[], place: number): boolean {
  const before = tokens.slice(0, place)
  const opened = before.filter(({ text }) => text === "(")
  const closed = before.filter(({ text }) => text === ")")
  return textAt(tokens, place) === "," && opened.length === closed.length
}
