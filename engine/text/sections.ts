import type { PageNames } from "./page-names.ts"
import { type Terms, textsOf } from "./analysis/known-chunks.ts"

/** Passages of a section: some 3,000 characters. */
const SECTION_PASSAGES = 6
/** Terms that a section shares with the text behind it. */
const SHARED_TERMS = 32
/**
 * Of a phrase so many terms are looked for in one section. Half of what is shared, since a phrase of a script without spaces has half
 * the terms of its text: so the beginning of a phrase stands whole in some section, wherever sections are cut.
 */
export const PHRASE_TERMS = SHARED_TERMS / 2

/** The terms of one passage. */
export interface PassageTerms {
  /** Of each heading above it. */
  readonly headings: readonly Terms[]
  readonly text: Terms
}

/**
 * What a page is found by: the terms of each section, in which its title stands twice and the words of its address once. Long
 * pages have many, all about as long as a short page, so that none is found less for being part of a long one.
 *
 * @returns terms with a space between two; one at least
 */
export function sectionsOf(
  { title, address }: Pick<PageNames, "title" | "address">,
  passages: readonly PassageTerms[],
): string[] {
  const names = [...title, ...title, ...address]
  const sections: string[] = []
  for (let at = 0; at === 0 || at < passages.length; at += SECTION_PASSAGES) {
    const here = passages
      .slice(at, at + SECTION_PASSAGES)
      .flatMap(({ headings, text }) => [...headings, text])
    sections.push([...names, ...textsOf(here), ...textFrom(passages, at + SECTION_PASSAGES)].join(" "))
  }
  return sections
}

/** The first terms of the text from a passage on. */
function textFrom(passages: readonly PassageTerms[], at: number): string[] {
  const terms: string[] = []
  for (; at < passages.length && terms.length < SHARED_TERMS; at++) {
    terms.push(...passages[at]!.text.terms.slice(0, SHARED_TERMS - terms.length).map(({ text }) => text))
  }
  return terms
}
