import { parseQueryText } from "#engine/text/query-text.ts"

/** The question with its phrases as plain words and every other operator in force; null when it quotes nothing. */
export function withoutPhrases(question: string): string | null {
  const asked = parseQueryText(question)
  if (asked.phrases.length === 0) return null
  return [
    asked.text,
    ...asked.excludedWords.map((word) => `-${word}`),
    ...asked.excludedPhrases.map((phrase) => `-"${phrase}"`),
    ...asked.includeDomains.map((host) => `site:${host}`),
    ...asked.excludeDomains.map((host) => `-site:${host}`),
  ].join(" ")
}
