/** Declarations of one rule or one `style` attribute, by property: the last one counts, an `!important` one above all. */
export type Declarations = ReadonlyMap<string, Declared>

export interface Declared {
  readonly value: string
  readonly important: boolean
}

/** The properties that decide whether a text is on show. All others are left unread. */
const PROPERTIES = new Set(
  (
    "display visibility opacity content-visibility filter font font-size color -webkit-text-fill-color background " +
    "background-color background-image -webkit-background-clip background-clip position left right top bottom inset " +
    "text-indent margin-left margin-top clip clip-path transform scale width height max-width max-height overflow " +
    "overflow-x overflow-y transition animation animation-name will-change"
  ).split(" "),
)
/** Of one value; honest ones that matter are short. */
const MAX_VALUE_CHARS = 300
/** Of one block. */
const MAX_BLOCK_CHARS = 20_000

/** Reads `name: value; …`. Never throws; what is no declaration is left out. */
export function readDeclarations(text: string): Declarations {
  const found = new Map<string, Declared>()
  for (const part of withoutComments(text.slice(0, MAX_BLOCK_CHARS)).split(";")) {
    const colon = part.indexOf(":")
    if (colon === -1) continue
    const name = unescaped(part.slice(0, colon)).trim().toLowerCase()
    if (!PROPERTIES.has(name)) continue
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
  const [, digits, unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(value) ?? []
  if (digits === undefined) return null
  const number = Number(digits)
  const one = UNITS[unit] ?? (unit === "em" ? em : unit === "%" ? whole / 100 : null)
  if (number === 0) return 0
  return one === null || unit === "" ? null : number * one
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

/** Red, green, blue from 0 to 255, and how much of it covers what is below, from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number]

const NAMED: Readonly<Record<string, Color>> = {
  transparent: [0, 0, 0, 0],
  white: [255, 255, 255, 1],
  black: [0, 0, 0, 1],
  red: [255, 0, 0, 1],
  green: [0, 128, 0, 1],
  blue: [0, 0, 255, 1],
  yellow: [255, 255, 0, 1],
  gray: [128, 128, 128, 1],
  grey: [128, 128, 128, 1],
  silver: [192, 192, 192, 1],
  navy: [0, 0, 128, 1],
  maroon: [128, 0, 0, 1],
  snow: [255, 250, 250, 1],
  ivory: [255, 255, 240, 1],
  ghostwhite: [248, 248, 255, 1],
  whitesmoke: [245, 245, 245, 1],
  floralwhite: [255, 250, 240, 1],
  mintcream: [245, 255, 250, 1],
  azure: [240, 255, 255, 1],
  aliceblue: [240, 248, 255, 1],
  lightyellow: [255, 255, 224, 1],
  seashell: [255, 245, 238, 1],
}

/** A colour as CSS writes it (CSS Color 4); null for what is none, or depends on what is not known here. */
export function colorOf(value: string | undefined): Color | null {
  if (value === undefined) return null
  const named = Object.hasOwn(NAMED, value) ? NAMED[value] : undefined
  if (named !== undefined) return named
  const hex = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(value)?.[1]
  if (hex !== undefined) {
    const wide = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex
    const part = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16)
    return [part(0), part(2), part(4), wide.length === 8 ? part(6) / 255 : 1]
  }
  const call = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(value)
  if (call === null) return null
  const given = call[2]!.split(/[\s,/]+/).filter((one) => one !== "")
  const [first, second, third, fourth] = given
  const number = (one: string | undefined, whole: number) =>
    one === undefined
      ? Number.NaN
      : one.endsWith("%")
        ? (Number(one.slice(0, -1)) / 100) * whole
        : Number(one)
  const alpha = fourth === undefined ? 1 : number(fourth, 1)
  const color: Color =
    call[1] === "rgb"
      ? [number(first, 255), number(second, 255), number(third, 255), alpha]
      : [...fromHsl(Number(first?.replace(/deg$/, "")), number(second, 1), number(third, 1)), alpha]
  return color.some(Number.isNaN) ? null : color
}

function fromHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    const a = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}

/** How far two colours are told apart, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance([red, green, blue]: Color): number {
  const linear = (part: number) => {
    const share = Math.min(255, Math.max(0, part)) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
