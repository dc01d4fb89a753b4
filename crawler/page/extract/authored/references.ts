const DEFINITION =
  /^ {0,3}\[([^\]^\n][^\]\n]{0,300})\]:[ \t]*<?([^\s<>]{1,2000})>?(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$/
/** Matches `[text][label]`, `[label][]` or `[label]`. */
const REFERENCE =
  /(?<![\\\]])\[((?:[^[\]\n\\]|\\.|!?\[[^[\]\n]{0,300}\](?:\([^()\n]{0,500}\)|\[[^[\]\n]{0,100}\])?){1,600})\](?:\[([^[\]\n]{0,300})\])?(?![([:])/g
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/

export type Definitions = ReadonlyMap<string, string>

const nameOf = (label: string): string => label.toLowerCase().replace(/\s+/g, " ").trim()

/** Whether a line only defines the address of a label. */
export const isDefinition = (line: string): boolean => DEFINITION.test(line)

/** The addresses of reference links, from anywhere in the text (CommonMark §4.7). */
export function definitionsOf(lines: readonly string[]): Definitions {
  const found = new Map<string, string>()
  let isCode = false
  for (const line of lines) {
    if (FENCE.test(line)) isCode = !isCode
    const [, label, address] = isCode ? [] : (DEFINITION.exec(line) ?? [])
    if (label !== undefined && !found.has(nameOf(label))) found.set(nameOf(label), address!)
  }
  return found
}

/** A line with the addresses of its reference links filled in. */
export function resolved(line: string, definitions: Definitions): string {
  if (definitions.size === 0 || !line.includes("[")) return line
  return line.replace(REFERENCE, (all, text: string, label?: string) => {
    const address = definitions.get(nameOf(label === undefined || label === "" ? text : label))
    return address === undefined ? all : `[${text}](${address})`
  })
}
