import { keccak256 } from "./keccak.ts"

/** An account or contract: `0x` and 40 hex digits, whose letter case is a checksum (EIP-55). */
export type Address = `0x${string}`

/** The address with its checksum, whatever its case. https://eips.ethereum.org/EIPS/eip-55 */
export function checksummed(address: string): Address {
  const digits = address.slice(2).toLowerCase()
  const digest = keccak256(digits)
  const cased = Array.from(digits, (digit, at) => (digest[at]! >= "8" ? digit.toUpperCase() : digit))
  return `0x${cased.join("")}`
}

/** @throws Error naming the expected form, if the address is invalid or mistyped, or if money sent to it would be lost */
export function parseAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error("must be an address: 0x and 40 hex digits")
  if (BigInt(text) === 0n) throw new Error("must not be the zero address: payments to it are lost")
  const right = checksummed(text)
  if (right !== text) {
    throw new Error(
      "must include its checksum, as shown by wallets (upper and lower case, EIP-55); a mistyped address would send the money elsewhere",
    )
  }
  return right
}
