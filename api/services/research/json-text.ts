import { breather } from "#base/flow/breather.ts"

/** Maximum number of characters of names on one line: the names closest to the value are kept, because they say most about it. */
const MAX_NAMES_CHARS = 200
/**
 * Maximum number of characters of repeated names on all lines together, for each character of the file, in addition to
 * the file's own text. Ordinary files stay below 1: an npm lock file becomes 1.4 characters of text per character, and
 * nested records 1.3.
 */
const NAMES_PER_CHAR = 4
const NAMES_AT_LEAST = 10_000

/** A list or object whose values are being written. */
interface Open {
  readonly value: object
  /** Property names of an object; null for a list, whose names are its indexes. */
  readonly keys: readonly string[] | null
  readonly name: string
  readonly above: Open | null
  at: number
}

/**
 * Writes a line for each value of a JSON file of `chars` characters, preceded by the names on its path, so that
 * sentences in it can be found and cited. Names repeat on every line, so they are shortened to those closest to the
 * value, and left out once the file's share is used up. The text has at most 9 characters for each character of the
 * file, plus 10,000.
 */
export async function jsonAsText(value: unknown, chars: number): Promise<string> {
  if (!isNested(value)) return String(value)
  const breathe = breather()
  const lines: string[] = []
  let room = chars * NAMES_PER_CHAR + NAMES_AT_LEAST
  // Uses a list instead of recursion: a file may be nested deeper than the stack.
  for (let open: Open | null = opened(value, "", null); open;) {
    await breathe()
    const { keys, at } = open
    if (at === (keys ?? (open.value as readonly unknown[])).length) {
      open = open.above
      continue
    }
    open.at += 1
    const name = keys?.[at] ?? String(at)
    const one = (open.value as Readonly<Record<string, unknown>>)[name]
    if (isNested(one)) {
      open = opened(one, name, open)
      continue
    }
    const names = room > 0 ? `${namesOf(open, name)}: ` : ""
    room -= names.length
    lines.push(names + String(one))
  }
  return lines.join("\n\n")
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null

const opened = (value: object, name: string, above: Open | null): Open => ({
  value,
  keys: Array.isArray(value) ? null : Object.keys(value),
  name,
  above,
  at: 0,
})

/** The names closest to the value, outermost first. */
function namesOf(open: Open, name: string): string {
  const names = [name.slice(0, MAX_NAMES_CHARS)]
  let room = MAX_NAMES_CHARS - name.length
  for (let one: Open | null = open; one && one.above && one.name.length < room; one = one.above) {
    names.push(one.name)
    room -= one.name.length + 1
  }
  return names.reverse().join(" ")
}
