import type { SearchDepth } from "#engine"

import type { BodySchema } from "../../server/wire/body-schema.ts"
import { pagesSchema, questionSchema, type WrittenPage } from "./judged-schema.ts"

// What the calls on judged questions check, and what /openapi.json shows.

export const DEPTHS: readonly SearchDepth[] = ["ultra-fast", "fast", "basic", "advanced"]
/** Questions of one preview: each is asked twice, one after the other. */
export const MOST_PREVIEWED = 200
const MOST_CHANGED = 100
const MAX_NOTE_CHARS = 200

export interface QuestionBody {
  readonly question: string
  readonly pages: readonly WrittenPage[]
}

const pages = {
  ...pagesSchema,
  description: "Pages that answer it; `grade` says how well, 1 (the default) to 10.",
}

export const questionBody: BodySchema<QuestionBody> = {
  required: ["question", "pages"],
  properties: { question: { ...questionSchema, description: "As people ask it." }, pages },
}

export const pagesBody: BodySchema<Pick<QuestionBody, "pages">> = {
  required: ["pages"],
  properties: { pages },
}

export interface ImportBody {
  readonly text: string
  readonly alone?: boolean
}

export const importBody: BodySchema<ImportBody> = {
  required: ["text"],
  properties: {
    text: {
      type: "string",
      description: "What a file of judged questions holds, YAML or JSON.",
    },
    alone: { type: "boolean", default: false, description: "Deletes all other questions." },
  },
}

export interface RunBody {
  readonly depth?: SearchDepth
  readonly note?: string
}

const depth = { type: "string", enum: DEPTHS, default: "basic", description: "Of the searches." }

export const runBody: BodySchema<RunBody> = {
  properties: {
    depth,
    note: { type: "string", maxLength: MAX_NOTE_CHARS, description: "What it is for, to find it again." },
  },
}

export interface JudgedPreviewBody {
  readonly rules?: readonly unknown[]
  readonly without?: readonly string[]
  readonly depth?: SearchDepth
  readonly most?: number
}

export const judgedPreviewBody: BodySchema<JudgedPreviewBody> = {
  properties: {
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
    depth,
    most: {
      type: "integer",
      minimum: 1,
      maximum: MOST_PREVIEWED,
      default: MOST_PREVIEWED,
      description: "Questions to ask: of more, always the same part.",
    },
  },
}
