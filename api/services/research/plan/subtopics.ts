import type { Hit } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { followUpQuestions } from "#engine/answer-extraction/follow-ups.ts"
import { questionType } from "#engine/answer-extraction/question-type.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"

import type { Question } from "../sources/evidence.ts"
import type { Part } from "./parts.ts"
import { areSame, labelOf, MAX_LABEL_CHARS, SUBJECT_WORDS, subjectWords } from "./words.ts"

/** Headings that occur on many pages and name no topic. */
const EMPTY_HEADING =
  /^(?:introduction|overview|summary|conclusion|contents|table of contents|notes?|references?|see also|examples?|description|background|appendix.*|further reading|resources|details|usage|synopsis|links?|faq|changelog|history|authors?|copyright|license|bugs|next steps|related.*|more.*|about.*|options|arguments|parameters?|return values?|syntax|commands?|properties|methods|basics|getting started|quick ?start|home|welcome)$/i

/** Whether a task names a subject instead of asking a question. */
export const isTopic = (input: string): boolean => !/[?？]\s*$/.test(input) && questionType(input) === "open"

export interface SubtopicOptions {
  readonly count: number
  /** Questions that have already been asked. */
  readonly known: readonly Question[]
}

/**
 * Topics of the pages found for the input: questions they answer, and their headings. Each differs from what is already
 * known; the most promising come first.
 */
export async function subtopics(
  input: string,
  hits: readonly Hit[],
  { count, known }: SubtopicOptions,
): Promise<Question[]> {
  const asked = new Set(analyseQuery(input, null).terms)
  const weights = new Map<string, { label: string; weight: number; pages: Set<string> }>()
  const consider = (label: string, page: string, weight: number) => {
    const key = analyse(label, null).join(" ")
    if (key === "" || label.length > MAX_LABEL_CHARS || holdsModelOrder(label)) return
    const entry = weights.get(key) ?? { label, weight: 0, pages: new Set<string>() }
    entry.weight = Math.max(entry.weight, weight)
    entry.pages.add(page)
    weights.set(key, entry)
  }
  for (const question of await followUpQuestions(input, hits)) consider(question, "", 1)
  for (const hit of hits) {
    for (const [rank, { headings }] of hit.passages.entries()) {
      const heading =
        headings
          .at(-1)
          ?.replace(/^[\d.]+\s+/, "")
          .trim() ?? ""
      if (heading !== "" && !EMPTY_HEADING.test(heading))
        consider(heading, hit.url, hit.score / (1 + rank / 4))
    }
  }
  const candidates = [...weights.values()]
    .map(({ label, weight, pages }) => {
      const terms = new Set(analyse(label, null))
      // Topics related to the input rank higher, but must add something to it.
      const related = terms.intersection(asked).size > 0 ? 1.3 : 1
      return { label, terms, value: weight * related * (1 + Math.log(pages.size)), pages: pages.size }
    })
    .filter(({ terms }) => terms.difference(asked).size > 0)
    .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1))
  const chosen: Question[] = []
  for (const { label, terms } of candidates) {
    if (chosen.length === count) break
    const subject = terms.intersection(asked).size > 0 ? "" : `${subjectOf(input)} `
    const question = { text: `${subject}${label}`, label: labelOf(label) }
    if (
      [...known, ...chosen].some((other) => areSame(other.label, label) || areSame(other.text, question.text))
    )
      continue
    chosen.push(question)
  }
  return chosen
}

/** A part of the task, and its findings so far. */
export interface PartFound {
  readonly part: Part
  /** Headings above the findings that answer the part, best first. */
  readonly headings: readonly (readonly string[])[]
}

/**
 * Questions that follow from the findings, part by part. For a part without an answer: its own words plus the title of
 * the page closest to the task. For an answered part: its words plus the section that answers it.
 *
 * @param nearest the title of the page closest to the task; null if nothing was found
 */
export function followUps(
  found: readonly PartFound[],
  nearest: string | null,
  { count, known, deeper }: { count: number; known: readonly Question[]; deeper: boolean },
): Question[] {
  const questions: Question[] = []
  const ask = (part: Part, words: readonly string[]) => {
    const text = [...new Set(words)].join(" ")
    const question = { text, label: part.label, follows: part.text }
    const isKnown = [...known, ...questions].some((other) => other.text === text)
    if (text !== "" && questions.length < count && !isKnown) questions.push(question)
  }
  for (const { part, headings } of found) {
    if (headings.length > 0 || nearest === null) continue
    ask(part, [...subjectWords(part.asks), ...subjectWords(nearest)])
    // The name of a side is specific enough on its own; other words would find other subjects.
    if (part.side !== null) ask(part, subjectWords(part.asks))
  }
  for (const { part, headings } of deeper ? found : []) {
    for (const above of headings.slice(0, 2)) {
      const section = above.at(-1)?.replace(/^[\d.]+\s+/, "") ?? ""
      if (!holdsModelOrder(section)) ask(part, [...subjectWords(part.text), ...subjectWords(section)])
    }
  }
  return questions
}

/** The first distinctive words of a text, as written. */
const subjectOf = (text: string): string => subjectWords(text).slice(0, SUBJECT_WORDS).join(" ")
