import type { ComparedSide } from "#engine/answer-extraction/asked-question.ts"
import { splitSentences } from "#engine/answer-extraction/statements/sentences.ts"

import type { Question } from "../sources/evidence.ts"
import { comparedBeforeColon, type Comparison, comparisonIn } from "./comparison.ts"
import { itemsOf } from "./items.ts"
import { areSame, labelOf, SUBJECT_WORDS, subjectWords, wordsNotIn } from "./words.ts"

/** A part of a task, searched for together with the task's subject. */
export interface Part extends Question {
  /** The part's heading; parts with the same heading belong together: the sides of a comparison. */
  readonly heading: string
  /** The question that units have to answer; includes the task's subject if it says little without it. */
  readonly question: string
  /** The words of the task's subject that the question lacks. */
  readonly context: string
  /** The question without the task's subject. */
  readonly asks: string
  /** The thing compared, when this part is one side of a comparison. */
  readonly side: string | null
  readonly compared: ComparedSide | null
}

const MAX_PARTS = 9
const ENDING = /[?？.!]+$/
/** Parts that share more than this portion of their terms are treated as the same part; items of a list may differ in a single word. */
const KNOWN = 0.95
/** Minimum number of words in a clause that asks something. */
const LEAST_WORDS = 2

const ASKING =
  "how|what|which|why|when|where|who|whom|whose|wie|was|welche[rsnm]?|warum|wann|wo|wer|comment|que|quel(?:le)?s?|pourquoi|quand|où|qui|cómo|qué|cuál(?:es)?|cuándo|dónde|quién"
const PREPOSITION =
  "for|to|at|by|in|on|from|since|until|with|of|under|against|mit|für|von|seit|bis|pour|de|depuis|para|por|desde"
const TELLING = "say|explain|tell|describe|list|name|show|give|discuss|outline|summari[sz]e"
const AUXILIARY = "can|could|does|do|did|is|are|was|were|should|must|may|will|would|has|have"
const AND = "and|or|but|then|und|oder|aber|et|ou|mais|y|o|pero"
/** "and say which …": the question follows. */
const LEADING_TELLING = new RegExp(String.raw`^(?:${TELLING})\s+(?:me\s+)?(?=(?:${ASKING})\b)`, "i")
/** Matches where one question in a sentence ends and the next begins. */
const NEXT_QUESTION = new RegExp(
  String.raw`[,;:]?\s+(?:(?:${AND})\s+)(?=(?:(?:${PREPOSITION})\s+)?(?:${ASKING}|${AUXILIARY}|${TELLING})\b)` +
    String.raw`|[,;:]\s+(?=(?:(?:${PREPOSITION})\s+)?(?:${ASKING})\b)`,
  "i",
)

/**
 * The parts of a task, at least one: its sentences, their clauses, the items they name and the sides they compare, each
 * with the task's subject.
 */
export function planOf(text: string): Part[] {
  // White space is collapsed first, because the patterns would try every way to split a long run of spaces.
  const input = text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim()
  const parts: Part[] = []
  const add = (...some: readonly Part[]) => {
    for (const part of some) {
      const isKnown = parts.some((other) => other.side === part.side && areSame(other.text, part.text, KNOWN))
      if (parts.length < MAX_PARTS && !isKnown) parts.push(part)
    }
  }
  let subject: readonly string[] = []
  let sides: Comparison | null = null
  for (const sentence of sentencesOf(input)) {
    const named = comparedBeforeColon(sentence)
    if (named !== null) {
      sides = named
      subject = [...named.about, ...unique(named.sides.flatMap(subjectWords))]
    }
    const { head, rest } = named === null ? headed(sentence) : { head: null, rest: named.rest }
    // "Pumps in winter: how …, which …": the text before the colon says what the questions are about.
    if (head !== null && subject.length === 0) subject = subjectWords(head)
    for (const clause of clausesOf(rest)) {
      if (clause.split(/\s+/).length < LEAST_WORDS) continue
      const compared = comparisonIn(clause)
      // "A versus B: how does each …": the question is asked about each side.
      if (compared === null && sides !== null && speaksOfEach(clause)) {
        add(...sidesOf(sides, clause, clause))
        continue
      }
      if (compared !== null) {
        sides = { ...compared, about: unique([...compared.about, ...subject]) }
        const aspects = aspectsOf(clause)
        const about = wordsNotIn(aspects.join(" "), sides.about)
        for (const aspect of aspects) add(...sidesOf({ ...sides, about }, aspect, aspect))
        if (aspects.length === 0) add(...sidesOf(sides, clause))
        if (subject.length === 0)
          subject = [...compared.about, ...unique(compared.sides.flatMap(subjectWords))]
        continue
      }
      for (const item of itemsOf(clause)) add(partOf(item, subject))
      if (subject.length === 0) subject = subjectWords(clause)
    }
  }
  const asked = bySide(parts)
  const isOne = asked.length === 0 || (asked.length === 1 && areSame(asked[0]!.text, input))
  return isOne ? [partOf(input)] : asked
}

/** Sides that are only named are left out if a question is asked about each side. */
function bySide(parts: readonly Part[]): Part[] {
  const isNamed = ({ side, asks, heading }: Part) => side !== null && asks === side && !isAsking(heading)
  const isAsked = parts.some((part) => part.side !== null && !isNamed(part))
  return isAsked ? parts.filter((part) => !isNamed(part)) : [...parts]
}

const ASKS = new RegExp(String.raw`\b(?:${ASKING}|compare\w*|differ\w*)\b`, "i")
const isAsking = (text: string): boolean => ASKS.test(text)

/** Whether a clause asks about the things compared before it, individually or together. */
const speaksOfEach = (clause: string): boolean =>
  /\b(?:each|both|they|them|their|these|those)\b/i.test(clause)

/** Matches a clause that asks only how one side differs from the other. */
const ASKS_DIFFERENCE = /^(?:how|where|what|in wh\w+)\b.{0,40}\b(?:differ\w*|compare)$/i
const EACH = /\b(?:each|both)(?: (?:one|of (?:them|these|those)))?\b|\bthe(?:y|m)\b/gi
const THEIR = /\btheir\b/gi
/**
 * Matches the aspects asked about each side: "differ in price and taste". A single word after "in" may be the setting
 * of the comparison: "in aptitude".
 */
const ASPECTS = /\s(?:in|by|regarding|concerning|with (?:respect|regard) to)\s+(.+)$/i
const CONTEXT_WORDS = 1
const MAX_ASPECT_WORDS = 5

/** The aspects in which a clause compares its sides, if there are several. */
function aspectsOf(clause: string): string[] {
  const listed = ASPECTS.exec(clause.replace(ENDING, ""))?.[1] ?? ""
  const aspects = listed.split(/,\s*(?:and\s+|or\s+)?|\s+(?:and|or|und|oder)\s+/i).map((one) => one.trim())
  const areShort = aspects.every(
    (one) => one.split(/\s+/).length <= MAX_ASPECT_WORDS && subjectWords(one).length > 0,
  )
  return aspects.length > 1 && areShort ? aspects : []
}

/** @param given the question asked about each side; used when a clause only compares */
function sidesOf({ sides, about }: Comparison, clause: string, given = ""): Part[] {
  const bare = given.replace(ENDING, "")
  const asked = ASKS_DIFFERENCE.test(bare) ? "" : bare
  const isAspect = about.length > CONTEXT_WORDS && ASPECTS.test(clause)
  const asksWhatItIs = asked === "" && !isAspect
  return sides.map((side, at): Part => {
    const named = asked.replaceAll(EACH, () => side).replaceAll(THEIR, () => `${side}'s`)
    const asks = [named === asked ? side : "", named].filter((one) => one !== "").join(" ")
    const context = contextOf(asks, about)
    return {
      text: `${asks} ${context}`.trim(),
      label: labelOf(side),
      heading: labelOf(clause),
      // A bare comparison "in price and taste" asks for these aspects.
      ...(asksWhatItIs
        ? { question: `what is ${side}`, context }
        : {
            question: `${asks} ${asked === "" ? context : ""}`.trim(),
            context: asked === "" ? "" : context,
          }),
      asks,
      side,
      compared: { sides, at, asksWhatItIs },
    }
  })
}

/** The words of the task's subject that a question lacks. */
const contextOf = (question: string, subject: readonly string[]): string =>
  wordsNotIn(question, subject).slice(0, SUBJECT_WORDS).join(" ")

/** Minimum number of words that name something: a question with fewer isn't understood without its context. */
const TELLING_WORDS = 2

/** A question as a separate part. */
export function partOf(clause: string, subject: readonly string[] = []): Part {
  const asks = clause.replace(ENDING, "")
  const context = contextOf(asks, subject)
  const text = `${asks} ${context}`.trim()
  const label = labelOf(clause)
  const isClear = subjectWords(asks).length >= TELLING_WORDS
  const asked = isClear ? { question: asks, context } : { question: text, context: "" }
  return { text, label, heading: label, ...asked, asks: clause, side: null, compared: null }
}

const HEADED = new RegExp(String.raw`^([^:]{3,160}):\s+(?=(?:(?:${PREPOSITION})\s+)?(?:${ASKING})\b)`, "i")

/** Splits a sentence into the topic named before its first question, if there is one, and the rest. */
function headed(sentence: string): { readonly head: string | null; readonly rest: string } {
  const [whole = "", head = ""] = HEADED.exec(sentence) ?? []
  const isTopic = head !== "" && !isAsking(head) && comparisonIn(head) === null
  return isTopic ? { head, rest: sentence.slice(whole.length) } : { head: null, rest: sentence }
}

const sentencesOf = (input: string): string[] =>
  input
    .split("\n")
    .flatMap((line) => splitSentences(line, null))
    .flatMap((sentence) => sentence.split(/(?<=;)\s+/))
    .map((part) => part.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, "").trim())
    .filter((part) => part !== "")

const unique = (words: readonly string[]): string[] => [
  ...new Map(words.map((word) => [word.toLowerCase(), word])).values(),
]

/** The questions within a sentence. */
const clausesOf = (sentence: string): string[] =>
  sentence
    .split(NEXT_QUESTION)
    .map((part) => part.trim().replace(LEADING_TELLING, ""))
    .filter((part) => part !== "")
