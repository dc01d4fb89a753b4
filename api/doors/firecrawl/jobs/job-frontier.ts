import type { WalkFrontier } from "#crawler"

/** The work left when a job's turn ended: for a crawl its walk, for a batch how many of its last addresses. */
export type JobFrontier =
  | { readonly kind: "crawl"; readonly walk: WalkFrontier }
  | { readonly kind: "batch"; readonly left: number }
