/** The fields above a text, indexed by name in lower case, with each value as one line. */
export interface FrontMatter {
  readonly body: string
  readonly fields: ReadonlyMap<string, string>
}

const MAX_CHARS = 20_000
const YAML_KEY = /^([A-Za-z_][\w-]{0,30}):(?:[ \t]+(\S.*))?$/
const YAML_BLOCK = /^[|>][+-]?\d?$/
const YAML_ITEM = /^[ \t]*-[ \t]+(?:name:[ \t]*)?(\S.*)$/
const TOML_LINE = /^([A-Za-z_][\w-]{0,30})[ \t]*=[ \t]*(\S.*)$/

/**
 * The YAML between two `---` lines at the top, or the TOML between two `+++` lines. From YAML, strings, lists of
 * strings and folded strings are read; from TOML, the lines above the first table.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const none = { body: text, fields: new Map<string, string>() }
  const mark = /^(?:---|\+\+\+)(?=[ \t]*\n)/.exec(text)?.[0]
  if (mark === undefined) return none
  const start = text.indexOf("\n") + 1
  const end = text.indexOf(`\n${mark}`, start - 1)
  if (end === -1 || end - start > MAX_CHARS) return none
  const lines = text.slice(start, Math.max(start, end)).split("\n")
  const after = text.indexOf("\n", end + 1)
  const body = after === -1 ? "" : text.slice(after + 1)
  return { body, fields: mark === "---" ? yamlFields(lines) : tomlFields(lines) }
}

function yamlFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  // A YAML library for these few lines would cost each thread 20 ms and 14 MB.
  for (let at = 0; at < lines.length; at++) {
    const [, key, value = ""] = YAML_KEY.exec(lines[at]!.trimEnd()) ?? []
    if (key === undefined) continue
    const below: string[] = []
    while (at + 1 < lines.length && /^(?:[ \t]|-[ \t]|$)/.test(lines[at + 1]!)) below.push(lines[++at]!)
    const isText = value === "" || YAML_BLOCK.test(value)
    const items = below.flatMap((line) => YAML_ITEM.exec(line)?.[1] ?? [])
    const written =
      !isText && !value.startsWith("[")
        ? unquoted([value, ...below.map((line) => line.trim())].join(" ").trim())
        : value.startsWith("[")
          ? listed(value)
          : items.length > 0
            ? items.map(unquoted).join(", ")
            : YAML_BLOCK.test(value)
              ? below
                  .map((line) => line.trim())
                  .join(" ")
                  .trim()
              : ""
    if (written !== "") fields.set(key.toLowerCase(), written)
  }
  return fields
}

function tomlFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of lines) {
    if (line.startsWith("[")) break
    const [, key, value] = TOML_LINE.exec(line.trimEnd()) ?? []
    if (key !== undefined)
      fields.set(key.toLowerCase(), value!.startsWith("[") ? listed(value!) : unquoted(value!))
  }
  return fields
}

/** `[a, "b"]` as `a, b`. */
const listed = (value: string): string =>
  value
    .replace(/^\[|\]\s*$/g, "")
    .split(",")
    .map((item) => unquoted(item.trim()))
    .filter((item) => item !== "")
    .join(", ")

const unquoted = (value: string): string => value.replace(/^(["'])(.*)\1\s*$/, "$2").trim()
