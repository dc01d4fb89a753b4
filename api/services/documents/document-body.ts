import { LONGEST_PRINCIPAL } from "#engine/index/page/readers.ts"

import {
  anyObject,
  flag,
  listOf,
  object,
  type Of,
  optional,
  orNull,
  text,
} from "../../server/schema/schemas.ts"

/** Maximum number of documents per call. */
export const MOST_DOCUMENTS = 10_000
/** Maximum length of a document's id. An id is a name, or a path with slashes; its characters are kept as they are. */
const MAX_ID_CHARS = 1000
const MAX_URL_CHARS = 2000
const MAX_TITLE_CHARS = 1000
/** Maximum number of characters in a source's name. */
const MAX_NAME_CHARS = 100

export const sourceField = text("Name of the source of the documents.", {
  minLength: 1,
  maxLength: MAX_NAME_CHARS,
})

export const idField = text(
  "Id within the source: a document with the same id replaces this one. Omitted: the address, or else a hash of the document.",
  // Matches text without control characters.
  { minLength: 1, maxLength: MAX_ID_CHARS, pattern: String.raw`^[^\u0000-\u001f\u007f]+$` },
)

/** The forms of a document's content; each document uses one of them. */
export const CONTENT_TYPES = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
} as const

/** A day, or a time with its zone (RFC 3339). */
const date = (description: string) =>
  text(description, {
    pattern: String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$`,
    examples: ["2026-01-31T09:30:00Z", "2026-01-31"],
  })

const MOST_PRINCIPALS = 1000
const principals = (description: string) =>
  listOf(text(undefined, { minLength: 1, maxLength: LONGEST_PRINCIPAL }), description, {
    maxItems: MOST_PRINCIPALS,
  })

export const readersField = orNull(
  object(
    optional({
      allow: principals(
        "Any of these may read it: `user:NAME`, `group:NAME` or `signed-in`. Omitted: everyone; empty: no one.",
      ),
      deny: principals("None of these may read it, whatever `allow` says."),
    }),
    "Who may read it, among the readers of its source. Omitted or null: all of them.",
    { additionalProperties: false },
  ),
)

export const documentFields = {
  id: idField,
  url: text(
    "Where people open it, below one of the seeds of its source. Omitted: the appliance shows the document.",
    { minLength: 1, maxLength: MAX_URL_CHARS },
  ),
  title: text("Omitted: taken from the content.", { minLength: 1, maxLength: MAX_TITLE_CHARS }),
  text: text("The content as plain text.", { minLength: 1 }),
  markdown: text("The content as Markdown.", { minLength: 1 }),
  html: text("The content as HTML, read like a page.", { minLength: 1 }),
  author: text(undefined, { minLength: 1, maxLength: MAX_TITLE_CHARS }),
  language: text("ISO 639-1, such as `de`.", { pattern: "^[a-z]{2}$" }),
  published_at: date("When it was published; searches by time use this."),
  updated_at: date("When it was last changed."),
  readers: readersField,
  metadata: anyObject("Anything to keep with the document. Lists and calls for one document return it."),
}

export const documentBody = object(optional(documentFields), undefined, { additionalProperties: false })
export type DocumentBody = Of<typeof documentBody>

export const sendBody = object({
  source: sourceField,
  documents: listOf(documentBody, "Each has its content in exactly one of `text`, `markdown` and `html`.", {
    minItems: 1,
    maxItems: MOST_DOCUMENTS,
  }),
  wait: flag("Whether to wait, up to a minute, until searches find the documents."),
})
export type SendBody = Of<typeof sendBody>

export const readersBody = object({
  source: sourceField,
  documents: listOf(
    object({ id: idField, readers: readersField }, undefined, { additionalProperties: false }),
    undefined,
    {
      minItems: 1,
      maxItems: MOST_DOCUMENTS,
    },
  ),
  wait: flag("Whether to wait, up to a minute, until searches apply the change."),
})

export const deleteBody = object({
  source: sourceField,
  ids: listOf(text(), "Ids of the documents to delete.", { minItems: 1, maxItems: MOST_DOCUMENTS }),
  wait: flag("Whether to wait, up to a minute, until searches no longer find them."),
})
