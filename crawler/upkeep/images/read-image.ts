import sharp, { type Metadata } from "sharp"
import { QueuedBudget } from "#base/flow/memory/queued-budget.ts"
import { HASH_SIDE, perceptualHash } from "./perceptual-hash.ts"

/**
 * Why an image isn't content: `tracker`: one or two pixels; `icon`: small; `flat`: one colour; `strip`: a sprite, a
 * rule or a banner.
 */
export type Junk = "tracker" | "icon" | "flat" | "strip"

/** The facts about an image. */
export interface Look {
  /** Dimensions in pixels as displayed: rotated according to its EXIF data. */
  readonly width: number
  readonly height: number
  /** `jpeg`, `png`, `webp`, `gif`, `avif`, `svg`, `tiff`. */
  readonly format: string
  /** File size in bytes. */
  readonly bytes: number
  /** The number of frames; more than one for an animation. */
  readonly frames: number
  /** The hash from `perceptual-hash.ts`. */
  readonly hash: string
  readonly junk: Junk | null
}

/** Maximum number of pixels an image may declare; a file of a few bytes can declare billions. */
const MAX_PIXELS = 100_000_000
/**
 * The maximum memory, in bytes, that an image may need while it is being decoded, as computed by {@link decodedBytes}.
 * Images decoded at the same time share a smaller budget, which only the first in the queue may exceed. An AVIF of 1 KB
 * and 64 million pixels used 1,100 MB.
 */
const MAX_DECODED_BYTES = 512 * 1024 * 1024
const decoding = new QueuedBudget(256 * 1024 * 1024)
const THUMBNAIL_SIDE = 320
const THUMBNAIL_QUALITY = 75
const TIMEOUT_SECONDS = 20

const TRACKER_SIDE = 2
/** The maximum size of icons, buttons and avatars: no side is longer than this, or one side is shorter than {@link BUTTON_SIDE}. */
const ICON_SIDE = 64
const BUTTON_SIDE = 40
/** The aspect ratio, in either direction, from which an image is treated as a strip. */
const STRIP_RATIO = 7
/** The maximum standard deviation of each colour channel, 0 to 127, in an empty image; a single thin line on white already exceeds it. */
const FLAT_DEVIATION = 2

/** Image formats that are read. Hostile files can attack any decoder, so only the formats that the web needs are listed. */
const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Svg", "Tiff"].flatMap((name) => [
  `VipsForeignLoad${name}File`,
  `VipsForeignLoad${name}Buffer`,
])

let prepared = false

// Decodes one image at a time and caches nothing: the caller decides how many run in parallel.
function prepare(): void {
  if (prepared) return
  prepared = true
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({ operation: LOADERS })
}

/**
 * Examines an image file: its size, whether it is content, and a small copy of it (WebP). For an animation, only the
 * first frame is examined. SVG is drawn without scripts and without external files. Runs in native threads.
 * @throws Error when the bytes aren't an image of a known format, or the image is too large.
 */
export async function readImage(body: Uint8Array): Promise<{ look: Look; thumbnail: Uint8Array }> {
  prepare()
  const image = sharp(body, { limitInputPixels: MAX_PIXELS, failOn: "error", sequentialRead: true })
  const metadata = await image.metadata()
  const { width, height } = metadata.autoOrient
  const bytes = decodedBytes(metadata)
  if (bytes > MAX_DECODED_BYTES)
    throw new Error(`decoding it takes more than ${MAX_DECODED_BYTES / 1024 / 1024} MB of memory`)
  using memory = decoding.open()
  await memory.reserve(bytes)
  const { data: pixels, info } = await image
    .timeout({ seconds: TIMEOUT_SECONDS })
    .autoOrient()
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: "inside", withoutEnlargement: true })
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true })
  const small = () =>
    sharp(pixels, { raw: { width: info.width, height: info.height, channels: info.channels } })
  const { channels } = await small().stats()
  const grey = await small()
    .resize(HASH_SIDE, HASH_SIDE, { fit: "fill" })
    .greyscale()
    .toColourspace("b-w")
    .raw()
    .toBuffer()
  const thumbnail = await small().webp({ quality: THUMBNAIL_QUALITY }).toBuffer()
  const look = {
    width,
    height,
    format: metadata.format === "heif" ? "avif" : metadata.format,
    bytes: body.byteLength,
    frames: metadata.pages ?? 1,
    hash: perceptualHash(grey),
    junk: junkOf(
      width,
      height,
      channels.every(({ stdev }) => stdev < FLAT_DEVIATION),
    ),
  }
  return { look, thumbnail }
}

/**
 * Memory for decoding, in bytes: most formats are read in strips or shrink while they are being read; others are fully
 * in memory. Measured with images of 100 million pixels.
 */
function decodedBytes(metadata: Metadata): number {
  const { format, width, height, channels, depth, isProgressive, chromaSubsampling } = metadata
  const pixels = width * height
  const sample = depth === "uchar" ? 1 : 2
  switch (format) {
    case "heif":
      return pixels * 18
    case "jpeg":
      // Coefficients take two bytes each.
      if (!isProgressive) return pixels
      return pixels * (chromaSubsampling === "4:2:0" ? 3 : channels * 2)
    case "png":
      return isProgressive ? pixels * channels * sample : pixels
    default:
      // The whole frame is in memory, including transparency.
      return pixels * 4
  }
}

function junkOf(width: number, height: number, flat: boolean): Junk | null {
  const long = Math.max(width, height)
  const short = Math.min(width, height)
  if (short <= TRACKER_SIDE) return "tracker"
  if (flat) return "flat"
  if (long <= ICON_SIDE || short < BUTTON_SIDE) return long > short * STRIP_RATIO ? "strip" : "icon"
  return long > short * STRIP_RATIO ? "strip" : null
}
