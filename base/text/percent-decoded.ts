/** Text as it was before percent-encoding (RFC 3986, section 2.1); null if it is not correctly encoded. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
