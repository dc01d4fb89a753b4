/** Side length in pixels of the image that is hashed. */
export const HASH_SIDE = 32
/** Number of frequencies kept per side. */
const KEPT = 8

/** cos((2x + 1) u π / 2N) for each frequency u and pixel x: the DCT-II. */
const COSINES = Array.from({ length: KEPT + 1 }, (_, u) =>
  Float64Array.from({ length: HASH_SIDE }, (__, x) =>
    Math.cos(((2 * x + 1) * u * Math.PI) / (2 * HASH_SIDE)),
  ),
)

/**
 * The 64-bit perceptual hash (pHash) of a grey image of {@link HASH_SIDE} × {@link HASH_SIDE} bytes, as 16 hex digits:
 * for each of the 8 × 8 lowest frequencies except the constant ones, whether it is above their median. Copies that were
 * resized or re-encoded differ in a few bits, other images in about half (Zauner 2010, "Implementation and Benchmarking
 * of Perceptual Image Hash Functions").
 */
export function perceptualHash(grey: Uint8Array): string {
  const rows: Float64Array[] = []
  for (let y = 0; y < HASH_SIDE; y++) {
    const row = new Float64Array(KEPT + 1)
    for (let u = 1; u <= KEPT; u++)
      for (let x = 0; x < HASH_SIDE; x++) row[u]! += grey[y * HASH_SIDE + x]! * COSINES[u]![x]!
    rows.push(row)
  }
  const frequencies: number[] = []
  for (let v = 1; v <= KEPT; v++)
    for (let u = 1; u <= KEPT; u++) {
      let sum = 0
      for (let y = 0; y < HASH_SIDE; y++) sum += rows[y]![u]! * COSINES[v]![y]!
      frequencies.push(sum)
    }
  const median = frequencies.toSorted((a, b) => a - b)[frequencies.length / 2]!
  let hash = 0n
  for (const frequency of frequencies) hash = (hash << 1n) | (frequency > median ? 1n : 0n)
  return hash.toString(16).padStart(16, "0")
}

/** Number of bits in which two hashes differ, 0 to 64. */
export function hammingDistance(a: string, b: string): number {
  return [0, 8].reduce((bits, from) => bits + ones(half(a, from) ^ half(b, from)), 0)
}

const half = (hash: string, from: number): number => Number.parseInt(hash.slice(from, from + 8), 16)

function ones(word: number): number {
  let bits = 0
  // Each step clears the lowest set bit.
  for (let left = word; left !== 0; left &= left - 1) bits += 1
  return bits
}
