import { keccak_256 } from "@noble/hashes/sha3"

/** Keccak-256 digest in lower-case hex, in the variant that Ethereum uses; SHA-3 uses different padding. Text is encoded as UTF-8. */
export const keccak256 = (message: Uint8Array | string): string =>
  Buffer.from(keccak_256(Buffer.from(message))).toString("hex")
