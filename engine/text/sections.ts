import type { PageNames } from "./page-names.ts"
import { type Terms, textsOf } from "./analysis/known-chunks.ts"

/** Number of passages in a section: some 3,000 characters. */
const SECTION_PASSAGES = 6
/** Number of terms that a section shares with the text that follows it. */
const SHARED_TERMS = 32
/**
 * Number of terms of a phrase to look for in one section. Half of the overlap of sections, since a phrase in a script
 * without spaces has half as many terms as its text: so some section contains the whole beginning of a phrase, wherever
 * sections are cut.
 */
export const PHRASE_TERMS = SHARED_TERMS / 2

/** The terms of one passage. */
export interface PassageTerms {
  /** The terms of each heading above the passage. */
  readonly headings: readonly Terms[]
  readonly text: Terms
}

/**
 * The terms that find a page, by section: each section contains the page's title twice and the words of its address
 * once. Long pages have many sections, all about as long as a short page, so that text isn't harder to find for being
 * part of a long page.
 *
 * @returns terms separated by spaces; at least one
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

/** The first terms of the text, starting at a passage. */
function textFrom(passages: readonly PassageTerms[], at: number): string[] {
  const terms: string[] = []
  for (; at < passages.length && terms.length < SHARED_TERMS; at++) {
    terms.push(...passages[at]!.text.terms.slice(0, SHARED_TERMS - terms.length).map(({ text }) => text))
  }
  return terms
}
