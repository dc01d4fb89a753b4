/** How often a question was handed on before it arrived here. */
export const HOPS_HEADER = "X-Fossick-Hops"

/** No setting allows a question to be handed on more often than this. */
const MOST_HOPS = 9

/**
 * The hops from a request's header: a missing header is 0, and a request with an invalid one is not passed on, since
 * its path is unknown.
 */
export function hopsOf(header: string): number {
  if (header === "") return 0
  return /^\d$/.test(header) ? Number(header) : MOST_HOPS
}
