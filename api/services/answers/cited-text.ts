import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"

/** The answer to a question that nothing in the index answers. */
export const NO_ANSWER = "No answer to this was found in the index."

/**
 * An answer in wire format: each statement is followed by its source's number, which is its position in `results`, from
 * 1. Text that a statement depends on comes before it, each piece word for word as on the page: `Term: statement. [1]`.
 *
 * @param missing the parts of the question without an answer
 */
export function citedText(statements: readonly CitedStatement[], missing: readonly string[] = []): string {
  const text = new CitedText()
  const cited = statements.map((statement) => text.add(statement)).join("")
  if (cited === "") return NO_ANSWER
  return [cited, ...missing.map((one) => `No answer for ${one} was found in the index.`)].join("\n")
}

/** The same text, one statement at a time. */
export class CitedText {
  #last: CitedStatement | null = null

  /** @returns the text that the statement adds */
  add(statement: CitedStatement): string {
    const last = this.#last
    this.#last = statement
    // Lists and code are separate paragraphs; a statement from another page begins a new line.
    const isApart = last !== null && [last, statement].some(({ text }) => text.includes("\n"))
    const apart = last === null ? "" : isApart ? "\n\n" : last.source !== statement.source ? "\n" : " "
    return apart + printedUnit(statement, `[${statement.source + 1}]`)
  }
}

/** A unit, preceded by the text it depends on and followed by its citation. */
export function printedUnit(unit: Printed, mark: string): string {
  // Directly after a fence or a table row, the citation would become part of it.
  const behind = /(?:`{3}|\|)$/.test(unit.text) ? "\n\n" : " "
  return `${withLeads(unit)}${behind}${mark}`
}

type Printed = Omit<CitedStatement, "source">

export function withLeads({ leads = [], text, outdated }: Printed): string {
  const older = outdated ? [`Older page, from ${outdated.toISOString().slice(0, 10)}:`] : []
  const led = [...older, ...leads].map((lead) => (/[:：?？!.]$/u.test(lead) ? lead : `${lead}:`)).join(" ")
  if (led === "") return text
  return /^(?:`{3}|\||- |\d+[.)] )/.test(text) ? `${led}\n\n${text}` : `${led} ${text}`
}
