import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"

/** The answer to a question that nothing in the index answers. */
export const NO_ANSWER = "No answer to this was found in the index."

/** An answer as it stands on the wire: after each statement its source's number, the place in `results` from 1. */
export function citedText(statements: readonly CitedStatement[]): string {
  const text = new CitedText()
  return statements.map((statement) => text.add(statement)).join("") || NO_ANSWER
}

/** The same, statement by statement. */
export class CitedText {
  #last: CitedStatement | null = null

  /** @returns what the statement adds to the text */
  add(statement: CitedStatement): string {
    const last = this.#last
    this.#last = statement
    // Code and what comes from another page begin a line of their own.
    const apart =
      last === null ? "" : last.source !== statement.source || last.text.includes("\n") ? "\n" : " "
    return `${apart}${statement.text} [${statement.source + 1}]`
  }
}
