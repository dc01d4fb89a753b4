import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"

/** The answer to a question that nothing in the index answers. */
export const NO_ANSWER = "No answer to this was found in the index."

/** An answer as it stands on the wire: after each statement its source's number, the place in `results` from 1. */
export function citedText(statements: readonly CitedStatement[]): string {
  let text = ""
  let last: CitedStatement | null = null
  for (const statement of statements) {
    // Code and what comes from another page begin a line of their own.
    const apart =
      last === null ? "" : last.source !== statement.source || last.text.includes("\n") ? "\n" : " "
    text += `${apart}${statement.text} [${statement.source + 1}]`
    last = statement
  }
  return text === "" ? NO_ANSWER : text
}
