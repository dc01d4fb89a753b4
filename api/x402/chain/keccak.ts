// Keccak-f[1600] with the padding of the original submission (byte 0x01), as Ethereum uses it; SHA-3 pads otherwise,
// so node:crypto's sha3-256 gives other digests. https://keccak.team/keccak_specs_summary.html

const MASK = (1n << 64n) - 1n
const RATE_BYTES = 136
const ROUNDS = 24

/** Rotation offsets r[x + 5y]. */
const ROTATIONS = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
].map(BigInt)

const ROUND_CONSTANTS = roundConstants()

/** Keccak-256 digest in lower-case hex. For addresses and names of events: a few bytes, now and then. */
export function keccak256(message: Uint8Array | string): string {
  const bytes = Buffer.from(message)
  const padded = Buffer.alloc((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES)
  bytes.copy(padded)
  padded[bytes.length]! ^= 0x01
  padded[padded.length - 1]! ^= 0x80
  const lanes: bigint[] = Array.from({ length: 25 }, () => 0n)
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane++) {
      lanes[lane]! ^= padded.readBigUInt64LE(block + lane * 8)
    }
    permute(lanes)
  }
  const digest = Buffer.alloc(32)
  for (let lane = 0; lane < 4; lane++) digest.writeBigUInt64LE(lanes[lane]!, lane * 8)
  return digest.toString("hex")
}

function permute(a: bigint[]): void {
  for (let round = 0; round < ROUNDS; round++) {
    const columns = [0, 1, 2, 3, 4].map((x) => a[x]! ^ a[x + 5]! ^ a[x + 10]! ^ a[x + 15]! ^ a[x + 20]!)
    const b: bigint[] = []
    for (let y = 0; y < 5; y++) {
      for (let x = 0; x < 5; x++) {
        const lane = a[x + 5 * y]! ^ columns[(x + 4) % 5]! ^ rotate(columns[(x + 1) % 5]!, 1n)
        b[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(lane, ROTATIONS[x + 5 * y]!)
      }
    }
    for (let y = 0; y < 25; y += 5) {
      for (let x = 0; x < 5; x++)
        a[x + y] = b[x + y]! ^ (~b[((x + 1) % 5) + y]! & MASK & b[((x + 2) % 5) + y]!)
    }
    a[0]! ^= ROUND_CONSTANTS[round]!
  }
}

const rotate = (lane: bigint, by: bigint): bigint => ((lane << by) | (lane >> (64n - by))) & MASK

/** Bits of a linear feedback shift register over x^8 + x^6 + x^5 + x^4 + 1, at the positions 2^j - 1. */
function roundConstants(): bigint[] {
  const constants: bigint[] = []
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    let constant = 0n
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt(2 ** j - 1)
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
    constants.push(constant)
  }
  return constants
}
