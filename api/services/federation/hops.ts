/** How often a question has been handed on before it came here. */
export const HOPS_HEADER = "X-Fossick-Hops"

/** No setting lets a question be handed on so often. */
const MOST_HOPS = 9

/** By the header of a request: none is 0, and what is no number is handed on no further, since nobody knows where it has been. */
export function hopsOf(header: string): number {
  if (header === "") return 0
  return /^\d$/.test(header) ? Number(header) : MOST_HOPS
}
