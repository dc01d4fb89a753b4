/** Number of times that a question was handed on before it arrived here. */
export const HOPS_HEADER = "X-Fossick-Hops"

/** No setting allows a question to be handed on more times than this. */
const MOST_HOPS = 9

/**
 * The number of hops in a request's header: a missing header means 0, and a request with an invalid header is not
 * passed on, since its path is unknown.
 */
export function hopsOf(header: string): number {
  if (header === "") return 0
  return /^\d$/.test(header) ? Number(header) : MOST_HOPS
}
