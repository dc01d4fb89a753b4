import { calc } from "@csstools/css-calc"
import { readBlocks } from "./blocks.ts"

/** Declarations of one rule or one `style` attribute, by property: the last one applies, unless an earlier one is `!important`. */
export type Declarations = ReadonlyMap<string, Declared>

export interface Declared {
  readonly value: string
  readonly important: boolean
}

/** The properties that decide whether text is shown. All others are ignored, except custom ones (`--ink`). */
const PROPERTIES = new Set(
  (
    "display visibility opacity content-visibility filter font font-size color -webkit-text-fill-color background " +
    "background-color background-image -webkit-background-clip background-clip position left right top bottom inset " +
    "text-indent margin-left margin-top clip clip-path transform scale width height max-width max-height overflow " +
    "overflow-x overflow-y line-height transition animation animation-name will-change white-space translate zoom mask mask-image " +
    "mask-size -webkit-mask -webkit-mask-image -webkit-mask-size rotate backface-visibility transform-style z-index"
  ).split(" "),
)
/**
 * Property names for other writing directions and for older browsers (CSS Logical Properties 1), mapped to those for
 * left-to-right lines.
 */
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
/** The maximum length of one value; legitimate ones that matter are short. */
const MAX_VALUE_CHARS = 300
/** The maximum number of custom properties in one block; large designs have a few hundred. */
const MAX_CUSTOM = 500

/** Reads declarations, `name: value`, and leaves out anything else. */
export function readDeclarations(parts: Iterable<string>): Declarations {
  const found = new Map<string, Declared>()
  let custom = 0
  for (const part of parts) {
    const text = withoutComments(part)
    const colon = text.indexOf(":")
    if (colon === -1) continue
    const written = unescaped(text.slice(0, colon)).trim().toLowerCase()
    const name = OTHER_NAMES.get(written) ?? written
    const isCustom = name.startsWith("--")
    if (isCustom ? (custom += 1) > MAX_CUSTOM : !PROPERTIES.has(name)) continue
    const raw = unescaped(text.slice(colon + 1, colon + 1 + MAX_VALUE_CHARS))
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

/** Decodes the escapes of CSS Syntax §4.3.7: `d\69splay` is `display`. */
const unescaped = (text: string): string =>
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

/** The declarations of a `style` attribute. */
export function readInline(text: string): Declarations {
  const parts: string[] = []
  readBlocks(
    text.slice(0, MAX_INLINE_CHARS),
    { declaration: (part) => parts.push(part), open: () => false, close: () => {} },
    true,
  )
  return readDeclarations(parts)
}

const MAX_INLINE_CHARS = 20_000

/** A length in CSS pixels; null for other values and unknown lengths. `whole`: the length that corresponds to 100%. */
export function lengthOf(value: string | undefined, whole: number, em = 16): number | null {
  if (value === undefined) return null
  return reckoned(value, "px", (number, unit) => {
    if (number === 0) return 0
    const one = UNITS[unit] ?? (unit === "em" ? em : unit === "%" ? whole / 100 : null)
    return one === null ? null : number * one
  })
}

/** A number or a percentage, with 100% as 1; null for other values. */
export function numberOf(value: string | undefined): number | null {
  if (value === undefined) return null
  return reckoned(value, "", (number, unit) => (unit === "" ? number : unit === "%" ? number / 100 : null))
}

/** An angle in degrees; NaN for values that are not angles. */
export function angleOf(text: string | undefined): number {
  const [, number, unit = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|grad|turn|rad)?$/.exec(text ?? "") ?? []
  return number === undefined ? Number.NaN : Number(number) * TURNS[unit]!
}

const TURNS: Readonly<Record<string, number>> = { "": 1, deg: 1, grad: 0.9, turn: 360, rad: 180 / Math.PI }

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/
const QUANTITIES = /(?<![\w.#-])((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)/g
const MAX_RECKONED = 1000

/** The value of a quantity, or of `calc()`, `min()` and similar functions (CSS Values 4 §10), in the unit that `measure` converts to. */
function reckoned(
  value: string,
  into: "px" | "",
  measure: (number: number, unit: string) => number | null,
): number | null {
  const [, digits, unit = ""] = QUANTITY.exec(value) ?? []
  if (digits !== undefined) return measure(Number(digits), unit)
  if (!value.endsWith(")") || value.length > MAX_RECKONED) return null
  const measured = value.replace("-webkit-calc(", "calc(").replace(QUANTITIES, (all, number, written) => {
    const found = measure(Number(number), written)
    return found === null ? all : found + into
  })
  const [, result, resultUnit = ""] = QUANTITY.exec(calculated(measured)) ?? []
  return result === undefined || (resultUnit !== into && Number(result) !== 0) ? null : Number(result)
}

/** The library throws on some invalid values. */
function calculated(value: string): string {
  try {
    return calc(value)
  } catch {
    return value
  }
}

/** The size of each unit in pixels, in a window of 1280 × 720. */
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
