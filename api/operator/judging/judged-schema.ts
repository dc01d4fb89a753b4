import type { PageUrl } from "#engine"
import { NOT_BLANK } from "../../server/wire/body-schema.ts"

/** Questions of one file, and those that are kept: each is a search, at most half a second. */
export const MOST_QUESTIONS = 5000
export const MAX_QUESTION_CHARS = 400
export const MOST_PAGES = 100
export const MOST_GRADE = 10
/** Of an address; longer ones are no page that somebody names. */
const MAX_URL_CHARS = 2000

/** A page that answers a question. */
export interface JudgedPage {
  readonly url: PageUrl
  /** How well, from 1. */
  readonly grade: number
}

export interface JudgedQuestion {
  readonly question: string
  readonly pages: readonly JudgedPage[]
}

/** As somebody writes it: a grade that is left out is 1. */
export interface WrittenPage {
  readonly url: string
  readonly grade?: number
}

/** JSON Schema of the pages of a question, in a file and over the admin API. */
export const pagesSchema = {
  type: "array",
  minItems: 1,
  maxItems: MOST_PAGES,
  items: {
    type: "object",
    additionalProperties: false,
    required: ["url"],
    properties: {
      url: { type: "string", maxLength: MAX_URL_CHARS },
      grade: { type: "integer", minimum: 1, maximum: MOST_GRADE },
    },
  },
} as const

export const questionSchema = { type: "string", pattern: NOT_BLANK, maxLength: MAX_QUESTION_CHARS } as const
