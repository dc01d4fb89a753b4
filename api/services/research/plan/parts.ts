import { splitSentences } from "#engine/answer-extraction/statements/sentences.ts"

import type { Question } from "../sources/evidence.ts"
import { comparedBeforeColon, type Comparison, comparisonIn } from "./comparison.ts"
import { itemsOf } from "./items.ts"
import { areSame, labelOf, SUBJECT_WORDS, subjectWords, wordsNotIn } from "./words.ts"

/** What a task asks, part by part. */
export interface Plan {
  /** The whole of it, the first question. */
  readonly whole: Question
  /** In the order of the task; empty when it has but one. */
  readonly parts: readonly Part[]
  /** The words that name what it is about. */
  readonly subject: readonly string[]
}

/** A part of a task, searched for with the task's subject. */
export interface Part extends Question {
  /** Parts of one heading belong together: the sides of a comparison. */
  readonly heading: string
  /** What is compared, when this part is one side of it. */
  readonly side: string | null
  /** What it asks without the task's subject. */
  readonly asks: string
  /** What a page about the side is called; null when this part is no side. */
  readonly name: string | null
}

const MAX_PARTS = 9
const ENDING = /[?？.!]+$/
/** Parts that share more of their terms are one: items of a list differ in a word. */
const KNOWN = 0.95
/** A shorter clause asks nothing. */
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
/** Where one question of a sentence ends and the next begins. */
const NEXT_QUESTION = new RegExp(
  String.raw`[,;:]?\s+(?:(?:${AND})\s+)(?=(?:(?:${PREPOSITION})\s+)?(?:${ASKING}|${AUXILIARY}|${TELLING})\b)` +
    String.raw`|[,;:]\s+(?=(?:(?:${PREPOSITION})\s+)?(?:${ASKING})\b)`,
  "i",
)

/** The parts of a task: its sentences, their clauses, the items they name, the sides they compare; each with the task's subject. */
export function planOf(text: string): Plan {
  // The patterns would try every way to share a long row of blanks.
  const input = text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim()
  const whole = { text: input, label: labelOf(input) }
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
    for (const clause of clausesOf(named === null ? sentence : named.rest)) {
      if (clause.split(/\s+/).length < LEAST_WORDS) continue
      const compared = comparisonIn(clause)
      // "A versus B: how does each …": what follows is asked of each side.
      if (compared === null && sides !== null && speaksOfEach(clause)) {
        add(...sidesOf(sides, clause, clause))
        continue
      }
      if (compared !== null) {
        sides = { ...compared, about: unique([...compared.about, ...subject]) }
        add(...sidesOf(sides, clause))
        if (subject.length === 0)
          subject = [...compared.about, ...unique(compared.sides.flatMap(subjectWords))]
        continue
      }
      for (const item of itemsOf(clause)) add(partOf(item, subject))
      if (subject.length === 0) subject = subjectWords(clause)
    }
  }
  const asked = bySide(parts)
  const isOne = asked.length === 1 && areSame(asked[0]!.text, input)
  return { whole, parts: isOne ? [] : asked, subject }
}

/** Sides that are asked for by themselves are left out where clauses ask of each. */
function bySide(parts: readonly Part[]): Part[] {
  const headings = new Set(parts.filter(({ side }) => side !== null).map(({ heading }) => heading))
  if (headings.size < 2) return [...parts]
  const [first] = headings
  return parts.filter(({ side, heading }) => side === null || heading !== first || isAsking(heading))
}

const ASKS = new RegExp(String.raw`\b(?:${ASKING}|compare\w*|differ\w*)\b`, "i")
const isAsking = (text: string): boolean => ASKS.test(text)

/** Whether a clause asks of what was compared before, each or all of it. */
const speaksOfEach = (clause: string): boolean =>
  /\b(?:each|both|they|them|their|these|those)\b/i.test(clause)

/** @param question what is asked of each side; nothing in a clause that only compares */
function sidesOf({ sides, names, about }: Comparison, clause: string, question = ""): Part[] {
  return sides.map((side, at): Part => {
    const asks = [side, question.replace(ENDING, "")].filter((one) => one !== "").join(" ")
    const text = withSubject(asks, about)
    return { text, label: labelOf(side), heading: labelOf(clause), side, asks, name: names[at]! }
  })
}

/** A question with the words of the task's subject that it does not have. */
const withSubject = (question: string, subject: readonly string[]): string =>
  [question, ...wordsNotIn(question, subject).slice(0, SUBJECT_WORDS)].join(" ")

/** A question as a part of its own. */
export function partOf(clause: string, subject: readonly string[] = []): Part {
  const text = withSubject(clause.replace(ENDING, ""), subject)
  const label = labelOf(clause)
  return { text, label, heading: label, side: null, asks: clause, name: null }
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
