/** Declarations of one rule or one `style` attribute, by property: the last one counts, an `!important` one above all. */
export type Declarations = ReadonlyMap<string, Declared>

export interface Declared {
  readonly value: string
  readonly important: boolean
}

/** The properties that decide whether a text is on show. All others are left unread, but for custom ones (`--ink`). */
const PROPERTIES = new Set(
  (
    "display visibility opacity content-visibility filter font font-size color -webkit-text-fill-color background " +
    "background-color background-image -webkit-background-clip background-clip position left right top bottom inset " +
    "text-indent margin-left margin-top clip clip-path transform scale width height max-width max-height overflow " +
    "overflow-x overflow-y line-height transition animation animation-name will-change white-space translate zoom mask mask-image " +
    "mask-size -webkit-mask -webkit-mask-image -webkit-mask-size rotate backface-visibility transform-style z-index"
  ).split(" "),
)
/** Names of other directions of writing and of older browsers (CSS Logical Properties 1), as those of lines from the left. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  (
    "inset-inline-start left inset-inline-end right inset-block-start top inset-block-end bottom inline-size width block-size height " +
    "max-inline-size max-width max-block-size max-height margin-inline-start margin-left margin-block-start margin-top " +
    "overflow-inline overflow-x overflow-block overflow-y -webkit-transform transform -webkit-clip-path clip-path " +
    "-webkit-filter filter -webkit-backface-visibility backface-visibility -webkit-transform-style transform-style"
  )
    .match(/\S+ \S+/g)!
    .map((pair) => pair.split(" ") as [string, string]),
)
/** Of one value; honest ones that matter are short. */
const MAX_VALUE_CHARS = 300
/** Custom properties of one block; large designs have some hundreds. */
const MAX_CUSTOM = 500
/** Of one block. */
const MAX_BLOCK_CHARS = 20_000

/** Reads `name: value; …`. Never throws; what is no declaration is left out. */
export function readDeclarations(text: string): Declarations {
  const found = new Map<string, Declared>()
  let custom = 0
  for (const part of withoutComments(text.slice(0, MAX_BLOCK_CHARS)).split(";")) {
    const colon = part.indexOf(":")
    if (colon === -1) continue
    const written = unescaped(part.slice(0, colon)).trim().toLowerCase()
    const name = OTHER_NAMES.get(written) ?? written
    const isCustom = name.startsWith("--")
    if (isCustom ? (custom += 1) > MAX_CUSTOM : !PROPERTIES.has(name)) continue
    const raw = unescaped(part.slice(colon + 1, colon + 1 + MAX_VALUE_CHARS))
      .trim()
      .toLowerCase()
    const important = /!\s*important$/.test(raw)
    const value = raw.replace(/!\s*important$/, "").trim()
    if (value === "" || (found.get(name)?.important === true && !important)) continue
    found.set(name, { value, important })
  }
  return found
}

export const withoutComments = (css: string): string =>
  css.includes("/*") ? css.replace(/\/\*[^]*?(?:\*\/|$)/g, " ") : css

/** Escapes of CSS Syntax §4.3.7: `d\69splay` is `display`. */
export const unescaped = (text: string): string =>
  text.includes("\\")
    ? text.replace(
        /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi,
        (_, hex: string | undefined, char: string | undefined) => {
          if (hex === undefined) return char ?? ""
          const code = Number.parseInt(hex, 16)
          return code === 0 || code > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(code)
        },
      )
    : text

/** A length in CSS pixels; null for what is none, or cannot be known here. `whole`: what a hundred per cent are. */
export function lengthOf(value: string | undefined, whole: number, em = 16): number | null {
  if (value === undefined) return null
  const reckoned = value.endsWith(")")
  const length = (number: number, unit: string): number | null => {
    if (number === 0) return 0
    if (unit === "") return reckoned ? number : null
    const one = UNITS[unit] ?? (unit === "em" ? em : unit === "%" ? whole / 100 : null)
    return one === null ? null : number * one
  }
  return reckoned ? reckon(value, length) : quantity(value, length)
}

/** A number or a share, where a hundred per cent are 1; null for what is none. */
export function numberOf(value: string | undefined): number | null {
  if (value === undefined) return null
  const share = (number: number, unit: string) => (unit === "" ? number : unit === "%" ? number / 100 : null)
  return value.endsWith(")") ? reckon(value, share) : quantity(value, share)
}

type Measure = (number: number, unit: string) => number | null

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/

function quantity(value: string, measure: Measure): number | null {
  const [, digits, unit = ""] = QUANTITY.exec(value) ?? []
  return digits === undefined ? null : measure(Number(digits), unit)
}

const MAX_RECKONED = 1000
const MAX_NESTED = 20

/** `calc()`, `min()`, `max()` and `clamp()` (CSS Values 4 §10), of which lengths and numbers are not told apart. */
function reckon(value: string, measure: Measure): number | null {
  const tokens = value
    .slice(0, MAX_RECKONED)
    .match(/[a-z-]+\(|[()*/,]|\s[+-](?=\s)|[+-]?(?:\d|\.\d)[\w.%]*(?:(?<=\de)[+-]\d+)?/g)
  if (tokens === null) return null
  let at = 0
  const sum = (depth: number): number | null => {
    let all = product(depth)
    for (let sign = tokens[at]?.trim(); sign === "+" || sign === "-"; sign = tokens[at]?.trim()) {
      at += 1
      const other = product(depth)
      all = all === null || other === null ? null : sign === "+" ? all + other : all - other
    }
    return all
  }
  const product = (depth: number): number | null => {
    let all = one(depth)
    for (let sign = tokens[at]; sign === "*" || sign === "/"; sign = tokens[at]) {
      at += 1
      const other = one(depth)
      all =
        all === null || other === null ? null : sign === "*" ? all * other : other === 0 ? null : all / other
    }
    return all
  }
  const one = (depth: number): number | null => {
    const token = tokens[at++]
    if (token === undefined || depth > MAX_NESTED) return null
    if (!token.endsWith("(")) return quantity(token, measure)
    const given = [sum(depth + 1)]
    while (tokens[at] === ",") {
      at += 1
      given.push(sum(depth + 1))
    }
    if (tokens[at++] !== ")") return null
    const numbers = given.filter((part) => part !== null)
    if (numbers.length < given.length) return null
    const [first, second, third] = numbers
    if (token === "min(") return Math.min(...numbers)
    if (token === "max(") return Math.max(...numbers)
    if (token === "clamp(" && third !== undefined) return Math.max(first!, Math.min(second!, third))
    return (token === "(" || token === "calc(" || token === "-webkit-calc(") && numbers.length === 1
      ? first!
      : null
  }
  const found = sum(0)
  return at === tokens.length ? found : null
}

/** Pixels of a unit, in a window of 1280 × 720. */
const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  rem: 16,
  ex: 8,
  ch: 8,
  vw: 12.8,
  vh: 7.2,
  vmin: 7.2,
  vmax: 12.8,
}
