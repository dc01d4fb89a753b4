import type { PageAnchor } from "#engine"

// Marks a heading's place in a line while markdown is being assembled, since the text around it may still be indented,
// quoted or dropped. The two characters are noncharacters in Unicode (§23.7).
const OPENS = "\uFDD0"
const CLOSES = "\uFDD1"
const MARK = /\uFDD0(\d{1,6})\uFDD1/g

export const markOf = (number: number): string => `${OPENS}${number}${CLOSES}`

export interface AnchoredMarkdown {
  readonly markdown: string
  /** See `Page`; empty when there are none. */
  readonly anchors: readonly PageAnchor[]
}

/** Removes the marks and returns the lines they were on. @param fragments by the number of their mark */
export function withoutMarks(marked: string, fragments: readonly string[]): AnchoredMarkdown {
  if (fragments.length === 0) return { markdown: marked, anchors: [] }
  const anchors: PageAnchor[] = []
  const left = new Map(fragments.entries())
  const lines = marked.split("\n").map((line, at) => {
    if (!line.includes(OPENS)) return line
    for (const [, number] of line.matchAll(MARK)) {
      const fragment = left.get(Number(number))
      left.delete(Number(number))
      if (fragment !== undefined && anchors.at(-1)?.[0] !== at) anchors.push([at, fragment])
    }
    return line.replace(MARK, "")
  })
  return { markdown: lines.join("\n"), anchors }
}

/** The remaining anchors with their new lines, after the beginning of a text was dropped. */
export function anchorsBehind(dropped: string, anchors: readonly PageAnchor[]): readonly PageAnchor[] {
  const lines = dropped.split("\n").length - 1
  return lines === 0
    ? anchors
    : anchors.flatMap(([line, ...place]): PageAnchor[] => (line < lines ? [] : [[line - lines, ...place]]))
}
