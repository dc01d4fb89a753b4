import type { Reads } from "../ranking/languages.ts"
import { functionWords } from "../text/analysis/stop-words.ts"
import { SCRIPTS } from "../text/scripts.ts"

const LETTERS: readonly (readonly [script: string, letter: RegExp])[] = [
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ...Object.keys(SCRIPTS)
    .filter((script) => script !== "Kana")
    .map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const),
]
const OTHER_SCRIPTS = new Set(Object.values(SCRIPTS).flat())
/** The function words of one language must be so many times as many as those of any other. */
const CLEARLY = 1.5

/**
 * What languages the asker reads, as far as the question tells: that of its function words, when they are clearly of one, else all
 * that are written in its script. A question in Latin letters may be a name that Russian pages spell the same: its asker may
 * read other languages in Latin letters, and seldom means the Russian page.
 */
export function readBy(question: string): Reads {
  const script = LETTERS.find(([, letter]) => letter.test(question))?.[0]
  if (script !== undefined) return (language) => SCRIPTS[script]!.includes(language)
  const language = languageOf(question)
  if (language !== null) return (other) => other === language
  return /\p{Script=Latin}/u.test(question) ? (other) => !OTHER_SCRIPTS.has(other) : () => true
}

/** ISO 639-1, or null when the function words are of none, or of several. */
function languageOf(question: string): string | null {
  const words = question.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? []
  const [first, second] = functionWords(words).toSorted((a, b) => b.count - a.count)
  if (!first || first.count === 0) return null
  return first.count >= CLEARLY * (second?.count ?? 0) ? first.language : null
}
