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

/** A colour as CSS writes it (CSS Color 4); null for what is none, or depends on what is not known here. */
export function colorOf(value: string | undefined): Color | null {
  if (value === undefined) return null
  const named = NAMED.get(value)
  if (named !== undefined) return named
  const hex = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(value)?.[1]
  if (hex !== undefined) {
    const wide = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex
    const part = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16)
    return [part(0), part(2), part(4), wide.length === 8 ? part(6) / 255 : 1]
  }
  if (value.startsWith("color-mix(")) return mixedColor(value)
  const call = /^(rgb|hsl|oklch|oklab)a?\(([^()]*)\)$/.exec(value)
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
      : call[1] === "hsl"
        ? [...fromHsl(Number(first?.replace(/deg$/, "")), number(second, 1), number(third, 1)), alpha]
        : [...fromOklab(number(first, 1), ...labAxes(call[1] === "oklch", second, third, number)), alpha]
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

/** `color-mix(in srgb, white 30%, #000)`; of other spaces the mix of sRGB is near enough. */
function mixedColor(value: string): Color | null {
  const [, one, other] =
    /^color-mix\(\s*in [a-z0-9-]+(?: (?:shorter|longer|increasing|decreasing) hue)?\s*,((?:[^(),]|\([^()]*\))*),((?:[^(),]|\([^()]*\))*)\)$/.exec(
      value,
    ) ?? []
  const parts = [one, other].map((part) => {
    const share = /(?:^|\s)([\d.]+)%(?:\s|$)/.exec(part ?? "")?.[1]
    const color = colorOf(
      part
        ?.replace(/(^|\s)[\d.]+%(\s|$)/, " ")
        .trim()
        .toLowerCase(),
    )
    return { color, share: share === undefined ? null : Number(share) / 100 }
  })
  const [a, b] = parts
  if (a === undefined || b === undefined || a.color === null || b.color === null) return null
  const first = a.share ?? 1 - (b.share ?? 0.5)
  const second = b.share ?? 1 - first
  if (!(first + second > 0)) return null
  const weight = first / (first + second)
  const mixed = a.color.map((part, at) => part * weight + b.color![at]! * (1 - weight))
  return [mixed[0]!, mixed[1]!, mixed[2]!, mixed[3]!]
}

/** The two axes of colour in Oklab, given so or as chroma and hue. */
function labAxes(
  isPolar: boolean,
  second: string | undefined,
  third: string | undefined,
  number: (one: string | undefined, whole: number) => number,
): [number, number] {
  const chroma = number(second, 0.4)
  if (!isPolar) return [chroma, number(third, 0.4)]
  const hue = third === "none" ? 0 : Number(third?.replace(/deg$/, ""))
  const turn = (hue * Math.PI) / 180
  return [chroma * Math.cos(turn), chroma * Math.sin(turn)]
}

/** From Oklab (CSS Color 4 §10.10) to sRGB. */
function fromOklab(lightness: number, a: number, b: number): [number, number, number] {
  const l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3
  const m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3
  const s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3
  const part = (linear: number) => {
    const cut = Math.min(1, Math.max(0, linear))
    return 255 * (cut <= 0.003_130_8 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055)
  }
  return [
    part(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
    part(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
    part(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s),
  ]
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
