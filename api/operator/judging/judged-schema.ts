import type { PageUrl } from "#engine"
import { listOf, object, type Of, optional, text, whole } from "../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"

/** Maximum number of questions in one file, and of stored questions: each question requires a search, which takes at most half a second. */
export const MOST_QUESTIONS = 5000
export const MAX_QUESTION_CHARS = 400
export const MOST_PAGES = 100
export const MOST_GRADE = 10
/** Maximum length of a judged page's address. */
const MAX_URL_CHARS = 2000

/** A page that answers a question. */
export interface JudgedPage {
  readonly url: PageUrl
  /** How well the page answers the question, from 1. */
  readonly grade: number
}

export interface JudgedQuestion {
  readonly question: string
  readonly pages: readonly JudgedPage[]
}

export const gradeSchema = whole(1, MOST_GRADE)

const page = object(
  { url: text(undefined, { maxLength: MAX_URL_CHARS }), ...optional({ grade: gradeSchema }) },
  undefined,
  { additionalProperties: false },
)
/** A page as written by a user: the default grade is 1. */
export type WrittenPage = Of<typeof page>

/** JSON Schema of the pages of a question, in a file and over the admin API. */
export const pagesSchema = listOf(page, undefined, { minItems: 1, maxItems: MOST_PAGES })

export const questionSchema = text(undefined, { pattern: NOT_BLANK, maxLength: MAX_QUESTION_CHARS })
