import { type AnalysedQuery, analyseQuery } from "../../analysis/analyse.ts"
import type { QueryText } from "../../query-text.ts"

/**
 * The terms of a question whose language nobody names, for an index that holds pages of several languages.
 *
 * The language whose words that say nothing are most in it is taken for the question's own; when several
 * languages tell nothing apart, the terms of all of them are looked for: a stem of another language is
 * seldom a word of this one.
 *
 * @param languages of the pages that may answer; none counts as English.
 */
export function analyseInLanguages(question: QueryText, languages: readonly string[]): AnalysedQuery {
  const analysed = (languages.length > 0 ? languages : [null]).map((one) => analyseQuery(question, one))
  const fewest = Math.min(...analysed.map((one) => one.terms.length))
  const likely = analysed.filter((one) => one.terms.length === fewest)
  return { terms: [...new Set(likely.flatMap((one) => one.terms))], quoted: question.phrases }
}
