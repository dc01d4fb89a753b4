import type { Hit } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { followUpQuestions } from "#engine/answer-extraction/follow-ups.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { isStopWord } from "#engine/text/analysis/stop-words.ts"

import type { Question } from "./sources/evidence.ts"

/** A shorter part of the input is no question of its own. */
const LEAST_WORDS = 3
const MAX_PARTS = 6
const MAX_LABEL_CHARS = 90
/** Words of the input that go along with a subtopic, so that it is searched for within the matter. */
const SUBJECT_WORDS = 6
/** Subtopics that share more of their terms are one. */
const SAME = 0.6
/** Headings that many pages have and that name nothing. */
const EMPTY_HEADING =
  /^(?:introduction|overview|summary|conclusion|contents|table of contents|notes?|references?|see also|examples?|description|background|appendix.*|further reading|resources|details|usage|synopsis|links?|faq|changelog|history|authors?|copyright|license|bugs|next steps|related.*|more.*|about.*|options|arguments|parameters?|return values?|syntax|commands?|properties|methods|basics|getting started|quick ?start|home|welcome)$/i
/** Names as they stand in running text: several capitalised words, or one with capitals or marks inside. */
const NAME = /\b(?:\p{Lu}[\p{L}\p{N}]+(?:[ -]\p{Lu}[\p{L}\p{N}]+)+|\p{L}+[\p{Lu}\d_.]\p{L}[\p{L}\p{N}_]*)\b/gu

/** The questions that the input itself asks, the whole of it first. */
export function questionsOf(text: string): Question[] {
  // The patterns below would try every way to share a long row of blanks.
  const input = text.replaceAll(/[^\S\n]+/g, " ").replaceAll(/\s*\n\s*/g, "\n")
  const parts = [input, ...compared(input), ...sentences(input), ...clauses(input), ...enumerated(input)]
  const found: Question[] = []
  for (const text of parts.map((part) => part.trim()).filter((part) => part !== "")) {
    const question = { text, label: labelOf(text) }
    if (found.length === 0 || (found.length <= MAX_PARTS && !found.some((other) => same(other.text, text)))) {
      found.push(question)
    }
  }
  return found
}

/** `A` and `B` of "compare A and B", "A vs B", "difference between A and B". */
function compared(input: string): string[] {
  const found =
    /\b(?:compare|differences? between|choose between|comparison (?:of|between))\s+(.{2,80}?)\s+(?:and|with|to|or)\s+(.{2,80}?)(?=[.?!,;:]|$)/i.exec(
      input,
    ) ?? /(.{2,80}?)\s+(?:versus|vs\.?)\s+(.{2,80}?)(?=[.?!,;:]|$)/i.exec(input)
  return found ? [found[1]!, found[2]!] : []
}

/** Where one question of a sentence ends and the next begins. */
const NEXT_QUESTION =
  /,?\s+(?:and|or|but)\s+(?=(?:how|what|which|why|when|where|who|whom|whose|can|could|does|do|did|is|are|should|must)\b)/i

/** The questions within a sentence, when it asks several. */
function clauses(input: string): string[] {
  const parts = input.split(NEXT_QUESTION)
  return parts.length > 1 ? parts.filter((part) => part.split(/\s+/).length >= LEAST_WORDS) : []
}

function sentences(input: string): string[] {
  const parts = input.split(/(?<=[.?!;])\s+|\n+/).map((part) => part.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, ""))
  return parts.length > 1 ? parts.filter((part) => part.split(/\s+/).length >= LEAST_WORDS) : []
}

/** The items of "…: a, b and c", each with the words before them. */
function enumerated(input: string): string[] {
  const found = /^(.{3,120}?)(?::| such as | including )\s*([^.?!]+)/is.exec(input)
  if (!found) return []
  const items = found[2]!
    .split(/,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+/)
    .filter((item) => item.trim() !== "")
  return items.length > 1 ? items.map((item) => `${subjectOf(found[1]!)} ${item.trim()}`) : []
}

export interface SubtopicOptions {
  readonly count: number
  /** Questions that are asked already. */
  readonly known: readonly Question[]
  /** Whether names that stand in several pages are subtopics too. Default false. */
  readonly names?: boolean
}

/**
 * What the pages found have to say around the input: questions they answer, their headings and, when asked for, names
 * that several of them speak of. Each is told apart from what is known, the most promising first.
 */
export async function subtopics(
  input: string,
  hits: readonly Hit[],
  { count, known, names = false }: SubtopicOptions,
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
    for (const [rank, { headings, text }] of hit.passages.entries()) {
      const heading =
        headings
          .at(-1)
          ?.replace(/^[\d.]+\s+/, "")
          .trim() ?? ""
      if (heading !== "" && !EMPTY_HEADING.test(heading))
        consider(heading, hit.url, hit.score / (1 + rank / 4))
      if (!names) continue
      for (const [name] of text.matchAll(NAME)) if (name.length > 3) consider(name, hit.url, hit.score / 3)
    }
  }
  const candidates = [...weights.values()]
    .map(({ label, weight, pages }) => {
      const terms = new Set(analyse(label, null))
      // Near the input, and more than it.
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
    if ([...known, ...chosen].some((other) => same(other.label, label) || same(other.text, question.text)))
      continue
    chosen.push(question)
  }
  return chosen
}

/** What the input asks about and nothing found so far speaks of. */
export function gaps(
  input: string,
  found: ReadonlySet<string>,
  known: readonly Question[],
  count: number,
): Question[] {
  const missing: Question[] = []
  const subject = subjectOf(input)
  for (const word of tellingWords(input)) {
    const terms = analyse(word, null)
    if (missing.length === count || terms.length === 0 || terms.some((term) => found.has(term))) continue
    const text = `${word} ${subject
      .split(" ")
      .filter((other) => other !== word)
      .join(" ")}`.trim()
    if (![...known, ...missing].some((other) => same(other.text, text)))
      missing.push({ text, label: labelOf(word) })
  }
  return missing
}

/** The first telling words of a text, as written. */
const subjectOf = (text: string): string => tellingWords(text).slice(0, SUBJECT_WORDS).join(" ")

function tellingWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}_.'’/+#-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu) ?? []
  return [...new Set(words.filter((word) => !isStopWord(word.toLowerCase(), null)))]
}

function labelOf(text: string): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .replace(/[.;:,]+$/, "")
    .trim()
  if (line.length <= MAX_LABEL_CHARS) return capitalised(line)
  return `${capitalised(line.slice(0, MAX_LABEL_CHARS).replace(/\s+\S*$/, ""))} …`
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function same(one: string, other: string): boolean {
  const [a, b] = [new Set(analyse(one, null)), new Set(analyse(other, null))]
  return a.intersection(b).size / Math.max(1, a.union(b).size) >= SAME
}
