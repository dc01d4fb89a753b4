import { type BodySchema, NOT_BLANK } from "../../server/wire/body-schema.ts"

/** Questions of one preview: each is asked twice, one after the other. */
export const MOST_PREVIEWED = 50
const MAX_QUESTION_CHARS = 400
const MOST_CHANGED = 100

export interface PreviewBody {
  readonly questions?: readonly string[]
  readonly logged?: number
  readonly rules?: readonly unknown[]
  readonly without?: readonly string[]
}

export const previewBody: BodySchema<PreviewBody> = {
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      maxItems: MOST_PREVIEWED,
      items: { type: "string", pattern: NOT_BLANK, maxLength: MAX_QUESTION_CHARS },
      description: "What is asked with the rules as they are, and as they would be.",
    },
    logged: {
      type: "integer",
      minimum: 1,
      maximum: MOST_PREVIEWED,
      description:
        "Asks so many of the questions that were asked most, too; they are kept where `FOSSICK_QUERY_LOG_DAYS` is set. 50 are asked at most, those of `questions` first.",
    },
    rules: {
      type: "array",
      maxItems: MOST_CHANGED,
      items: { type: "object" },
      description: "Rules that would be made, or would replace those of their ids.",
    },
    without: {
      type: "array",
      maxItems: MOST_CHANGED,
      items: { type: "string" },
      description: "Ids of rules that would be deleted.",
    },
  },
}
