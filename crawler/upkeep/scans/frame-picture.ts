import type { Metadata } from "sharp"
import { frameOf, metadataOf, refusalOf } from "../../page/scans/frames.ts"
import { DPI, MAX_PIXELS, type Picture } from "./pictures.ts"

/** Minimum and maximum resolution, in pixels per inch. Programs that don't know the resolution write lower values, and no scanner has a higher one. */
const LEAST_DENSITY = 100
const MOST_DENSITY = 1300
/** Length in inches of the longer side of A4 paper, which is assumed for images without a size. */
const SHEET = 11.7
/** Maximum factor by which an image is enlarged; more would add no detail. */
const MOST_ENLARGED = 3

/**
 * A frame of an image file, rotated according to its EXIF data, on a white background.
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

/** Pixels per inch according to the file, or as if the image filled a sheet of paper. */
function densityOf({ density, width, height }: Metadata): number {
  if (density !== undefined && density >= LEAST_DENSITY && density <= MOST_DENSITY) return density
  return Math.max(LEAST_DENSITY, Math.max(width, height) / SHEET)
}
