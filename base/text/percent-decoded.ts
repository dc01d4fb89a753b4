/** A text as it was before it was percent-encoded (RFC 3986, section 2.1); null where it is not encoded rightly. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
