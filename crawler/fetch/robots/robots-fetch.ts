import type { CutOff, FetchOptions } from "../fetch.ts"

/** More than any robots.txt needs; pages can have a different limit. */
const MAX_ROBOTS_BYTES = 5_000_000
/** Every page of a site waits for its robots.txt. */
const ROBOTS_TIMEOUT_MS = 10_000

/** How a robots.txt is fetched. */
export const robotsFetch = (
  timeoutMs: number,
): Pick<FetchOptions, "accepts" | "maxBytes" | "takesCutOff" | "timeoutMs"> => ({
  accepts: () => true,
  maxBytes: MAX_ROBOTS_BYTES,
  timeoutMs: Math.min(timeoutMs, ROBOTS_TIMEOUT_MS),
  takesCutOff: isWholeLines,
})

/**
 * Whether a cut-off robots.txt ends with a whole line, and no header promised more. Otherwise a site that cuts off all
 * its answers could never be crawled.
 */
const isWholeLines = ({ body, headers }: CutOff): boolean =>
  headers["content-length"] === undefined && body.at(-1) === 0x0a
