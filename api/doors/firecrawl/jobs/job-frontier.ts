import type { WalkFrontier } from "#crawler"

/** What a job that gave way has yet to do: of a crawl its walk, of a batch how many of its last addresses. */
export type JobFrontier =
  | { readonly kind: "crawl"; readonly walk: WalkFrontier }
  | { readonly kind: "batch"; readonly left: number }
