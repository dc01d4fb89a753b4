import { type Document, isNode, isScalar, LineCounter, parseDocument, visit, type YAMLError } from "yaml"

/** A position in a file, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A position at which the text isn't valid YAML. */
export interface Slip {
  readonly place: Place
  readonly text: string
}

/** Text parsed as YAML; `slips` is empty if all of it is valid. */
export interface ReadYaml {
  readonly document: Document.Parsed
  readonly slips: readonly Slip[]
  /** The place of the character at `offset`, counted from 0. */
  readonly placeOf: (offset: number) => Place
}

/** Maximum number of slips repaired in one pass. */
const MOST_MENDED = 100
/** Errors that don't affect the text after them; after any other error, the rest of the file is misread. */
const HARMLESS = new Set(["DUPLICATE_KEY", "BAD_SCALAR_START"])
/** A secret without quotes; inside braces, YAML reads it as another nested map. */
const UNQUOTED_SECRET = /(?<!["'\w$])\$\{(\w+)\}/g

/**
 * Reads text as YAML 1.2. A single slip makes a parser misread everything after it, so only the first slip is reported,
 * and later ones only if they are certain. Text after a `${NAME}` without quotes is read as if the quotes were there.
 */
export function readYaml(text: string): ReadYaml {
  const found = new Map<number, Slip>()
  let left = text
  for (let round = 0; ; round++) {
    const counter = new LineCounter()
    const document = parseDocument(left, { lineCounter: counter, prettyErrors: false, merge: true })
    const placeOf = (offset: number): Place => {
      const { line, col } = counter.linePos(offset)
      return { line, column: col }
    }
    const errors = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0])
    const first = errors.find(({ code }) => !HARMLESS.has(code))
    const mended = first && round < MOST_MENDED ? withoutUnquotedSecrets(left, first.pos[0]) : null
    if (mended) {
      for (const { at, secret } of mended.found)
        found.set(at, { place: placeOf(at), text: `${secret} must be in quotes: "${secret}"` })
      // The replacement has the same length, so that all positions are still correct.
      left = mended.text
      continue
    }
    for (const error of errors) {
      if (!first || error === first || (error.pos[0] < first.pos[0] && HARMLESS.has(error.code))) {
        const at = startOf(error, document)
        if (!found.has(at)) found.set(at, { place: placeOf(at), text: meaningOf(error, left, at) })
      }
    }
    if (!first) {
      visit(document, {
        Alias(_, alias) {
          const at = alias.range?.[0] ?? 0
          if (alias.resolve(document)) return
          found.set(at, {
            place: placeOf(at),
            text: `*${alias.source} must be in quotes, because it begins with *`,
          })
        },
      })
    }
    const slips = [...found].sort(([a], [b]) => a - b).map(([, slip]) => slip)
    return { document, slips, placeOf }
  }
}

/** The unquoted secrets in the line of an error, and the text with plain words in their place; `null` if there are none. */
function withoutUnquotedSecrets(text: string, error: number) {
  const start = text.lastIndexOf("\n", error - 1) + 1
  const end = text.indexOf("\n", error)
  const line = text.slice(start, end === -1 ? undefined : end)
  const found: { readonly at: number; readonly secret: string }[] = []
  const mended = line.replace(UNQUOTED_SECRET, (secret, name: string, at: number) => {
    found.push({ at: start + at, secret })
    return `$_${name}_`
  })
  return found.length === 0
    ? null
    : { found, text: text.slice(0, start) + mended + text.slice(start + line.length) }
}

/** The place where a person would look: an unclosed quote is reported where it opens. */
function startOf({ code, message, pos }: YAMLError, document: Document): number {
  let start = pos[0]
  if (code === "MISSING_CHAR" && message.includes("quote")) {
    visit(document, {
      Scalar(_, { type, range }) {
        if (type?.startsWith("QUOTE") && range && range[0] < pos[0] && range[1] >= pos[0] - 1)
          start = range[0]
      },
    })
  }
  return start
}

function meaningOf({ code, message }: YAMLError, text: string, at: number): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "is indented with a tab; YAML allows only spaces"
    case "DUPLICATE_KEY":
      return `${/^["']?[^:\s"']+/.exec(text.slice(at))?.[0] ?? "a field"} appears twice in one group`
    case "MULTIPLE_DOCS":
      return "begins a second document with ---, but a sources file has only one"
    case "BAD_SCALAR_START":
      return `text that begins with ${text[at]} must be in quotes`
    case "BLOCK_AS_IMPLICIT_KEY":
      return 'either this line or the next has the wrong indentation, or text that contains ": " isn\'t in quotes'
    case "BAD_INDENT":
    case "MULTILINE_IMPLICIT_KEY":
      return "is indented differently from the lines it belongs to"
    case "MISSING_CHAR":
      if (message.includes("quote")) return `text that begins with ${text[at]} here is never closed`
      break
    default:
  }
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n", 1)[0] ?? ""
  const hint = /[*{}[\]#&]/.test(line) ? '; text that contains *, { or [ may need quotes, as in "*.pdf"' : ""
  return `isn't valid YAML: ${message}${hint}`
}

/** The place of a field: its value if that is on one line, otherwise its name; `null` if the field is missing. */
export function placeAt(
  { document, placeOf }: Pick<ReadYaml, "document" | "placeOf">,
  path: readonly (string | number)[],
): Place | null {
  const node = document.getIn(path, true)
  if (node === undefined) return null
  const range = isNode(node) ? node.range : null
  if (isScalar(node) && range && node.value !== null) return placeOf(range[0])
  const name = path.at(-1)
  const parent = document.getIn(path.slice(0, -1), true)
  const items = (parent as { items?: readonly unknown[] } | undefined)?.items ?? []
  for (const item of typeof name === "string" ? items : []) {
    const key = (item as { key?: unknown }).key
    if (isScalar(key) && key.value === name && key.range) return placeOf(key.range[0])
  }
  return range ? placeOf(range[0]) : null
}
