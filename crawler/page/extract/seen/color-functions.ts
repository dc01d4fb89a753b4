import { numberOf } from "./declarations.ts"

type Triple = readonly [number, number, number]

/** Functions that give three parts of a colour (CSS Color 4 §5 to §10), each from what stands for its parts to sRGB, 0 to 255. */
export const COLOR_FUNCTIONS: Readonly<Record<string, (given: readonly (string | undefined)[]) => Triple>> = {
  rgb: ([red, green, blue]) => [partOf(red, 255), partOf(green, 255), partOf(blue, 255)],
  hsl: ([hue, saturation, lightness]) =>
    fromHsl(angleOf(hue), hundredthsOf(saturation), hundredthsOf(lightness)),
  hwb: ([hue, whiteness, blackness]) =>
    fromHwb(angleOf(hue), hundredthsOf(whiteness), hundredthsOf(blackness)),
  lab: ([lightness, a, b]) => fromLab(partOf(lightness, 100), partOf(a, 125), partOf(b, 125)),
  lch: ([lightness, chroma, hue]) =>
    fromLab(partOf(lightness, 100), ...axesOf(partOf(chroma, 150), angleOf(hue))),
  oklab: ([lightness, a, b]) => fromOklab(partOf(lightness, 1), partOf(a, 0.4), partOf(b, 0.4)),
  oklch: ([lightness, chroma, hue]) =>
    fromOklab(partOf(lightness, 1), ...axesOf(partOf(chroma, 0.4), angleOf(hue))),
}

/** `color(display-p3 1 1 1)`: of spaces that are not known black and white alone, which all have in the same places. */
export function fromSpace(space: string, given: readonly (string | undefined)[]): Triple {
  const [x, y, z] = [partOf(given[0], 1), partOf(given[1], 1), partOf(given[2], 1)]
  switch (space) {
    case "srgb":
      return [x * 255, y * 255, z * 255]
    case "srgb-linear":
      return toSrgb([x, y, z])
    case "display-p3":
      return toSrgb(times(XYZ_TO_SRGB, times(P3_TO_XYZ, [linear(x), linear(y), linear(z)])))
    case "xyz":
    case "xyz-d65":
      return toSrgb(times(XYZ_TO_SRGB, [x, y, z]))
    case "xyz-d50":
      return toSrgb(times(XYZ_TO_SRGB, times(D50_TO_D65, [x, y, z])))
    default:
      return x === y && y === z && (x === 0 || x === 1) && /^(?:a98-rgb|prophoto-rgb|rec2020)$/.test(space)
        ? [x * 255, y * 255, z * 255]
        : [Number.NaN, Number.NaN, Number.NaN]
  }
}

/** A number, a share of `whole`, or none at all. */
export function partOf(text: string | undefined, whole: number): number {
  if (text === "none") return 0
  const number = numberOf(text)
  if (text === undefined || number === null) return Number.NaN
  return text.endsWith("%") ? number * whole : number
}

const hundredthsOf = (text: string | undefined): number =>
  partOf(text, 1) / (text === undefined || text === "none" || text.endsWith("%") ? 1 : 100)

const TURNS: Readonly<Record<string, number>> = { "": 1, deg: 1, grad: 0.9, turn: 360, rad: 180 / Math.PI }

/** In degrees. */
export function angleOf(text: string | undefined): number {
  if (text === "none") return 0
  const [, number, unit = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|grad|turn|rad)?$/.exec(text ?? "") ?? []
  return number === undefined ? Number.NaN : Number(number) * TURNS[unit]!
}

function axesOf(chroma: number, hue: number): [number, number] {
  const turn = (hue * Math.PI) / 180
  return [chroma * Math.cos(turn), chroma * Math.sin(turn)]
}

function fromHsl(hue: number, saturation: number, lightness: number): Triple {
  const part = (n: number) => {
    const k = (((n + hue / 30) % 12) + 12) % 12
    const a = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}

function fromHwb(hue: number, whiteness: number, blackness: number): Triple {
  const sum = whiteness + blackness
  const grey = (255 * whiteness) / sum
  if (sum >= 1) return [grey, grey, grey]
  const part = (pure: number) => pure * (1 - sum) + 255 * whiteness
  const [red, green, blue] = fromHsl(hue, 1, 0.5)
  return [part(red), part(green), part(blue)]
}

/** CIE Lab (§10.11), whose white is that of D50. */
function fromLab(lightness: number, a: number, b: number): Triple {
  const y = (lightness + 16) / 116
  const part = (f: number) => (f ** 3 > 216 / 24_389 ? f ** 3 : (116 * f - 16) / (24_389 / 27))
  const xyz: Triple = [part(y + a / 500) * 0.964_295_676, part(y), part(y - b / 200) * 0.825_104_603]
  return toSrgb(times(XYZ_TO_SRGB, times(D50_TO_D65, xyz)))
}

/** Oklab (§10.10). */
function fromOklab(lightness: number, a: number, b: number): Triple {
  const l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3
  const m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3
  const s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3
  return toSrgb(times(LMS_TO_SRGB, [l, m, s]))
}

type Rows = readonly [Triple, Triple, Triple]

const LMS_TO_SRGB: Rows = [
  [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2],
  [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5],
  [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701],
]
/** The matrices of CSS Color 4 §17. */
const XYZ_TO_SRGB: Rows = [
  [3.240_969_942, -1.537_383_178, -0.498_610_76],
  [-0.969_243_636, 1.875_967_502, 0.041_555_057],
  [0.055_630_08, -0.203_976_959, 1.056_971_514],
]
const P3_TO_XYZ: Rows = [
  [0.486_570_949, 0.265_667_693, 0.198_217_285],
  [0.228_974_564, 0.691_738_522, 0.079_286_914],
  [0, 0.045_113_382, 1.043_944_369],
]
const D50_TO_D65: Rows = [
  [0.955_473_421, -0.023_098_455, 0.063_259_243],
  [-0.028_369_709, 1.009_995_398, 0.021_041_441],
  [0.012_314_015, -0.020_507_649, 1.330_365_926],
]

const times = (rows: Rows, [x, y, z]: Triple): Triple => {
  const row = ([a, b, c]: Triple) => a * x + b * y + c * z
  return [row(rows[0]), row(rows[1]), row(rows[2])]
}

/** The light of a part of sRGB, both from 0 to 1. */
export const linear = (part: number): number =>
  part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4

/** What is out of sRGB is cut off. */
function toSrgb(light: Triple): Triple {
  const part = (share: number) => {
    const cut = Math.min(1, Math.max(0, share))
    return 255 * (cut <= 0.003_130_8 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055)
  }
  return [part(light[0]), part(light[1]), part(light[2])]
}
