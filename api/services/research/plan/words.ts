import { analyse } from "#engine/text/analysis/analyse.ts"
import { jaccard } from "#engine/text/analysis/likeness.ts"
import { isStopWord } from "#engine/text/analysis/stop-words.ts"

/** Maximum number of characters in a heading or a subtopic. */
export const MAX_LABEL_CHARS = 90
/** Number of the task's words that are added to the search for a part or a subtopic, to keep it on the subject. */
export const SUBJECT_WORDS = 6
/** Texts that share more than this portion of their terms ask the same thing. */
const SAME = 0.6

/** Words of tasks and comparisons that do not name a subject. */
const OF_TASKS =
  /^(?:compar\w*|contrast\w*|differ|differs|differences?|differ\w*|versus|vs|say|says|tell|explain|describe|list|show|give|name|discuss|summari[sz]e|outline|please|each|both|several|respectively|get|gets|got|happens?|work|works|way|ways|one|ones|use|used|using|need|needs|between|begin|began|begins|start|starts|know|knows|choose|make|makes|made|bring|take|takes|become|becomes|decide|decides|exist|exists|mean|means|keep|keeps|first|best)$/i

/** The distinctive words of a text, as written, without duplicates. */
export function tellingWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}.][\p{L}\p{M}\p{N}_.'’/+#-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu) ?? []
  return [...new Set(words.filter((word) => !isStopWord(word.toLowerCase(), null)))]
}

/** The distinctive words that may name the subject of a text. */
export const subjectWords = (text: string): string[] =>
  tellingWords(text)
    .map((word) => word.replace(/['’]s$/, ""))
    .filter((word) => !OF_TASKS.test(word))

/** The given words that a text does not contain, ignoring case. */
export function wordsNotIn(text: string, words: readonly string[]): string[] {
  const named = new Set(subjectWords(text).map((word) => word.toLowerCase()))
  return words.filter((word) => !named.has(word.toLowerCase()))
}

/** Text in the form of a heading. */
export function labelOf(text: string): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .replace(/[.;:,?!？]+$/, "")
    .trim()
  if (line.length <= MAX_LABEL_CHARS) return capitalised(line)
  return `${capitalised(line.slice(0, MAX_LABEL_CHARS).replace(/\s+\S*$/, ""))} …`
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Whether two texts ask the same question. */
export function areSame(one: string, other: string, least = SAME): boolean {
  return jaccard(new Set(analyse(one, null)), new Set(analyse(other, null))) >= least
}
