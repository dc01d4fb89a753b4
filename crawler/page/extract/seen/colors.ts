import { COLOR_FUNCTIONS, fromSpace, linear, partOf } from "./color-functions.ts"
import { numberOf } from "./declarations.ts"

/** Red, green, blue from 0 to 255, and how much of it covers what is below, from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number]

/** Names of CSS Color 4 §6.1, and the system's paper and ink (§6.2) as they are by day, each with its value in hexadecimal. */
const NAMES = (
  (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc " +
    "bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a " +
    "burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 " +
    "cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b " +
    "darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b " +
    "darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 " +
    "darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f " +
    "darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 " +
    "dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 " +
    "fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 " +
    "green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c " +
    "indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 " +
    "lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 " +
    "lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a " +
    "lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 " +
    "lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff " +
    "maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db " +
    "mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc " +
    "mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 " +
    "navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 " +
    "orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee " +
    "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd " +
    "powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 " +
    "saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d " +
    "silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa " +
    "springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 " +
    "turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 " +
    "yellowgreen 9acd32 canvas ffffff canvastext 000000 field ffffff fieldtext 000000"
  ).match(/\S+ \S+/g) ?? []
).map((pair) => pair.split(" ") as [string, string])
const NAMED: ReadonlyMap<string, Color> = new Map([
  ["transparent", [0, 0, 0, 0]],
  ...NAMES.map(([name, hex]): [string, Color] => {
    const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
    return [name, [part(0), part(2), part(4), 1]]
  }),
])

/** Of one value; honest ones are short. */
const MAX_CHARS = 400

/** A colour as CSS writes it (CSS Color 4 and 5); null for what is none, or depends on what is not known here. By day: of `light-dark()` the first. */
export function colorOf(value: string | undefined): Color | null {
  if (value === undefined || value.length > MAX_CHARS) return null
  const named = NAMED.get(value)
  if (named !== undefined) return named
  const hex = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(value)?.[1]
  if (hex !== undefined) {
    const wide = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex
    const part = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16)
    return [part(0), part(2), part(4), wide.length === 8 ? part(6) / 255 : 1]
  }
  const [, name, inside] = /^([a-z][a-z-]*)\(([^]*)\)$/.exec(value) ?? []
  if (name === undefined || inside === undefined) return null
  if (name === "color-mix") return mixedColor(inside)
  if (name === "light-dark") return colorOf(partsOf(inside, ",")[0])
  const given = partsOf(inside, " ,/")
  if (given[0] === "from") return relativeColor(name, given.slice(1))
  const space = name === "color" ? given.shift() : undefined
  const read = COLOR_FUNCTIONS[name.replace(/^(rgb|hsl)a$/, "$1")]
  if (space === undefined && read === undefined) return null
  const parts = space === undefined ? read!(given) : fromSpace(space, given)
  const alpha = given[3] === undefined ? 1 : partOf(given[3], 1)
  return parts.some(Number.isNaN) || Number.isNaN(alpha) ? null : [...parts, alpha]
}

/** Whether a value is a colour, known here or not. */
export const isColor = (value: string): boolean =>
  colorOf(value) !== null ||
  /^(?:rgba?|hsla?|hwb|(?:ok)?l(?:ab|ch)|(?:device-)?(?:color|cmyk)(?:-mix)?|light-dark)\(/.test(value)

/** The parts of a value between these signs (a blank is any), but for those in parentheses. */
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

/** `rgb(from white r g b / 50%)`: of what leaves the parts of a colour as they were. */
function relativeColor(name: string, [origin, ...given]: readonly string[]): Color | null {
  const color = colorOf(origin)
  const channels = name === "color" ? given.slice(1, 4) : given.slice(0, 3)
  const alpha = name === "color" ? given[4] : given[3]
  const same = CHANNELS[name.replace(/^(rgb|hsl)a$/, "$1")]
  const isSame = name === "color" ? /^(?:r g b|x y z)$/.test(channels.join(" ")) : channels.join(" ") === same
  if (color === null || !isSame) return null
  const share = alpha === undefined || alpha === "alpha" ? color[3] : partOf(alpha, 1)
  return Number.isNaN(share) ? null : [color[0], color[1], color[2], share]
}

const CHANNELS: Readonly<Record<string, string>> = {
  rgb: "r g b",
  hsl: "h s l",
  hwb: "h w b",
  lab: "l a b",
  lch: "l c h",
  oklab: "l a b",
  oklch: "l c h",
}

/** `in srgb, white 30%, #000`; of other spaces the mix of sRGB is near enough. */
function mixedColor(inside: string): Color | null {
  const [space, one, other] = partsOf(inside, ",")
  if (space?.startsWith("in ") !== true) return null
  const [a, b] = [one, other].map((part) => {
    const parts = partsOf(part ?? "", " ")
    const share = parts.find((word) => /^[\d.]+%$/.test(word))
    const color = colorOf(parts.find((word) => word !== share))
    return { color, share: share === undefined ? null : Number.parseFloat(share) / 100 }
  })
  if (a === undefined || b === undefined || a.color === null || b.color === null) return null
  const first = a.share ?? 1 - (b.share ?? 0.5)
  const second = b.share ?? 1 - first
  if (!(first + second > 0)) return null
  const weight = first / (first + second)
  const mixed = a.color.map((part, at) => part * weight + b.color![at]! * (1 - weight))
  return [mixed[0]!, mixed[1]!, mixed[2]!, mixed[3]!]
}

/** A colour that is laid over another one. */
export const mix = ([r, g, b, a]: Color, below: Color): Color => [
  r * a + below[0] * (1 - a),
  g * a + below[1] * (1 - a),
  b * a + below[2] * (1 - a),
  1,
]

/** How far two colours are told apart, from 1 to 21 (WCAG 2.2, contrast ratio). */
function contrastOf(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Readers can't tell colours apart that contrast less; the weakest grey that designers use has 1.3 on white. */
const LEAST_CONTRAST = 1.12
/** Difference in red, green or blue, of 255, that readers see: yellow on white has little contrast, but no blue. */
const LEAST_PART = 200

/** Whether readers can tell letters of one colour from a background of the other. */
export const areApart = (one: Color, other: Color): boolean =>
  contrastOf(one, other) >= LEAST_CONTRAST ||
  [0, 1, 2].some((part) => Math.abs(one[part]! - other[part]!) >= LEAST_PART)

function luminance([red, green, blue]: Color): number {
  const light = (part: number) => linear(Math.min(255, Math.max(0, part)) / 255)
  return 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue)
}

/** What a filter makes of a colour; null: that is not known. */
export type Filter = ((color: Color) => Color) | null

export const AS_IT_IS: Filter = (color) => color

/** One after the other. */
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

/** Of those functions that bring two colours together, by how much (Filter Effects 1 §8). */
const FUNCTIONS: Readonly<Record<string, (share: number) => (color: Color) => Color>> = {
  brightness: (share) => ofParts((part) => part * share),
  contrast: (share) => ofParts((part) => (part - 127.5) * share + 127.5),
  invert: (share) => ofParts((part) => 255 * share + part * (1 - 2 * share)),
}

/** Of the property; what turns colours (`sepia()`, `hue-rotate()`) and what blurs leaves contrast as it is, near enough. */
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
