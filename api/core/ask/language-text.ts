import type { LanguageNotice } from "#engine"
import { scriptOf } from "#engine/text/scripts.ts"

/** Maximum number of languages listed by name; if there are more, their script is named instead. */
const MOST_NAMED = 3

/** Explains, as text for people, why a question in its language might find little. */
export function languageText({ languages, isScarce, betterModel }: LanguageNotice): string {
  const named = languages.length > MOST_NAMED ? `${scriptOf(languages[0]!)} script` : listed(languages)
  const scarce = `The question is in ${named}, but few or none of the pages searched are.`
  const better = `The ${betterModel} embedding model reads both the question and the pages; the index's model does not; see docs/embedding-models.md.`
  return [...(isScarce ? [scarce] : []), ...(betterModel === undefined ? [] : [better])].join(" ")
}

/** Lists languages by name, such as `German`, or `Chinese or Japanese`. The names are loaded on demand, because the names of all languages take up megabytes. */
function listed(languages: readonly string[]): string {
  const names = new Intl.DisplayNames("en", { type: "language" })
  const or = new Intl.ListFormat("en", { type: "disjunction" })
  return or.format(languages.map((one) => names.of(one) ?? one))
}
