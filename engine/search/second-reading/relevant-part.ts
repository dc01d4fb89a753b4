import { LETTERS_PER_CHARACTER, eastAsianIn } from "#base/text/east-asian.ts"
import { analyse } from "../../text/analysis/analyse.ts"

/**
 * Number of characters of a passage's text that are read again: the stretch that matches the question best, some 50
 * tokens with its title and headings instead of 100. nDCG@10 with sixteen pages read, on the even-numbered questions of
 * sections, apidocs, codebase and passages:
 *
 * the whole passage    0.778 0.893 0.783 0.725 240                  0.789 0.895 0.783 0.725 this                 0.778
 * 0.895 0.784 0.726 140                  0.776 0.895 0.784 0.724
 */
const PART_CHARS = 180
/** Ends of sentences and clauses, and of lines. */
const ENDS = /(?<=[.!?:;]\s|[。！？；：])|\n/u

/** A piece of a text, with the question's terms in it. */
interface Piece {
  readonly text: string
  readonly terms: readonly string[]
}

/**
 * The stretch of a passage's text that matches the question's words best; if several match equally well, the first.
 *
 * @param weights weights of the question's terms, as returned by `analyse` in `language`
 */
export function relevantPart(
  text: string,
  language: string | null,
  weights: ReadonlyMap<string, number>,
): string {
  const isEastAsian = eastAsianIn(text) * 2 > text.length
  const most = isEastAsian ? PART_CHARS / LETTERS_PER_CHARACTER : PART_CHARS
  if (text.length <= most) return text
  const pieces = text
    .split(ENDS)
    .flatMap((sentence) => cut(sentence, most / 2))
    .map((piece): Piece => ({
      text: piece,
      terms: [...new Set(analyse(piece, language))].filter((term) => weights.has(term)),
    }))
  let best: readonly Piece[] = []
  let said = -1
  for (const from of pieces.keys()) {
    const some = upTo(most, pieces, from)
    const terms = new Set(some.flatMap((piece) => piece.terms))
    const weight = [...terms].reduce((sum, term) => sum + weights.get(term)!, 0)
    if (weight > said) [best, said] = [some, weight]
  }
  return best
    .map((piece) => piece.text.trim())
    .filter((piece) => piece !== "")
    .join(" ")
}

/** Consecutive pieces, starting at this one, that together have this many characters; at least one piece. */
function upTo(chars: number, pieces: readonly Piece[], from: number): readonly Piece[] {
  let to = from
  let length = 0
  while (to < pieces.length && (to === from || length + pieces[to]!.text.length <= chars)) {
    length += pieces[to]!.text.length
    to++
  }
  return pieces.slice(from, to)
}

/** Splits a text into pieces of at most this many characters, at spaces if possible. */
function cut(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > most) {
    const blank = rest.lastIndexOf(" ", most)
    const end = blank > 0 ? blank : most
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}
