import { wordsOf } from "../../text/analysis/analyse.ts"
import type { QueryText } from "../../text/query-text.ts"
import { typedWords } from "../../text/typed-words.ts"
import type { PinRule, Rule } from "./rule.ts"

/** The pins that apply to a question, in order of position; only the first pin for each page. */
export function pinsFor(
  { text }: QueryText,
  rules: readonly Rule[],
  languages: readonly string[],
): readonly PinRule[] {
  const pins = rules.filter((rule) => rule.kind === "pin")
  if (pins.length === 0) return []
  const asked = typedWords(text).join(" ")
  const stems = (some: string, language: string | null) => wordsOf(some, language)
  const fits = ({ questions, match = "equal" }: PinRule) =>
    questions.some((one) => {
      const words = typedWords(one)
      if (words.length === 0) return false
      if (match === "equal") return words.join(" ") === asked
      return (languages.length > 0 ? languages : [null]).some((language) => {
        const held = new Set(stems(text, language))
        return stems(one, language).every((stem) => held.has(stem))
      })
    })
  const found = new Map<string, PinRule>()
  for (const pin of pins) if (!found.has(pin.url) && fits(pin)) found.set(pin.url, pin)
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b))
}

/** From 1. */
export const placeOf = ({ position = 1 }: PinRule): number => position
