import sharp, { type Metadata, type Sharp } from "sharp"

/** The maximum number of pixels in one frame. Phones take pictures of this size; an A2 sheet has 35 million at 300 pixels per inch. */
const MAX_PIXELS = 50_000_000
/** The minimum size, in pixels. Smaller pictures are icons, buttons and faces. */
const LEAST_LONG = 300
const LEAST_SHORT = 100

// Decode one picture at a time, and cache nothing.
sharp.cache(false)
sharp.concurrency(1)

/**
 * Reads the size and other facts from the header of a frame. Only for files of the kind `picture`, so that no other
 * decoder of the library runs.
 * @param number from 1
 * @throws Error when the file is damaged, or there is no such frame
 */
export const metadataOf = (body: Uint8Array, number: number): Promise<Metadata> =>
  sharp(body, { page: number - 1, limitInputPixels: false, failOn: "none" }).metadata()

/** A frame, ready to be decoded. @param number from 1 */
export function frameOf(body: Uint8Array, number: number): Sharp {
  // As much of a truncated file as possible is decoded.
  return sharp(body, {
    page: number - 1,
    limitInputPixels: MAX_PIXELS,
    failOn: "none",
    sequentialRead: true,
  })
}

/** The number of pages in a file: one for each frame of a TIFF. Any other file has one, since an animation is not a document. */
export const pagesOf = ({ format, pages = 1 }: Metadata): number => (format === "tiff" ? pages : 1)

/** Why a frame is not searched for text; null if it is searched. */
export function refusalOf({ width, height }: Metadata): string | null {
  const size = `${width} × ${height} pixels`
  if (width * height > MAX_PIXELS) return `an image of ${size} is too large to read`
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  return long < LEAST_LONG || short < LEAST_SHORT ? `an image of ${size} is too small to contain text` : null
}
