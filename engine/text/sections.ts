import type { PageNames } from "./page-names.ts"

/** Passages of a section: some 3,000 characters. */
const SECTION_PASSAGES = 6
/** Terms that a section shares with the one behind it, so that a phrase across the cut stands in one of them. */
export const SHARED_TERMS = 32

/**
 * What a page is found by: the terms of each section, in which its title stands twice and the words of its address once. Long
 * pages have many, all about as long as a short page, so that none is found less for being part of a long one.
 *
 * @returns terms with a space between two; one at least
 */
export function sectionsOf(
  { title, address }: Pick<PageNames, "title" | "address">,
  passages: readonly (readonly string[])[],
): string[] {
  const names = [...title, ...title, ...address]
  const sections: string[] = []
  for (let at = 0; at === 0 || at < passages.length; at += SECTION_PASSAGES) {
    const next = passages[at + SECTION_PASSAGES]?.slice(0, SHARED_TERMS) ?? []
    const terms = passages.slice(at, at + SECTION_PASSAGES).flat()
    sections.push([...names, ...terms, ...next].join(" "))
  }
  return sections
}
