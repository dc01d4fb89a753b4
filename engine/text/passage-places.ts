import type { Passage } from "../index/page/passage.ts"

/** An anchor and a page, as in `PageAnchor`. */
export interface Place {
  readonly fragment: string
  readonly page: string | null
}

/** The places of a text, in order, with the number of characters before each. */
export type Places = readonly (readonly [at: number, place: Place])[]

/** The places of a text with one place, or none. */
export const placesAt = (place: Place | null): Places => (place === null ? [] : [[0, place]])

/** The places of consecutive parts of a text, found in one pass: a line may have a million words and thousands of pages. */
export function placesOfParts(
  places: Places,
  parts: readonly { readonly from: number; readonly to: number }[],
): Places[] {
  let next = 0
  return parts.map(({ from, to }) => {
    while (next < places.length && places[next]![0] <= from) next++
    let end = next
    while (end < places.length && places[end]![0] < to) end++
    return [...placesAt(places[next - 1]?.[1] ?? null), ...behind(-from, places.slice(next, end))]
  })
}

/** The places of two joined texts; the second begins at the character `at`. */
export function joinedPlaces(first: Places, at: number, second: Places): Places {
  const last = first.at(-1)?.[1]
  return [...first, ...behind(at, second).filter(([, place]) => place !== last)]
}

const behind = (chars: number, places: Places): Places => places.map(([at, place]) => [at + chars, place])

/** The pages that a passage is on: one page, or the first and the last with a dash between them; and where each page begins. */
export function pagesIn(places: Places): Pick<Passage, "page" | "pages"> {
  const pages = places.flatMap(([at, { fragment, page }]) =>
    page === null ? [] : [[at, fragment, page] as const],
  )
  const [first, last] = [pages[0]?.[2], pages.at(-1)?.[2]]
  if (first === undefined) return {}
  return first === last ? { page: first } : { page: `${first}–${last}`, pages }
}
