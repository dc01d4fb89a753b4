/** A piece of text from an answer or a report, with the numbers of its sources. */
export interface CitedPiece {
  readonly text: string
  /** Numbers of the sources, from 1; empty if the piece has no citation. */
  readonly numbers: readonly number[]
}

/** The pieces of a text with a citation after them, such as `A sentence. [1][2]`; text after the last citation has no numbers. */
export function citedPieces(text: string): CitedPiece[] {
  const pieces: CitedPiece[] = []
  let last = 0
  for (const match of text.matchAll(/\s((?:\[\d+\])+)(?=\s|$)/g)) {
    const numbers = [...match[1]!.matchAll(/\d+/g)].map(Number)
    pieces.push({ text: text.slice(last, match.index).trim(), numbers })
    last = match.index + match[0].length
  }
  const rest = text.slice(last).trim()
  return rest === "" ? pieces : [...pieces, { text: rest, numbers: [] }]
}
