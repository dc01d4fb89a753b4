export const FNV1A_START = 0x811c9dc5

/** FNV-1a over UTF-16 units, 32 bits as a signed number. Stored fingerprints depend on it, so it must never change. */
export function fnv1a(text: string, start = FNV1A_START): number {
  let value = start
  for (let at = 0; at < text.length; at++) value = fnv1aStep(value, text.charCodeAt(at))
  return value
}

/** The same hash, extended by one UTF-16 unit. */
export const fnv1aStep = (value: number, unit: number): number => Math.imul(value ^ unit, 0x01000193)

/** The last step of MurmurHash3: every bit of the result depends on every bit of the value. Unsigned. */
export function murmurMix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
