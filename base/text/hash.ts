/** FNV-1a over UTF-16 units, 32 bits as a signed number. It keeps what stored fingerprints were made of: it never changes. */
export function fnv1a(text: string, start = 0x811c9dc5): number {
  let value = start
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}

/** The last step of MurmurHash3: every bit of the result depends on every bit of the value. Unsigned. */
export function murmurMix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
