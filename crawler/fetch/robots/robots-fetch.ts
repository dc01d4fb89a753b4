import type { CutOff, FetchOptions } from "../fetch.ts"

/** Maximum size of a robots.txt, more than any site needs. It does not depend on the limit for pages. */
const MAX_ROBOTS_BYTES = 5_000_000
/** Time limit, which is short because every page of a site waits for its robots.txt. */
const ROBOTS_TIMEOUT_MS = 10_000

/** The options for fetching a robots.txt. */
export const robotsFetch = (
  timeoutMs: number,
): Pick<FetchOptions, "accepts" | "maxBytes" | "takesCutOff" | "timeoutMs"> => ({
  accepts: () => true,
  maxBytes: MAX_ROBOTS_BYTES,
  timeoutMs: Math.min(timeoutMs, ROBOTS_TIMEOUT_MS),
  takesCutOff: isWholeLines,
})

/**
 * Whether a cut-off robots.txt ends with a complete line, and no header announced more. Without this exception, a site
 * that cuts off all its responses could never be crawled.
 */
const isWholeLines = ({ body, headers }: CutOff): boolean =>
  headers["content-length"] === undefined && body.at(-1) === 0x0a
