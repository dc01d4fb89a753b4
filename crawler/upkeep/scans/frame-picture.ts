import type { Metadata } from "sharp"
import { frameOf, metadataOf, refusalOf } from "../../page/scans/frames.ts"
import { DPI, MAX_PIXELS, type Picture } from "./pictures.ts"

/** Pixels in an inch. Less is what programs write that know none, and more is no scanner's. */
const LEAST_DENSITY = 100
const MOST_DENSITY = 1300
/** Inches of the longer side of A4 paper, which is taken for that of a picture without a size. */
const SHEET = 11.7
/** As much larger a picture is made: more invents nothing. */
const MOST_ENLARGED = 3

/**
 * A frame of a picture file, upright as its EXIF data says, on white.
 * @param number from 1
 * @throws Error when it can't be decoded, or is too small or too large for a page of text
 */
export async function framePicture(body: Uint8Array, number: number): Promise<Picture> {
  const metadata = await metadataOf(body, number)
  const refusal = refusalOf(metadata)
  if (refusal !== null) throw new Error(refusal)
  const { width, height } = metadata.autoOrient
  const density = densityOf(metadata)
  const scale = Math.min(DPI / density, MOST_ENLARGED, Math.sqrt(MAX_PIXELS / (width * height)))
  const { data, info } = await frameOf(body, number)
    .autoOrient()
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: "fill" })
    .flatten({ background: "#fff" })
    .toColourspace("b-w")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
  return { grey: data, width: info.width, height: info.height, dpi: density * scale }
}

/** Pixels in an inch, as the file says, or as a sheet of paper would have that fills the picture. */
function densityOf({ density, width, height }: Metadata): number {
  if (density !== undefined && density >= LEAST_DENSITY && density <= MOST_DENSITY) return density
  return Math.max(LEAST_DENSITY, Math.max(width, height) / SHEET)
}
