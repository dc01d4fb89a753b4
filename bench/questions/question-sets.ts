import { readJsonLines, readTextLines } from "../data-files.ts"

const file = (name: string) => new URL(name, import.meta.url)
const STRING = { type: "string" } as const
const STRINGS = { elements: STRING } as const

/** Questions as readers would ask them over the manuals, and the path below the site's root of the page that answers each. */
export const DOCUMENTATION_QUESTIONS = readJsonLines(file("documentation.jsonl"), {
  properties: { text: STRING, answer: STRING },
})

/** A question over the English manuals of `corpora/manuals.ts`. */
export interface ManualQuestion {
  readonly text: string
  /** Paths of the pages that answer it, `<manual>/<file>`. */
  readonly answers: readonly string[]
  /** A text in each of these pages, which shows that the judgement is about the current page. */
  readonly holds: string
}

const manualQuestions = (name: string): readonly ManualQuestion[] =>
  readJsonLines(file(name), { properties: { text: STRING, answers: STRINGS, holds: STRING } })

/** Titles, names, options, file names and error messages, typed as they are written. */
export const EXACT_WORD_QUESTIONS = manualQuestions("exact-words.jsonl")
/** Questions with the slips people make: letters left out, doubled, swapped and wrong. */
export const MISSPELT_QUESTIONS = manualQuestions("misspelt.jsonl")
/** Questions whose answer is one section of a page of more than 50,000 characters. Pages that all give the full answer are all right. */
export const LONG_PAGE_QUESTIONS = manualQuestions("long-pages.jsonl")

/** Languages that are asked, as ISO 639-1 has them. */
export const LANGUAGES = ["en", "de", "fr", "es", "pt", "ja", "zh"] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * Questions over the Debian Administrator's Handbook and over manual pages, both of which Debian ships in these languages, and the page that
 * answers each: `handbook/<file>` or `man/<name>.<section>`. They avoid the names of programs, which read alike in all languages.
 */
export const LANGUAGE_QUESTIONS = readJsonLines(file("languages.jsonl"), {
  properties: {
    answer: STRING,
    en: STRING,
    de: STRING,
    fr: STRING,
    es: STRING,
    pt: STRING,
    ja: STRING,
    zh: STRING,
  },
})

/** Tasks over the project's handbook and the manual pages beside the benches, and the paths of the pages in `research-corpus.ts` that a good report rests on: two or more. */
export const RESEARCH_QUESTIONS = readJsonLines(file("research.jsonl"), {
  properties: { input: STRING, pages: STRINGS },
})
export type ResearchQuestion = (typeof RESEARCH_QUESTIONS)[number]

/** A question, and the fact that an answer to it must hold. */
export interface AnswerQuestion {
  readonly text: string
  /** Wordings; every right answer has one of them, with white space as single blanks, in any letter case. */
  readonly facts: readonly string[]
}

const answerQuestions = (name: string): readonly AnswerQuestion[] =>
  readJsonLines(file(name), { properties: { text: STRING, facts: STRINGS } })

/** Over the manuals in `testing/pages`. */
export const MANUAL_QUESTIONS = answerQuestions("own-manuals.jsonl")
/** Over the project's own handbook, `docs`. */
export const HANDBOOK_QUESTIONS = answerQuestions("own-handbook.jsonl")
/** Questions that a collection of documentation is never asked. */
export const UNRELATED: readonly string[] = readTextLines(file("unrelated.txt"))
/** Questions that neither the manuals nor the handbook answer. */
export const UNRELATED_QUESTIONS: readonly string[] = [
  ...UNRELATED,
  ...readTextLines(file("unrelated-more.txt")),
]
/** Questions near the subject of the pages that none of them answers. */
export const NEAR_QUESTIONS: readonly string[] = readTextLines(file("near-misses.txt"))
