import { crc32, deflateSync } from "node:zlib"
import sharp from "sharp"

/** A PNG that looks like a photograph and differs from every image with another `seed`. */
export async function picture(
  seed: number,
  size: { readonly width: number; readonly height: number } = { width: 640, height: 480 },
): Promise<Buffer> {
  const random = pseudoRandom(seed)
  const side = 9
  const colours = Buffer.from(Array.from({ length: side * side * 3 }, () => Math.floor(random() * 256)))
  return sharp(colours, { raw: { width: side, height: side, channels: 3 } })
    .resize(size.width, size.height, { fit: "fill", kernel: "cubic" })
    .png()
    .toBuffer()
}

/** A PNG in a single colour. */
export function flatPicture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "#cdd" } })
    .png()
    .toBuffer()
}

// A linear congruential generator (Numerical Recipes): the same pictures in every run.
function pseudoRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * An interlaced single-colour PNG, made by hand: tiny to send, but fully in memory while it is being decoded. With
 * `claims`, it ends after its header.
 */
export function interlacedPicture(
  side: number,
  { depth, colour, claims = false }: { depth: 8 | 16; colour: "grey" | "rgba"; claims?: boolean },
): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const made = Buffer.alloc(12 + data.length)
    made.writeUInt32BE(data.length, 0)
    made.write(type, 4, "latin1")
    data.copy(made, 8)
    made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length)
    return made
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = depth
  header[9] = colour === "grey" ? 0 : 6
  header[12] = 1
  const sample = (colour === "grey" ? 1 : 4) * (depth / 8)
  // Adam7 (PNG §8.2): where each pass begins, and its steps.
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const
  let size = 0
  for (const [x, y, dx, dy] of passes)
    size += Math.ceil((side - y) / dy) * (1 + Math.ceil((side - x) / dx) * sample)
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", claims ? Buffer.alloc(0) : deflateSync(Buffer.alloc(size))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}
