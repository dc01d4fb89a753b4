import type { Names } from "./rst-inline.ts"

const TARGET = /^[ \t]*\.\. _(?:`([^`\n]{1,200})`|([^:\n`\\]{1,200}(?:\\:[^:\n]{1,200})?)):[ \t]*(.*)$/
const ANONYMOUS = /^[ \t]*(?:\.\. __:|__)[ \t]+(\S.*)$/
const SUBSTITUTION = /^[ \t]*\.\. \|([^|\n]{1,100})\|[ \t]+(replace|unicode|image|date)::[ \t]*(.*)$/

/** The targets and substitutions of a whole document, from anywhere in it. */
export function namesOf(lines: readonly string[]): Names {
  const targets = new Map<string, string>()
  const anonymous: string[] = []
  const substitutions = new Map<string, string>()
  /** Names without an address share the address of the next one. */
  let waiting: string[] = []
  for (const [at, line] of lines.entries()) {
    const target = TARGET.exec(line)
    if (target !== null) {
      const name = (target[1] ?? target[2]!).replace(/\\(.)/g, "$1").toLowerCase().replace(/\s+/g, " ")
      const address = continued(target[3]!, lines, at).replace(/\s+/g, "")
      if (address === "") waiting.push(name)
      else for (const one of [...waiting, name]) targets.set(one, address)
      if (address !== "") waiting = []
      continue
    }
    if (line.trim() !== "") waiting = []
    const nameless = ANONYMOUS.exec(line)?.[1]
    if (nameless !== undefined) anonymous.push(nameless.trim())
    const [, name, kind, text = ""] = SUBSTITUTION.exec(line) ?? []
    if (name !== undefined)
      substitutions.set(name.toLowerCase(), substituted(kind!, continued(text, lines, at)))
  }
  // An address such as `other_` is the name of another target.
  for (const [name, address] of targets) {
    const other = /^`?(.*?)`?_$/.exec(address)?.[1]?.toLowerCase()
    const resolved = other === undefined ? undefined : targets.get(other)
    if (resolved !== undefined) targets.set(name, resolved)
  }
  return { targets, anonymous, substitutions }
}

/** A value with the indented lines below it. */
function continued(value: string, lines: readonly string[], at: number): string {
  const parts = [value]
  for (let next = at + 1; next < Math.min(lines.length, at + 20) && /^[ \t]+\S/.test(lines[next]!); next++) {
    if (/^[ \t]+:[\w-]+:/.test(lines[next]!) || /^[ \t]*\.\. /.test(lines[next]!)) break
    parts.push(lines[next]!.trim())
  }
  return parts.join(" ").trim()
}

function substituted(kind: string, text: string): string {
  if (kind === "replace") return text
  if (kind !== "unicode") return ""
  return text
    .split(/\s+\.\. /, 1)[0]!
    .split(/\s+/)
    .map((part) => {
      const code = /^(?:0x|x|\\x|U\+|u|\\u)([0-9a-f]{1,6})$/i.exec(part)?.[1]
      const number = code === undefined ? Number.NaN : Number.parseInt(code, 16)
      return number <= 0x10ffff ? String.fromCodePoint(number) : part
    })
    .join("")
}
