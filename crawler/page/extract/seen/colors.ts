import { color as parseColor, serializeRGB } from "@csstools/css-color-parser"
import { parseComponentValue } from "@csstools/css-parser-algorithms"
import { tokenize } from "@csstools/css-tokenizer"
import { Lru } from "#base/flow/memory/lru.ts"
import { numberOf } from "./declarations.ts"

/** Red, green and blue, from 0 to 255, and opacity, from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number]

/** The system's background and text colours (CSS Color 4 §6.2) in light mode. */
const SYSTEM: ReadonlyMap<string, string> = new Map([
  ["canvas", "white"],
  ["canvastext", "black"],
  ["field", "white"],
  ["fieldtext", "black"],
])

/** The maximum length of one value; legitimate ones are short. */
const MAX_CHARS = 400
// A page has few colours and uses each of them often, so parsed values are cached.
const remembered = new Lru<string, Color | null>(1000)

/** Reads a CSS colour (CSS Color 4 and 5); null for anything else, and for colours that depend on unknown facts. For `light-dark()`, the result is its first colour. */
export function colorOf(value: string | undefined): Color | null {
  if (value === undefined || value.length > MAX_CHARS) return null
  let color = remembered.get(value)
  if (color === undefined) remembered.set(value, (color = readColor(value)))
  return color
}

function readColor(value: string): Color | null {
  const byDay = /^light-dark\(([^]*)\)$/.exec(value)?.[1]
  if (byDay !== undefined) return colorOf(partsOf(byDay, ",")[0])
  // Old attributes and office documents leave out the `#`.
  const css = SYSTEM.get(value) ?? (/^[0-9a-f]{3,8}$/.test(value) ? `#${value}` : value)
  try {
    const node = parseComponentValue(tokenize({ css }))
    const data = node !== undefined && parseColor(node)
    if (data === false || typeof data.alpha !== "number") return null
    const [red, green, blue] = serializeRGB(data, false).toString().match(/\d+/g)!.map(Number)
    return [red!, green!, blue!, data.alpha].some(Number.isNaN) ? null : [red!, green!, blue!, data.alpha]
  } catch {
    // The parser throws on some invalid values.
    return null
  }
}

/** Whether a value is a colour, even one that can't be resolved here. */
export const isColor = (value: string): boolean =>
  colorOf(value) !== null ||
  /^(?:rgba?|hsla?|hwb|(?:ok)?l(?:ab|ch)|(?:device-)?(?:color|cmyk)(?:-mix)?|light-dark)\(/.test(value)

/** The parts of a value between these separators (a blank stands for any white space), except inside parentheses. */
export function partsOf(value: string, signs: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ""
  for (const written of value) {
    const sign = /\s/.test(written) ? " " : written
    if (sign === "(") depth += 1
    else if (sign === ")") depth -= 1
    if (depth > 0 || !signs.includes(sign)) part += sign
    else {
      parts.push(part.trim())
      part = ""
    }
  }
  return [...parts, part.trim()].filter((one) => one !== "")
}

/** The result of laying a colour over another one. */
export const mix = ([r, g, b, a]: Color, below: Color): Color => [
  r * a + below[0] * (1 - a),
  g * a + below[1] * (1 - a),
  b * a + below[2] * (1 - a),
  1,
]

/** How well two colours can be distinguished, from 1 to 21 (WCAG 2.2, contrast ratio). */
function contrastOf(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Readers can't distinguish colours with less contrast than this; even the faintest grey that designers use has a contrast of 1.3 on white. */
const LEAST_CONTRAST = 1.12
/** The smallest difference in red, green or blue, out of 255, that readers can see despite low contrast: yellow on white has little contrast, but differs in blue. */
const LEAST_PART = 200

/** Whether readers can tell letters of one colour from a background of the other. */
export const areApart = (one: Color, other: Color): boolean =>
  contrastOf(one, other) >= LEAST_CONTRAST ||
  [0, 1, 2].some((part) => Math.abs(one[part]! - other[part]!) >= LEAST_PART)

/** The linear light of an sRGB component, both from 0 to 1. */
const linear = (part: number): number => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

function luminance([red, green, blue]: Color): number {
  const light = (part: number) => linear(Math.min(255, Math.max(0, part)) / 255)
  return 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue)
}

/** The result of applying a filter to a colour; null if unknown. */
export type Filter = ((color: Color) => Color) | null

export const AS_IT_IS: Filter = (color) => color

/** Applies one filter after the other. */
export const both =
  (first: (color: Color) => Color, then: (color: Color) => Color): ((color: Color) => Color) =>
  (color) =>
    then(first(color))

const ofParts =
  (change: (part: number) => number) =>
  ([red, green, blue, alpha]: Color): Color => {
    const part = (before: number) => Math.min(255, Math.max(0, change(before)))
    return [part(red), part(green), part(blue), alpha]
  }

/** The functions that reduce the difference between colours, with the strength of their effect (Filter Effects 1 §8). */
const FUNCTIONS: Readonly<Record<string, (share: number) => (color: Color) => Color>> = {
  brightness: (share) => ofParts((part) => part * share),
  contrast: (share) => ofParts((part) => (part - 127.5) * share + 127.5),
  invert: (share) => ofParts((part) => 255 * share + part * (1 - 2 * share)),
}

/**
 * Reads the `filter` property. Functions that shift colours (`sepia()`, `hue-rotate()`) or blur hardly change contrast
 * and are ignored.
 */
export function filterOf(value: string | undefined): Filter {
  let filter = AS_IT_IS
  if (value === undefined || value === "none") return filter
  for (const call of partsOf(value, " ")) {
    const [, name = "", given = ""] = /^([a-z-]+)\(([^()]*)\)$/.exec(call) ?? []
    if (name === "url" || call.startsWith("url(")) return null
    const share = given.trim() === "" ? 1 : numberOf(given.trim())
    const change = FUNCTIONS[name]
    if (change === undefined) continue
    if (share === null || filter === null) return null
    filter = filter === AS_IT_IS ? change(share) : both(filter, change(share))
  }
  return filter
}
