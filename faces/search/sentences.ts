/** What the appliance says when no page holds an answer; it never varies. */
export const NO_ANSWER = "No answer to this was found in the index."

/** A stretch of an answer and the numbers of the results that say so. */
export interface Sentence {
  readonly text: string
  readonly cites: readonly number[]
}

/** An answer, cut behind its citations: `To do so, run it. [1] Then wait. [2][3]`. */
export function sentencesOf(answer: string): Sentence[] {
  const sentences: Sentence[] = []
  let from = 0
  for (const match of answer.matchAll(/(?:\s*\[\d{1,2}\])+/g)) {
    const text = answer.slice(from, match.index).trim()
    const cites = [...match[0].matchAll(/\d+/g)].map(([number]) => Number(number))
    sentences.push({ text, cites })
    from = match.index + match[0].length
  }
  const rest = answer.slice(from).trim()
  if (rest !== "") sentences.push({ text: rest, cites: [] })
  return sentences
}
