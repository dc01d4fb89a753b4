import { STATEMENT_END, type Token, tokensOf } from "./sql-tokens.ts"
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

const known = new Map<string, Translated>()
/** Statements are few, and each is written in the program once; a list of other texts would be a leak. */
const MOST_KNOWN = 4000

/** One statement for PostgreSQL, with `$1` for `?`. */
export function translate(sql: string): Translated {
  let found = known.get(sql)
  if (found === undefined) {
    if (known.size >= MOST_KNOWN) known.clear()
    found = translated(tokensOf(sql))
    known.set(sql, found)
  }
  return found
}

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

const isTrigger = ([create, trigger]: readonly Token[]): boolean =>
  create?.word === "create" && trigger?.word === "trigger"

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ before, text }) => before + text)
    .join("")
    .trim()

function translated(tokens: readonly Token[]): Translated {
  if (isTrigger(tokens))
    return { sql: triggerSql(tokens, (body) => translated(body).sql), writes: true, places: [] }
  const first = tokens[0]?.word ?? ""
  const places: number[] = []
  let list = namedTables(numbered(tokens, places))
  if (first === "create" || first === "alter") list = columnTypes(list)
  list = insertOrIgnore(list)
  list = ownColumns(list)
  const sql = textOf(comparisons(list).map((token, at, all) => inWords(token, all[at + 1])))
  const takesRows = sql.includes(SKIP_LOCKED)
  const hasNoTurn = takesRows || sql.includes(NO_TURN)
  return {
    sql: takesRows ? sql.replace(SKIP_LOCKED, "for update skip locked") : sql,
    places,
    writes:
      !hasNoTurn && first !== "select" && !(first === "with" && !list.some(({ word }) => isChange(word))),
  }
}

const isChange = (word: string | null): boolean => word === "insert" || word === "update" || word === "delete"

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
    const isAskedForNull =
      tokens[at + 1]?.word === "is" && tokens.slice(at + 2, at + 4).some(({ word }) => word === "null")
    return { ...token, text: `$${places.length}${isAskedForNull ? "::text" : ""}` }
  })
}

/** Words that may stand behind a table which is a `select` in brackets, and are no name of it. */
const NO_NAMES = new Set([
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
    const before = tokens[at - 1]?.word
    if (token.text === "(")
      open.push((before === "from" || before === "join") && tokens[at + 1]?.word === "select")
    if (token.text !== ")" || open.pop() !== true) continue
    const next = tokens[at + 1]
    if (next?.word == null || NO_NAMES.has(next.word))
      found.push({ before: " ", text: `as table_${++names}`, word: null })
  }
  return found
}

function inWords(token: Token, next: Token | undefined): Token {
  const { word } = token
  if (word === null)
    return BLOB.test(token.text)
      ? { ...token, text: `'\\${token.text.toLowerCase().replace("'", "")}` }
      : token
  if (next?.text === "(" && FUNCTIONS[word] !== undefined) return { ...token, text: FUNCTIONS[word] }
  if (word === "like") return { ...token, text: "ilike" }
  if (word === "integer") return { ...token, text: "bigint" }
  return RESERVED.has(word) ? { ...token, text: `"${word}"` } : token
}

/** `is` and `is not` between two values, which PostgreSQL has for null, true and false alone. */
function comparisons(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const isNot = tokens[at + 1]?.word === "not"
    if (token.word !== "is" || STANDARD_IS.has(tokens[isNot ? at + 2 : at + 1]?.word ?? "")) {
      found.push(token)
      continue
    }
    found.push({ ...token, text: isNot ? "is distinct from" : "is not distinct from", word: null })
    if (isNot) at += 1
  }
  return found
}

/** Types of the columns of a table that is made or changed; what SQLite alone says of tables is left out. */
function columnTypes(tokens: readonly Token[]): Token[] {
  const table = tokens.findIndex(({ word }, at) => at < 4 && word === "table")
  // A table that is made of a `select` has its columns from there.
  if (table < 0 || tokens[table + 2]?.word === "as") return [...tokens]
  const found: Token[] = []
  let depth = 0
  /** Words since the beginning of what may be a column; the second one is its type. */
  let place = tokens[0]?.word === "create" ? Number.NEGATIVE_INFINITY : Number.NaN
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const next = tokens[at + 1]
    if (token.text === "(") depth += 1
    if (token.text === ")") depth -= 1
    if (depth === 0 && token.word === "strict") continue
    if (depth === 0 && token.word === "without" && next?.word === "rowid") {
      at += 1
      continue
    }
    if (depth === 0 && token.text === ",") continue
    const begins =
      (depth === 1 && (token.text === "(" || token.text === ",") && tokens[0]?.word === "create") ||
      (token.word === "column" && tokens[at - 1]?.word === "add")
    if (begins) {
      place = 0
      found.push(token)
      continue
    }
    place += 1
    const type = place === 2 && token.word !== null ? TYPES[token.word] : undefined
    if (type === undefined) {
      if (token.word !== "autoincrement") found.push(token)
    } else if (token.word === "integer" && next?.word === "primary" && tokens[at + 2]?.word === "key") {
      found.push({ ...token, text: "bigint generated by default as identity", word: null })
    } else found.push({ ...token, text: type, word: null })
  }
  return found
}

/** `insert or ignore` as `on conflict do nothing`. */
function insertOrIgnore(tokens: readonly Token[]): Token[] {
  const at = tokens.findIndex(({ word }, i) => word === "insert" && tokens[i + 1]?.word === "or")
  if (at < 0) return [...tokens]
  if (tokens[at + 2]?.word !== "ignore") throw new Error(`Not for both stores: ${textOf(tokens)}`)
  const rest = tokens.filter((_, i) => i !== at + 1 && i !== at + 2)
  const returning = rest.findIndex(({ word }) => word === "returning")
  const clause = tokensOf(" on conflict do nothing")
  return returning < 0
    ? [...rest, ...clause]
    : [...rest.slice(0, returning), ...clause, ...rest.slice(returning)]
}

/**
 * `on conflict … do update set n = n + 1`: the second `n` is the table's, which PostgreSQL wants to be told. Of the columns that
 * such a clause sets, those that it reads are written with their table.
 */
function ownColumns(tokens: readonly Token[]): Token[] {
  const into = tokens.findIndex(({ word }, i) => word === "into" && tokens[i - 1]?.word === "insert")
  const update = tokens.findIndex(({ word }, i) => word === "update" && tokens[i - 1]?.word === "do")
  if (into < 0 || update < 0) return [...tokens]
  const table = tokens[into + 1]!.text
  const end = tokens.findIndex(({ word }, i) => i > update && word === "returning")
  const last = end < 0 ? tokens.length : end
  const isSet = (i: number) =>
    tokens[i + 1]?.text === "=" && (tokens[i - 1]?.word === "set" || isComma(tokens, i - 1, update))
  const columns = new Set<string>()
  for (let i = update + 1; i < last; i++)
    if (tokens[i]!.word !== null && isSet(i)) columns.add(tokens[i]!.word!)
  return tokens.map((token, i) => {
    const isRead =
      i > update &&
      i < last &&
      token.word !== null &&
      columns.has(token.word) &&
      !isSet(i) &&
      tokens[i - 1]?.text !== "." &&
      tokens[i + 1]?.text !== "."
    return isRead ? { ...token, text: `${table}.${token.text}`, word: null } : token
  })
}

/** Whether the comma at `at` stands between two assignments, and not within a call. */
function isComma(tokens: readonly Token[], at: number, from: number): boolean {
  if (tokens[at]?.text !== ",") return false
  let depth = 0
  for (let i = from; i < at; i++) {
    if (tokens[i]!.text === "(") depth += 1
    if (tokens[i]!.text === ")") depth -= 1
  }
  return depth === 0
}
