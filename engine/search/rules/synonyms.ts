import { wordsOf } from "../../text/analysis/analyse.ts"
import type { QueryText } from "../../text/query-text.ts"
import type { Rule, SynonymRule } from "./rule.ts"

/** Maximum number of variants of a question to search: every page that is read is compared with each of them separately. */
const MOST_VARIANTS = 8

/** A question in other words. */
export interface Variant {
  readonly question: QueryText
  /** The rules that produced the variant. */
  readonly rules: readonly SynonymRule[]
}

/** A word of a question, with its position. */
interface Word {
  readonly key: string
  readonly start: number
  readonly end: number
}

/**
 * The question with words replaced by their synonyms: by each rule alone, and by all of them together if several apply.
 * Words in a quoted phrase stay as they are.
 *
 * @param languages the languages in which the words are read: two forms of one word count as the same
 */
export function variantsOf(
  question: QueryText,
  rules: readonly Rule[],
  languages: readonly string[],
): Variant[] {
  const synonyms = rules.filter((rule) => rule.kind === "synonym")
  if (synonyms.length === 0) return []
  const variants = new Map<string, Variant>()
  for (const language of languages.length > 0 ? languages : [null]) {
    const words = wordsIn(question.text, language)
    const quoted = quotedIn(question)
    const every: { readonly rule: SynonymRule; readonly at: Span; readonly said: string }[] = []
    for (const rule of synonyms) {
      for (const [meant, others] of pairsOf(rule)) {
        const keys = wordsIn(meant, language).map(({ key }) => key)
        const at = spanOf(words, keys, quoted)
        if (at === null) continue
        for (const said of others) {
          add(variants, question, [{ rule, at, said }])
          if (every.every((one) => one.at.end <= at.start || one.at.start >= at.end))
            every.push({ rule, at, said })
        }
      }
    }
    if (every.length > 1) add(variants, question, every)
  }
  variants.delete(question.text)
  return [...variants.values()].slice(0, MOST_VARIANTS)
}

interface Span {
  readonly start: number
  readonly end: number
}

function pairsOf({ words = [], from = [], to = [] }: SynonymRule): [string, readonly string[]][] {
  return [
    ...words.map((one): [string, readonly string[]] => [one, words.filter((other) => other !== one)]),
    ...from.map((one): [string, readonly string[]] => [one, to]),
  ]
}

function add(
  variants: Map<string, Variant>,
  question: QueryText,
  replaced: readonly { readonly rule: SynonymRule; readonly at: Span; readonly said: string }[],
): void {
  let { text } = question
  for (const { at, said } of replaced.toSorted((a, b) => b.at.start - a.at.start)) {
    text = `${text.slice(0, at.start)}${said}${text.slice(at.end)}`
  }
  if (!variants.has(text)) {
    variants.set(text, { question: { ...question, text }, rules: replaced.map(({ rule }) => rule) })
  }
}

/** The position of these consecutive words outside quotes; null if they don't occur. */
function spanOf(words: readonly Word[], keys: readonly string[], quoted: readonly Span[]): Span | null {
  if (keys.length === 0) return null
  for (let at = 0; at + keys.length <= words.length; at++) {
    const some = words.slice(at, at + keys.length)
    const span = { start: some[0]!.start, end: some.at(-1)!.end }
    const isQuoted = quoted.some(({ start, end }) => span.start < end && start < span.end)
    if (!isQuoted && some.every(({ key }, i) => key === keys[i])) return span
  }
  return null
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:[.'’+#_-]+[\p{L}\p{M}\p{N}]+)*[+#]*/gu

const wordsIn = (text: string, language: string | null): Word[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    key: wordsOf(word, language).join(" ") || word.toLowerCase(),
    start: index,
    end: index + word.length,
  }))

const quotedIn = ({ text, phrases }: QueryText): Span[] =>
  phrases.flatMap((phrase) => {
    const start = text.indexOf(phrase)
    return start < 0 ? [] : [{ start, end: start + phrase.length }]
  })
