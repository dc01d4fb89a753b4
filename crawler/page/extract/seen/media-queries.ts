/** The result of a condition: true, false, or null if unknown. */
type Truth = boolean | null

/** The maximum nesting of conditions; no legitimate sheet goes deeper. */
const MAX_DEPTH = 8
const MAX_CHARS = 500

/**
 * Whether a media query (Media Queries 4) matches a screen window of this width. Unknown conditions match, unless they
 * are negated.
 */
export function matchesMedia(query: string, width: number): boolean {
  if (query.trim() === "") return true
  return parted(query.slice(0, MAX_CHARS).toLowerCase(), ",").some(
    (one) => isQuery(one.trim(), width) !== false,
  )
}

function isQuery(query: string, width: number): Truth {
  const [, turned, kind, rest] =
    /^(?:(not|only)\s+(?=[a-z]))?([a-z-]+)?(?:\s*and\s+)?([^]*)$/.exec(query) ?? []
  if (kind === undefined || kind === "not") return isCondition(query, width, 0)
  const isScreen = kind === "all" || kind === "screen"
  const held = both(isScreen, rest === undefined || rest === "" ? true : isCondition(rest, width, 0))
  return turned === "not" ? not(held) : held
}

/** The value of a condition, such as `(…) and (…)` or `not (…)`. */
function isCondition(text: string, width: number, depth: number): Truth {
  const condition = text.trim()
  if (depth > MAX_DEPTH) return null
  const turned = /^not\b\s*([^]*)$/.exec(condition)?.[1]
  if (turned !== undefined) return not(isCondition(turned, width, depth + 1))
  const any = parted(condition, " or ")
  if (any.length > 1) return any.map((one) => isCondition(one, width, depth + 1)).reduce(either)
  const all = parted(condition, " and ")
  if (all.length > 1) return all.map((one) => isCondition(one, width, depth + 1)).reduce(both)
  const inside = /^\(([^]*)\)$/.exec(condition)?.[1]?.trim()
  if (inside === undefined) return null
  return /^(?:\(|not\b)/.test(inside) ? isCondition(inside, width, depth + 1) : isFeature(inside, width)
}

const both = (a: Truth, b: Truth): Truth =>
  a === false || b === false ? false : a === null || b === null ? null : true
const either = (a: Truth, b: Truth): Truth =>
  a === true || b === true ? true : a === null || b === null ? null : false
/** The negation of an unknown condition does not match. */
const not = (a: Truth): Truth => (a === null ? false : !a)

function isFeature(feature: string, width: number): Truth {
  if (/^(?:prefers-color-scheme\s*:\s*dark|forced-colors\s*:\s*active)$/.test(feature)) return false
  const [, bound, given] = /^(min-|max-)?width\s*:\s*(\S+)$/.exec(feature) ?? []
  if (given !== undefined) {
    const length = lengthIn(given)
    if (length === null) return null
    return bound === "min-" ? width >= length : bound === "max-" ? width <= length : width === length
  }
  const parts = feature.split(/\s*([<>]?=|[<>])\s*/)
  if (parts.length < 3 || !parts.includes("width")) return null
  const values = parts.map((part) => (part === "width" ? width : lengthIn(part)))
  let held: Truth = true
  for (let at = 1; at < parts.length; at += 2)
    held = both(held, compared(values[at - 1] ?? null, parts[at]!, values[at + 1] ?? null))
  return held
}

function compared(one: number | null, sign: string, other: number | null): Truth {
  if (one === null || other === null) return null
  if (sign.endsWith("=") && one === other) return true
  return sign.startsWith("<") ? one < other : sign.startsWith(">") ? one > other : false
}

function lengthIn(text: string): number | null {
  const [, number, unit] = /^([\d.]+)(px|r?em)?$/.exec(text) ?? []
  if (number === undefined || (unit === undefined && Number(number) !== 0)) return null
  return Number(number) * (unit === "px" ? 1 : 16)
}

/** The parts between separators that are outside parentheses. */
function parted(text: string, sign: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1
    else if (text[at] === ")") depth -= 1
    else if (depth === 0 && text.startsWith(sign, at)) {
      parts.push(text.slice(from, at))
      from = at + sign.length
      at = from - 1
    }
  }
  return [...parts, text.slice(from)]
}
