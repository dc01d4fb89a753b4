import type { FetchFailure, FetchResult } from "../fetch.ts"

/** The result for a page that is certainly not there any more. */
export const gone = (detail: string): FetchResult => ({ kind: "skipped", because: "gone", detail })

export const tooLarge = (bytes: number, most: number): FetchResult => ({
  kind: "skipped",
  because: "too-large",
  detail: `${bytes} bytes, more than ${most}`,
})

/** @param transient whether another try may succeed */
export const failed = (
  because: "refused" | "http-status" | "cancelled",
  detail: string,
  transient = true,
): FetchFailure => ({ kind: "failed", because, detail, transient })
