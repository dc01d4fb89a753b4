/** A stretch of text, from its start up to but not including its end. */
export type Stretch = readonly [from: number, to: number]

/** Removes the text in these stretches from XML. Its elements are kept, so the XML stays well-formed. */
export function withoutTexts(xml: string, stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return xml
  const sorted = stretches.toSorted((a, b) => a[0] - b[0])
  let out = ""
  let at = 0
  for (const [from, to] of sorted) {
    if (to <= at) continue
    const start = Math.max(at, from)
    out += xml.slice(at, start) + xml.slice(start, to).replace(/>[^<]+/g, ">")
    at = to
  }
  return out + xml.slice(at)
}
