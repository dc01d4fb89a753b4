import type { AnsweringUnit } from "#engine/answer-extraction/extract-answer.ts"

import type { Source } from "../sources/evidence.ts"

/** A page that has only a name. */
export const aSource = (name: string, more: Partial<Source> = {}): Source => ({
  url: `https://${name.replaceAll(" ", "-")}.example/`,
  title: name,
  favicon: null,
  author: null,
  published: null,
  fetched: null,
  ...more,
})

/** A paragraph that answers the question. */
export const aUnit = (text: string, more: Partial<AnsweringUnit> = {}): AnsweringUnit => ({
  text,
  source: 0,
  kind: "prose",
  headings: [],
  value: 1,
  ...more,
})
