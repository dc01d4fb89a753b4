import { anyPattern, PatternError } from "./patterns.ts"

/** Maximum total size of all patterns in a list, in steps of the compiled programs. */
const MAX_STEPS = 50_000

/**
 * A test that passes if any pattern matches an address.
 * - `re:` and a regular expression (RE2): found anywhere in the address.
 * - With `://`: the whole address; http and https count as one. `https://docs.example.com/v2/**`.
 * - Beginning with `/`: the path. `/docs/**`, `/blog/*.html`. With a `?`: path and query. `/list?*page=*`.
 * - Without `/`: the last part of the path, in upper or lower case. `*.pdf`, `draft-*`.
 *
 * `*` stands for any characters but `/`, or after a `?` for any characters at all; `**` for any characters; `{a,b}` for
 * either. A folder followed by `/**` is that folder and everything below it. All other characters match themselves.
 * @throws PatternError
 */
export function addressPatterns(field: string, patterns: readonly string[]): (url: string) => boolean {
  const expressions = patterns.map((pattern) =>
    pattern.startsWith("re:") ? pattern.slice(3) : globExpression(field, pattern),
  )
  return anyPattern(field, expressions, MAX_STEPS)
}

/** @throws PatternError */
function globExpression(field: string, pattern: string): string {
  const address = /^https?:\/\/([^/?]*)(.*)$/is.exec(pattern)
  if (address) {
    const [, host = "", rest = ""] = address
    return `^https?://${translated(field, host.toLowerCase(), pattern)}${onPath(field, rest === "" ? "/**" : rest, pattern)}`
  }
  if (pattern.startsWith("/")) return `^https?://[^/]*${onPath(field, pattern, pattern)}`
  if (pattern.includes("/")) {
    throw new PatternError(
      field,
      `${JSON.stringify(pattern)} must begin with "/" (a path), "https://" (an address) or "re:" (a regular expression), or contain no "/" (a file name).`,
    )
  }
  return `^(?i:https?://[^?]*/${translated(field, pattern, pattern)}(?:\\?.*)?)$`
}

function onPath(field: string, path: string, pattern: string): string {
  const query = path.indexOf("?")
  if (query !== -1) {
    const wanted = translated(field, path.slice(query + 1).replace(/\*+/g, "**"), pattern)
    return `${translated(field, path.slice(0, query), pattern)}\\?${wanted}$`
  }
  const folder = path.endsWith("/**") ? path.slice(0, -3) : null
  return folder === null
    ? `${translated(field, path, pattern)}(?:\\?.*)?$`
    : `${translated(field, folder, pattern)}(?:[/?].*)?$`
}

function translated(field: string, glob: string, pattern: string): string {
  let expression = ""
  let braces = 0
  for (const [part] of glob.matchAll(/\/\*\*(?=\/)|\*\*|\*|[{},]|[^*{},/]+|\//gs)) {
    if (part === "/**") expression += "(?:/.*)?"
    else if (part === "**") expression += ".*"
    else if (part === "*") expression += "[^/?]*"
    else if (part === "{") {
      braces += 1
      expression += "(?:"
    } else if (part === "}" && braces > 0) {
      braces -= 1
      expression += ")"
    } else if (part === "," && braces > 0) expression += "|"
    else expression += literal(part)
  }
  if (braces > 0) throw new PatternError(field, `${JSON.stringify(pattern)} has a "{" without a "}".`)
  return expression
}

/** Text in the form used in addresses: spaces and non-ASCII characters are percent-encoded. */
function literal(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part))
    .replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)
}
