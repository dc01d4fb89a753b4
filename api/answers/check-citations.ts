import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"
import { splitSentences } from "#engine/answer-extraction/sentences.ts"

const CITATION = /\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g
/** Part of a sentence's telling words that its sources must have. Models inflect and join; they must not add. */
const SUPPORTED = 0.5
const ADDRESS = /\b(?:https?:\/\/|www\.)\S*[^\s.,;:!?)]/gi

/** A reply of the tokens that are asked for is shorter; each sentence of it is weighed against whole sources. */
const MAX_REPLY_CHARS = 20_000

/**
 * Those sentences of a model's reply that their sources bear out. A sentence is left out when it cites nothing or a
 * source that is not there, when a number or an address in it is in none of its sources, or when fewer than half of
 * its telling words are.
 *
 * @param sources the text of each source, in the order of their numbers
 * @param share of a sentence's telling words that its sources must have
 */
export function checkedSentences(
  reply: string,
  sources: readonly string[],
  share: number = SUPPORTED,
): CitedStatement[] {
  return reply
    .slice(0, MAX_REPLY_CHARS)
    .split(/\n+/)
    .flatMap((line) =>
      splitSentences(citationsInside(line), null).flatMap((sentence) => {
        const cited = [
          ...new Set(
            [...sentence.matchAll(CITATION)].flatMap(([, numbers = ""]) => numbers.split(",").map(Number)),
          ),
        ]
        const text = sentence.replace(CITATION, "").trim()
        const known = cited.length > 0 && cited.every((number) => number >= 1 && number <= sources.length)
        if (!known || !isBorneOut(text, cited.map((number) => sources[number - 1]!).join("\n"), share))
          return []
        return [{ text, source: cited[0]! - 1 }]
      }),
    )
}

/** `It is. [1]` becomes `It is [1].`, so that a citation stays with its sentence. */
const citationsInside = (line: string): string =>
  line.replace(/([.!?。！？]["”’)]?)((?:\s*\[\d[\d\s,]*\])+)/g, "$2$1")

/**
 * Whether a source states what a text says: every number and address of it, and a share of its other telling words;
 * texts with links never are.
 */
export function isBorneOut(text: string, source: string, share: number = SUPPORTED): boolean {
  if (/!?\[[^\]]*\]\(/.test(text)) return false
  const addresses = text.match(ADDRESS) ?? []
  if (addresses.some((address) => !source.includes(address))) return false
  const numbers = text.match(/\d+(?:[.,:/-]\d+)*/g) ?? []
  const given = new Set(source.match(/\d+(?:[.,:/-]\d+)*/g))
  if (numbers.some((number) => !given.has(number))) return false
  const { terms } = analyseQuery(text.replaceAll(ADDRESS, " "), null)
  const stated = new Set(analyse(source, null))
  return terms.length > 0 && terms.filter((term) => stated.has(term)).length >= share * terms.length
}
