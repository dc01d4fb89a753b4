import type { DiskRoom } from "#base/disk-space.ts"

import type { Middleware } from "./context.ts"
import { ApiError } from "./errors.ts"

/** Seconds in `Retry-After`: freeing space may require an operator, so callers don't need to ask more often. */
const RETRY_SECONDS = 60

/**
 * Refuses calls that store a lot, such as research, watches and crawl jobs, with 503 and `Retry-After` while the disk
 * has too little room.
 */
export function roomOnDisk(room: Pick<DiskRoom, "isLow">): Middleware {
  return async (_, next) => {
    if (room.isLow()) {
      const text =
        "The server's disk is nearly full or read-only, so nothing new is stored. Searches still work. Try again once its operator has made room or made the data folder (FOSSICK_DATA_DIR) writable."
      throw new ApiError(503, text, {}, { "Retry-After": String(RETRY_SECONDS) })
    }
    await next()
  }
}
