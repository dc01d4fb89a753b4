import { readJsonLines, readTextLines } from "../data-files.ts"

const file = (name: string) => new URL(name, import.meta.url)
const STRING = { type: "string" } as const
const STRINGS = { elements: STRING } as const

/** Questions that readers would ask about the manuals, each with the path of the page that answers it, relative to the site's root. */
export const DOCUMENTATION_QUESTIONS = readJsonLines(file("documentation.jsonl"), {
  properties: { text: STRING, answer: STRING },
})

/** A question about the English manuals of `corpora/manuals.ts`. */
export interface ManualQuestion {
  readonly text: string
  /** Paths of the pages that answer it, `<manual>/<file>`. */
  readonly answers: readonly string[]
  /** A text in each of these pages, which shows that the judgement is about the current page. */
  readonly holds: string
}

const manualQuestions = (name: string): readonly ManualQuestion[] =>
  readJsonLines(file(name), { properties: { text: STRING, answers: STRINGS, holds: STRING } })

/** Titles, names, options, file names and error messages, typed exactly as the manuals write them. */
export const EXACT_WORD_QUESTIONS = manualQuestions("exact-words.jsonl")
/** Questions with common typing errors: missing, doubled, swapped and wrong letters. */
export const MISSPELT_QUESTIONS = manualQuestions("misspelt.jsonl")
/** Questions whose answer is one section of a page of more than 50,000 characters. If several pages give the full answer, each of them is right. */
export const LONG_PAGE_QUESTIONS = manualQuestions("long-pages.jsonl")

/** Languages of the questions, as ISO 639-1 codes. */
export const LANGUAGES = ["en", "de", "fr", "es", "pt", "ja", "zh"] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * Questions about the Debian Administrator's Handbook and manual pages, both of which Debian ships in these languages, and the page that
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

/** Tasks about the project's handbook and the manual pages in `bench/`, with the paths of the two or more pages in `research-corpus.ts` that a good report relies on. */
export const RESEARCH_QUESTIONS = readJsonLines(file("research.jsonl"), {
  properties: { input: STRING, pages: STRINGS },
})
export type ResearchQuestion = (typeof RESEARCH_QUESTIONS)[number]

/** A question, and the fact that an answer must contain. */
export interface AnswerQuestion {
  readonly text: string
  /** Wordings; every right answer contains one of them, with single spaces as white space, in any letter case. */
  readonly facts: readonly string[]
}

const answerQuestions = (name: string): readonly AnswerQuestion[] =>
  readJsonLines(file(name), { properties: { text: STRING, facts: STRINGS } })

/** Questions about the manuals in `testing/pages`. */
export const MANUAL_QUESTIONS = answerQuestions("own-manuals.jsonl")
/** Questions about the project's own handbook, `docs`. */
export const HANDBOOK_QUESTIONS = answerQuestions("own-handbook.jsonl")
/** Questions that are never asked of a documentation collection. */
export const UNRELATED: readonly string[] = readTextLines(file("unrelated.txt"))
/** Questions that neither the manuals nor the handbook answer. */
export const UNRELATED_QUESTIONS: readonly string[] = [
  ...UNRELATED,
  ...readTextLines(file("unrelated-more.txt")),
]
/** Questions close to the subject of the pages, but answered by none of them. */
export const NEAR_QUESTIONS: readonly string[] = readTextLines(file("near-misses.txt"))
