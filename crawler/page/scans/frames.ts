import sharp, { type Metadata, type Sharp } from "sharp"

/** Pixels of one frame. Phones take pictures of as many; an A2 sheet has 35 million at 300 pixels an inch. */
const MAX_PIXELS = 50_000_000
/** Pixels. Smaller pictures are icons, buttons and faces. */
const LEAST_LONG = 300
const LEAST_SHORT = 100

// One picture at a time, and nothing kept.
sharp.cache(false)
sharp.concurrency(1)

/**
 * What the head of a frame says, in a file that starts as one of the kind `picture`, so that no other decoder is asked.
 * @param number from 1
 * @throws Error when the file is damaged, or there is no such frame
 */
export const metadataOf = (body: Uint8Array, number: number): Promise<Metadata> =>
  sharp(body, { page: number - 1, limitInputPixels: false, failOn: "none" }).metadata()

/** A frame, to be decoded. @param number from 1 */
export function frameOf(body: Uint8Array, number: number): Sharp {
  // What is there of a file that was cut off is read.
  return sharp(body, {
    page: number - 1,
    limitInputPixels: MAX_PIXELS,
    failOn: "none",
    sequentialRead: true,
  })
}

/** How many pages a file has: the frames of a TIFF, and one of any other, since an animation is no document. */
export const pagesOf = ({ format, pages = 1 }: Metadata): number => (format === "tiff" ? pages : 1)

/** Why no text is looked for in a frame; null: it is. */
export function refusalOf({ width, height }: Metadata): string | null {
  const size = `${width} × ${height} pixels`
  if (width * height > MAX_PIXELS) return `a picture of ${size} is too large to be read`
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  return long < LEAST_LONG || short < LEAST_SHORT ? `a picture of ${size} is too small for a text` : null
}
