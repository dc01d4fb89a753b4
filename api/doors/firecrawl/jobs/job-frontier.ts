import type { WalkFrontier } from "#crawler"

/** The work that remains at the end of a job's turn: for a crawl, the state of its walk; for a batch, the number of addresses at the end of its list that are still to be read. */
export type JobFrontier =
  | { readonly kind: "crawl"; readonly walk: WalkFrontier }
  | { readonly kind: "batch"; readonly left: number }
