import type { WalkFrontier } from "#crawler"

/** The work left when a job's turn ended: for a crawl its walk, for a batch the number of its last addresses still to read. */
export type JobFrontier =
  | { readonly kind: "crawl"; readonly walk: WalkFrontier }
  | { readonly kind: "batch"; readonly left: number }
