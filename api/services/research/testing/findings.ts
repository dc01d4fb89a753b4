import type { Source, Stated } from "../sources/evidence.ts"

/** A page that says nothing of itself but its name. */
export const aSource = (name: string, more: Partial<Source> = {}): Source => ({
  url: `https://${name.replaceAll(" ", "-")}.example/`,
  title: name,
  favicon: null,
  author: null,
  published: null,
  fetched: null,
  ...more,
})

/** The place of a sentence that stands by itself, in the middle of the best page found. */
export const aStated = (more: Partial<Stated> = {}): Stated => ({
  headings: [],
  position: 0,
  needs: null,
  kind: "prose",
  opens: false,
  score: 1,
  ...more,
})
