import { functionWords } from "#engine/text/analysis/stop-words.ts"
import { lettersOf, SCRIPTS } from "#engine/text/scripts.ts"

// Checks whether a sentence is in a different language from its source, and finds the parts that a translation leaves
// unchanged.

/** Minimum number of words from which a language can be detected. */
const LEAST_WORDS = 5
/** Maximum number of words read to detect a language. */
const WORDS_READ = 400

/** Features of a text that indicate its language. */
export interface Spoken {
  /** The script of most of its letters; `null` if it has no letters. */
  readonly script: string | null
  readonly words: number
  /** Number of its words that are function words, by language. */
  readonly counts: readonly { readonly language: string; readonly count: number }[]
}

export function spokenIn(text: string): Spoken {
  const script = scriptIn(text)
  const words = script === "Latin" ? (text.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? []) : []
  return { script, words: words.length, counts: functionWords(words.slice(0, WORDS_READ)) }
}

/** Whether two texts are in different languages, judging by their letters and function words. */
export function areApart(text: Spoken, source: Spoken): boolean {
  if (text.script === null || source.script === null) return false
  if (text.script !== source.script) return true
  if (text.script !== "Latin" || text.words < LEAST_WORDS) return false
  const spoken = languageOf(source)
  if (spoken === null) return false
  const ofSource = text.counts.find(({ language }) => language === spoken)?.count ?? 0
  return ofSource === 0 || text.counts.some(({ count }) => count > ofSource + 1)
}

function languageOf({ counts }: Spoken): string | null {
  const [first, second] = counts.toSorted((a, b) => b.count - a.count)
  return first && first.count >= 2 && first.count > (second?.count ?? 0) ? first.language : null
}

const ALL_SCRIPTS = ["Latin", ...Object.keys(SCRIPTS).filter((name) => name !== "Kana"), "Hiragana"]
function scriptIn(text: string): string | null {
  const counted = ALL_SCRIPTS.map((script) => ({
    script,
    count: text.match(lettersOf([script]))?.length ?? 0,
  }))
  const [most] = counted.sort((a, b) => b.count - a.count)
  if (!most || most.count === 0) return null
  return most.script === "Hiragana" ? "Han" : most.script
}

/**
 * The parts that a translation leaves unchanged: code, words with capitals or marks inside, and, in text in another
 * script, everything in Latin letters.
 */
export function namesIn(text: string, { script }: Spoken): string[] {
  const words = text.match(/[\p{L}\p{N}_][\p{L}\p{N}_./:+#-]*[\p{L}\p{N}_+#]|\p{L}/gu) ?? []
  return words.filter((word) =>
    script === "Latin"
      ? /[\p{Ll}\p{N}]\p{Lu}|^\p{Lu}{2,}$|[_/]|\p{L}[.:]\p{L}/u.test(word)
      : /\p{Script=Latin}{2}/u.test(word),
  )
}
