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
    "-webkit-mask -webkit-mask-image"
  ).split(" "),
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
    const name = unescaped(part.slice(0, colon)).trim().toLowerCase()
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
  const sum = /^calc\(\s*([^\s()]+)\s*([*/]|\s[+-]\s)\s*([^\s()]+)\s*\)$/.exec(value)
  if (sum !== null) return reckoned(sum[1]!, sum[2]!.trim(), sum[3]!, (part) => lengthOf(part, whole, em))
  const [, digits, unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(value) ?? []
  if (digits === undefined) return null
  const number = Number(digits)
  const one = UNITS[unit] ?? (unit === "em" ? em : unit === "%" ? whole / 100 : null)
  if (number === 0) return 0
  return one === null || unit === "" ? null : number * one
}

/** `calc()` of two parts. */
function reckoned(
  one: string,
  operator: string,
  other: string,
  length: (part: string) => number | null,
): number | null {
  const [a, b] = [length(one), length(other)]
  if (operator === "+" || operator === "-")
    return a === null || b === null ? null : operator === "+" ? a + b : a - b
  const [x, y] = [Number(one), Number(other)]
  if (operator === "/") return a === null || Number.isNaN(y) || y === 0 ? null : a / y
  return a !== null && !Number.isNaN(y) ? a * y : b !== null && !Number.isNaN(x) ? b * x : null
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
