import type { PdfLine } from "./pdf-lines.ts"

/** The number of lines examined at each end of a page. */
const EDGE_LINES = 3
/** A line on at least this many pages, and this share of them, does not belong to any page's text. */
const MIN_PAGES = 3
const MIN_SHARE = 0.25
const PAGE_NUMBER =
  /^[\s–—|-]*(?:(?:page|seite|p\.|pagina|página|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|sur|di|\|)\s*\d{1,4})?[\s–—|-]*$/i

/** Removes the lines that many pages have at the top and bottom, and the page numbers. */
export function withoutRunningHeads(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const seen = new Map<string, number>()
  for (const lines of pages) {
    for (const key of new Set(edges(lines).map((at) => keyOf(lines[at]!))))
      seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  const needed = Math.max(MIN_PAGES, pages.length * MIN_SHARE)
  return pages.map((lines) => {
    const outermost = new Set(outerEdges(lines))
    const dropped = new Set(
      edges(lines).filter((at) => {
        const line = lines[at]!
        if ((seen.get(keyOf(line)) ?? 0) >= needed) return true
        return pages.length > 1 && outermost.has(at) && PAGE_NUMBER.test(line.text)
      }),
    )
    return lines.filter((_, at) => !dropped.has(at))
  })
}

/** The top and bottom lines by their position on the page, regardless of the order in which they were written. */
function edges(lines: readonly PdfLine[]): number[] {
  const byHeight = lines.map((_, at) => at).sort((a, b) => lines[a]!.y - lines[b]!.y)
  return [...new Set([...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(-EDGE_LINES)])]
}

function outerEdges(lines: readonly PdfLine[]): number[] {
  const top = lines.reduce((least, { y }) => Math.min(least, y), Infinity)
  const bottom = lines.reduce((most, { y }) => Math.max(most, y), -Infinity)
  return lines.map((_, at) => at).filter((at) => lines[at]!.y === top || lines[at]!.y === bottom)
}

/** A key that is the same for lines at the same height whose texts differ only in numbers. */
function keyOf(line: PdfLine): string {
  return `${Math.round(line.y / 4)} ${line.text.replace(/\d+/g, "#").replace(/\s+/g, "").toLowerCase()}`
}
