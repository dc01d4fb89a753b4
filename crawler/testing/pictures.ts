import sharp from "sharp"

/** A picture that looks like a photograph and like no other with another `seed`, as PNG. */
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

/** One colour all over, as PNG. */
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
